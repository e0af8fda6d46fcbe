package org.millrace.bench.papers;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.millrace.bench.measure.ChildCommands;
import org.millrace.client.ClusterOptions;
import org.millrace.client.PageCache;
import org.millrace.client.Rank;
import org.millrace.env.Env;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;

/**
 * One rank of a {@link SharingTeam}, a process that is also a node. All but the last compute, if
 * ordered, and meet in a barrier after each iteration. Orders:
 *
 * <pre>
 *   ready                 answers ok
 *   compute ITERATIONS    answers {@link Used}
 *   used                  answers {@link Used} since the process began, on the machine's clock
 * </pre>
 *
 * One thread.
 */
final class SharingRank {

  private final Env env = Env.real();
  private final Rank group;
  private final Linpack linpack;
  private final int systems;
  private long solved;

  /**
   * What a process used of its processor.
   *
   * @param nanos that passed
   * @param cpuNanos that its threads were running
   */
  record Used(long nanos, long cpuNanos) {

    @Override
    public String toString() {
      return nanos + " " + cpuNanos;
    }

    static Used parse(String text) {
      String[] words = text.split(" ", -1);
      return new Used(Long.parseLong(words[0]), Long.parseLong(words[1]));
    }

    Used since(Used before) {
      return new Used(nanos - before.nanos, cpuNanos - before.cpuNanos);
    }

    double cores() {
      return (double) cpuNanos / Math.max(1, nanos);
    }
  }

  private SharingRank(Rank group, int extent, int systems) {
    this.group = group;
    this.linpack = new Linpack(extent);
    this.systems = systems;
  }

  /** Arguments: directory, bytes of cache in a node, equations in a system, systems. */
  public static void main(String[] args) throws IOException {
    org.millrace.launch.Launch launch = org.millrace.launch.Launch.recognize().orElseThrow();
    ClusterOptions options =
        ClusterOptions.DEFAULT
            .withCacheBytesPerNode(Long.parseLong(args[1]))
            .withPageCache(PageCache.PAST);
    ProcessRankOptions how = ProcessRankOptions.of(options);
    try (ProcessRank launched = ProcessRank.asPeer(launch, Path.of(args[0]), launch.size(), how)) {
      launched.run(
          rank -> {
            boolean computes = rank.number() < rank.size() - 1;
            Rank group = rank.split(computes ? 0 : 1, rank.number());
            int extent = Integer.parseInt(args[2]);
            ChildCommands.serve(new SharingRank(group, extent, Integer.parseInt(args[3]))::handle);
          });
    }
  }

  private String handle(String[] words) throws IOException {
    return switch (words[0]) {
      case "ready" -> "ok";
      case "compute" -> compute(Integer.parseInt(words[1])).toString();
      case "used" -> new Used(env.nanoTime(), cpuNanos()).toString();
      default -> throw new IllegalArgumentException("no order: " + words[0]);
    };
  }

  /** From the first rank's start to the last one's end; all processes have one clock. */
  private Used compute(int iterations) throws IOException {
    iterate(); // meanwhile a stream that was ordered before has begun
    long cpu = cpuNanos();
    long start = env.nanoTime();
    for (int i = 0; i < iterations; i++) {
      iterate();
    }
    long end = env.nanoTime();
    long used = cpuNanos() - cpu;
    long first = group.allReduceLong(start, Math::min);
    return new Used(group.allReduceLong(end, Math::max) - first, used);
  }

  private void iterate() throws IOException {
    for (int i = 0; i < systems; i++) {
      linpack.solve(solved++);
    }
    group.barrier();
  }

  /** Of all threads of this process; 0 where the operating system does not say. */
  static long cpuNanos() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }
}
