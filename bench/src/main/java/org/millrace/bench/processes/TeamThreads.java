package org.millrace.bench.processes;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.bench.grid.TeamSizes;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.measure.ChildCommands;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Rank;

/**
 * A {@link Team} in one JVM: the ranks are threads, and the same nodes with the same caches are in
 * their process. What processes are compared with. Stateless.
 */
final class TeamThreads {

  private static final byte[] END = {};

  private TeamThreads() {}

  /** Arguments: directory, nodes, bytes of cache in each, sizes, ranks. */
  public static void main(String[] args) throws IOException {
    int ranks = Integer.parseInt(args[4]);
    List<Workload> workloads = TeamSizes.parse(args[3]).workloads(ranks);
    ClusterOptions options = ClusterOptions.DEFAULT.withCacheBytesPerNode(Long.parseLong(args[2]));
    BufferedReader input = ChildCommands.input();
    try (Cluster cluster = Cluster.embedded(Path.of(args[0]), Integer.parseInt(args[1]), options)) {
      cluster.run(
          ranks,
          rank -> {
            try (TeamRank one = new TeamRank(rank, workloads)) {
              if (rank.number() == 0) {
                ChildCommands.serve(input, words -> one.handle(passOn(rank, words)));
                rank.broadcast(0, END);
              } else {
                follow(rank, one);
              }
            }
          });
    }
  }

  /** Rank 0 tells the others what it was told. */
  private static String[] passOn(Rank rank, String[] words) throws IOException {
    rank.broadcast(0, String.join(" ", words).getBytes(UTF_8));
    return words;
  }

  private static void follow(Rank rank, TeamRank one) throws IOException {
    while (true) {
      byte[] order = rank.broadcast(0, END);
      if (order.length == 0) {
        return;
      }
      one.handle(new String(order, UTF_8).split(" ", -1));
    }
  }
}
