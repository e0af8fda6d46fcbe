package org.millrace.cli.campaign;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * The writers of a workload at work, on ranks of this process. Started and awaited by one thread.
 */
final class WorkloadRun {

  private static final long END_SECONDS = 90;
  private static final long BEGIN_NANOS = 20_000_000_000L;
  private static final long LOOK_NANOS = 10_000_000;

  // constant after construction
  private final Env env;
  private final Workload workload;
  private final long enough;

  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();

  /** Where the cluster is. */
  interface Connector {
    RunningCluster connect() throws IOException;
  }

  /** Starts them. */
  WorkloadRun(Env env, Connector cluster, Workload workload, int writers, long seed) {
    this.env = env;
    this.workload = workload;
    this.enough = workload.acknowledged() + writers;
    env.start(
        ThreadKind.HELPER,
        "writers",
        () -> {
          try (RunningCluster connected = cluster.connect()) {
            connected.run(
                writers,
                rank -> {
                  String wrong = workload.write(rank, rank.number(), seed + rank.number());
                  if (wrong != null) {
                    findings.add(wrong);
                  }
                });
          } catch (IOException | RuntimeException e) {
            if (!workload.isDisturbed()) { // else it is the broken connection
              findings.add("the writers cannot work: " + e);
            }
          } finally {
            ended.complete(true);
          }
        });
  }

  /**
   * Waits until they are at work, however busy the machine is: what disturbs nobody shows nothing.
   */
  void awaitWork() throws InterruptedException {
    long deadline = env.deadlineAfter(BEGIN_NANOS);
    while (workload.acknowledged() < enough && !ended.isDone() && env.nanoTime() < deadline) {
      env.sleep(LOOK_NANOS);
    }
  }

  /** Waits for the end; a writer that hangs is a finding. */
  List<String> await() throws InterruptedException {
    try {
      ended.get(END_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      findings.add("writers hang: not over " + END_SECONDS + " s after their end");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return List.copyOf(findings);
  }

  /** Starts what does not run, waits for the writers' end, and checks everything. */
  List<String> checkAfter(ClusterProcesses cluster, Workload workload) throws InterruptedException {
    List<String> seen = new ArrayList<>();
    try {
      cluster.up();
    } catch (IOException e) {
      seen.add("it does not come up again: " + e.getMessage());
    }
    seen.addAll(await()); // only now: they look for a while for a node that is down
    if (seen.isEmpty()) {
      try {
        alone(cluster, rank -> seen.addAll(workload.check(rank)));
      } catch (IOException e) {
        seen.add("it cannot be read: " + e.getMessage());
      }
    }
    return seen;
  }

  /** What one rank does, on a connection of its own. */
  interface Part {
    void run(Rank rank) throws IOException;
  }

  /** Runs something as one rank. */
  static void alone(Connector cluster, Part part) throws IOException {
    try (RunningCluster connected = cluster.connect()) {
      connected.run(1, part::run);
    }
  }
}
