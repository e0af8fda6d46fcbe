package org.millrace.bench.papers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.millrace.bench.measure.ChildJvm;
import org.millrace.bench.measure.Processors;
import org.millrace.bench.papers.SharingRank.Used;

/**
 * The processes of {@link SharingBenchmark}: ranks that are nodes, all but the last of which
 * compute, and one more for which either a node that computes or the one that does not serves a
 * stream.
 *
 * <p>Used by one thread. Closing lets them end.
 */
final class SharingTeam implements AutoCloseable {

  private static final String CLUSTER = "cluster";

  /** All but the last compute. */
  private final List<ChildJvm> nodes = new ArrayList<>();

  private final ChildJvm client;

  /** The node that computes and serves; not the coordinator's process, if there is a choice. */
  private final int busyNode;

  private final int idleNode;

  /** Of one iteration on the busy node, when it was last measured. */
  private double aloneCpuNanos;

  /**
   * The computation beside a stream.
   *
   * @param seconds that the computation took
   * @param requestsPerSecond of the stream
   * @param servingCores processors that serving it kept busy
   * @param clientCores processors that its client kept busy
   */
  record Beside(
      double seconds, double requestsPerSecond, double servingCores, double clientCores) {}

  /**
   * Starts them, and makes a file on each of the two nodes that serve.
   *
   * @param bound whether ranks that compute are bound to all processors but the last, and all other
   *     processes to that
   */
  SharingTeam(Path folder, int ranks, boolean bound, SharingSizes sizes) throws IOException {
    Optional<Processors> binding = bound ? Optional.of(Processors.ofThis()) : Optional.empty();
    List<String> onLast = binding.map(Processors::boundToLast).orElse(List.of());
    Path cluster = Files.createDirectories(folder.resolve(CLUSTER));
    busyNode = Math.min(1, ranks - 1);
    idleNode = ranks;
    try {
      for (int i = 0; i <= ranks; i++) {
        int number = i;
        List<String> through =
            i == ranks ? onLast : binding.map(all -> all.bound(number)).orElse(List.of());
        nodes.add(startRank(folder, through, number, ranks + 1, sizes));
      }
      for (ChildJvm one : nodes) {
        one.ask("ready"); // the client needs the coordinator
      }
      List<String> args = List.of(cluster.toString(), Long.toString(sizes.fileBytes()));
      client = ChildJvm.start(folder, "client", onLast, SharingClient.class, args, Map.of());
    } catch (IOException | RuntimeException e) {
      nodes.forEach(ChildJvm::kill);
      end(nodes);
      throw e;
    }
    try {
      client.ask("open " + busyNode);
      client.ask("open " + idleNode);
    } catch (IOException | RuntimeException e) {
      kill();
      close();
      throw e;
    }
  }

  private static ChildJvm startRank(
      Path folder, List<String> through, int number, int size, SharingSizes sizes)
      throws IOException {
    List<String> args =
        List.of(
            folder.resolve(CLUSTER).toString(),
            Long.toString(sizes.cacheBytes()),
            Integer.toString(sizes.extent()),
            Integer.toString(sizes.systems()));
    Map<String, String> environment =
        Map.of(
            "MILLRACE_RANK",
            Integer.toString(number),
            "MILLRACE_RANKS",
            Integer.toString(size),
            "MILLRACE_JOB",
            "sharing-" + ProcessHandle.current().pid() + "-" + folder.getFileName());
    return ChildJvm.start(folder, "rank-" + number, through, SharingRank.class, args, environment);
  }

  /** Seconds of the computation with nothing beside it. */
  double alone(int iterations) throws IOException {
    Used used = compute(iterations).get(busyNode);
    aloneCpuNanos = (double) used.cpuNanos() / iterations;
    return used.nanos() / 1e9;
  }

  /**
   * The computation beside a stream.
   *
   * @param control whether the node serves it that does not compute
   */
  Beside beside(SharingStream stream, boolean control, int iterations) throws IOException {
    client.order(
        "stream %s %s %s"
            .formatted(
                control ? idleNode : busyNode,
                stream.writes() ? "write" : "read",
                stream.random() ? "random" : "sequential"));
    Used before = Used.parse(nodes.getLast().ask("used"));
    List<Used> ranks = compute(iterations);
    Used meanwhile = Used.parse(nodes.getLast().ask("used")).since(before);
    client.order("stop");
    StreamedFile.Streamed streamed = StreamedFile.Streamed.parse(client.answer());
    client.answer();
    double serving = control ? meanwhile.cores() : Math.max(0, more(ranks, iterations));
    double seconds = ranks.getFirst().nanos() / 1e9;
    return new Beside(seconds, streamed.perSecond(), serving, streamed.cores());
  }

  /**
   * What the serving one of the ranks used more than the others, which only computed; if there are
   * none, than it did itself when it was alone.
   */
  private double more(List<Used> ranks, int iterations) {
    Used its = ranks.get(busyNode);
    double computing =
        IntStream.range(0, ranks.size())
            .filter(rank -> rank != busyNode)
            .mapToDouble(rank -> ranks.get(rank).cpuNanos())
            .average()
            .orElse(aloneCpuNanos * iterations);
    return (its.cpuNanos() - computing) / its.nanos();
  }

  private List<Used> compute(int iterations) throws IOException {
    List<ChildJvm> computing = nodes.subList(0, idleNode);
    for (ChildJvm one : computing) {
      one.order("compute " + iterations);
    }
    List<Used> answers = new ArrayList<>();
    for (ChildJvm one : computing) {
      answers.add(Used.parse(one.answer()));
    }
    return answers;
  }

  /** Throws if any byte of the files is not what was written last. */
  void verify() throws IOException {
    client.ask("verify");
  }

  /** After a failure: those that are left wait for those that are not. */
  void kill() {
    client.kill();
    nodes.forEach(ChildJvm::kill);
  }

  @Override
  public void close() throws IOException {
    try {
      client.order("stop"); // a stream does not notice that nobody can give it orders any more
    } catch (IOException e) {
      // the client has ended
    }
    try {
      client.close(); // before the nodes, from which it takes its leave
    } finally {
      end(nodes);
    }
  }

  /** They end together or not at all: each waits for the others. */
  private static void end(List<ChildJvm> nodes) throws IOException {
    for (ChildJvm one : nodes) {
      one.hangUp();
    }
    for (ChildJvm one : nodes) {
      one.close();
    }
  }
}
