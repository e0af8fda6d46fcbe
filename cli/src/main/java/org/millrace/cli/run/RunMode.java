package org.millrace.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.daemon.ServerOptions;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;

/** Where the ranks of a run are, and where its cluster is. Immutable. */
sealed interface RunMode {

  /** How many ranks there are in all. */
  int ranks();

  /** How many nodes the files of the run are striped over. */
  int nodes();

  /** Where the files are, for people. */
  String place();

  /** Whether rank 0 is in this process, which then speaks for all. */
  boolean hasRankZero();

  /** Runs the program as those ranks that are in this process, and waits for them. */
  void run(ClusterOptions options, Program program) throws IOException;

  /** Everything is in this JVM. */
  record OneJvm(Path directory, int ranks, int nodes) implements RunMode {

    @Override
    public String place() {
      return directory.toString();
    }

    @Override
    public boolean hasRankZero() {
      return true;
    }

    @Override
    public void run(ClusterOptions options, Program program) throws IOException {
      try (RunningCluster cluster = RunningCluster.embedded(directory, nodes, options)) {
        cluster.run(ranks, program);
      }
    }
  }

  /** Ranks are threads of this JVM, the cluster is elsewhere. */
  record Connected(ClusterLocation where, TransportOptions transport, int ranks, int nodes)
      implements RunMode {

    @Override
    public String place() {
      return where.toString();
    }

    @Override
    public boolean hasRankZero() {
      return true;
    }

    @Override
    public void run(ClusterOptions options, Program program) throws IOException {
      try (RunningCluster cluster = RunningCluster.connect(where, options, transport)) {
        cluster.run(ranks, program);
      }
    }
  }

  /** This process is one rank, the cluster is elsewhere. */
  record Client(Launch launch, ClusterLocation where, Talking talking, int nodes)
      implements RunMode {

    @Override
    public String place() {
      return where.toString();
    }

    @Override
    public int ranks() {
      return launch.size();
    }

    @Override
    public boolean hasRankZero() {
      return launch.rank() == 0;
    }

    @Override
    public void run(ClusterOptions options, Program program) throws IOException {
      try (ProcessRank launched = ProcessRank.join(launch, where, talking.options(options))) {
        launched.run(program);
      }
    }
  }

  /** This process is one rank and a part of the cluster. */
  record Peer(Launch launch, Path directory, Talking talking, int nodes) implements RunMode {

    @Override
    public String place() {
      return directory.toString();
    }

    @Override
    public int ranks() {
      return launch.size();
    }

    @Override
    public boolean hasRankZero() {
      return launch.rank() == 0;
    }

    @Override
    public void run(ClusterOptions options, Program program) throws IOException {
      try (ProcessRank launched =
          ProcessRank.asPeer(launch, directory, nodes, talking.options(options))) {
        launched.run(program);
      }
    }
  }

  /**
   * How ranks that are processes find each other and talk.
   *
   * @param transport how they talk
   * @param listen where this one listens, if that was said
   * @param assembleNanos how long to wait for the other ranks to come
   */
  record Talking(TransportOptions transport, Optional<Address> listen, long assembleNanos) {

    ProcessRankOptions options(ClusterOptions cluster) {
      ServerOptions server = ServerOptions.of(cluster, transport);
      return ProcessRankOptions.of(cluster)
          .withServer(listen.map(server::withAddress).orElse(server))
          .withAssembleNanos(assembleNanos);
    }
  }
}
