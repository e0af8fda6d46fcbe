package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.millrace.bench.grid.TeamSizes;
import org.millrace.bench.measure.ChildJvm;

/**
 * Processes that are the ranks of one program and the nodes of one cluster, and nothing else runs:
 * as many processes as MPI would have. They stay, so that their code has become quick by the time
 * it counts, and wait for orders while others are measured.
 *
 * <p>Used by one thread. Closing ends them.
 */
public final class Team implements AutoCloseable {

  private static final Pattern SPACE = Pattern.compile(" ");

  private final List<ChildJvm> ranks = new ArrayList<>();

  /** A team of {@link TeamRank}s; {@code nodes} of them are nodes with so much cache each. */
  static Team of(Path folder, int size, int nodes, long cacheBytes, TeamSizes sizes)
      throws IOException {
    Path cluster = Files.createDirectories(folder.resolve("cluster"));
    return new Team(folder, cluster, size, TeamRank.class, args(cluster, nodes, cacheBytes, sizes));
  }

  /** The same in one JVM: the ranks are threads of one process, which has all nodes. */
  static Team ofThreads(Path folder, int size, int nodes, long cacheBytes, TeamSizes sizes)
      throws IOException {
    Path own = Files.createDirectories(folder.resolve("one-jvm"));
    Path cluster = Files.createDirectories(own.resolve("cluster"));
    List<String> args = new ArrayList<>(args(cluster, nodes, cacheBytes, sizes));
    args.add(Integer.toString(size));
    return new Team(own, cluster, 1, TeamThreads.class, args);
  }

  private static List<String> args(Path cluster, int nodes, long cacheBytes, TeamSizes sizes) {
    return List.of(
        cluster.toString(), Integer.toString(nodes), Long.toString(cacheBytes), sizes.word());
  }

  /**
   * Starts them.
   *
   * @param folder a folder of their own
   * @param cluster where their cluster is
   * @param main the class of a rank
   */
  public Team(Path folder, Path cluster, int size, Class<?> main, List<String> args)
      throws IOException {
    String job = "bench-" + ProcessHandle.current().pid() + "-" + folder.getFileName();
    try {
      for (int i = 0; i < size; i++) {
        Map<String, String> environment =
            Map.of(
                "MILLRACE_RANK",
                Integer.toString(i),
                "MILLRACE_RANKS",
                Integer.toString(size),
                "MILLRACE_JOB",
                job,
                org.millrace.launch.Launch.ADDRESS,
                cluster.toString());
        ranks.add(ChildJvm.start(folder, "rank-" + i, main, args, environment));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Gives all the same order; what rank 0 answers. */
  public String ask(String order) throws IOException {
    return askAll(order).getFirst();
  }

  private List<String> askAll(String order) throws IOException {
    for (ChildJvm one : ranks) {
      one.order(order);
    }
    List<String> answers = new ArrayList<>();
    for (ChildJvm one : ranks) { // the first says what it died of, if any
      answers.add(one.answer());
    }
    return answers;
  }

  /** Milliseconds that the compilers of all these processes have taken so far. */
  long compiledMillis() throws IOException {
    return askAll("compiled").stream().mapToLong(Long::parseLong).sum();
  }

  /** As {@link #ask}, for numbers. */
  List<Double> askNumbers(String order) throws IOException {
    return SPACE.splitAsStream(ask(order)).map(Double::valueOf).toList();
  }

  @Override
  public void close() throws IOException {
    for (ChildJvm one : ranks) {
      one.hangUp();
    }
    for (ChildJvm one : ranks) {
      one.close();
    }
  }
}
