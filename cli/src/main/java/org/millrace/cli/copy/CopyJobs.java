package org.millrace.cli.copy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;

/**
 * Copies many files, several of them at a time: small ones mostly wait for disks, which serve
 * several at once. Stateless.
 */
public final class CopyJobs {

  /** Files that are copied at a time. */
  static final int MAX_AT_A_TIME = 8;

  /** One file. */
  public interface Job {
    /** Copies it, as the given rank. */
    void run(Rank rank) throws IOException;
  }

  private CopyJobs() {}

  /**
   * Does all jobs, in about their order. If one fails no other is begun; those under way are
   * finished.
   */
  public static void run(RunningCluster cluster, List<Job> jobs) throws IOException {
    if (jobs.isEmpty()) {
      return;
    }
    AtomicInteger next = new AtomicInteger();
    AtomicBoolean failed = new AtomicBoolean();
    cluster.run(
        Math.min(MAX_AT_A_TIME, jobs.size()),
        rank -> {
          int job = next.getAndIncrement();
          while (job < jobs.size() && !failed.get()) {
            try {
              jobs.get(job).run(rank);
            } catch (IOException | RuntimeException | Error e) {
              failed.set(true);
              throw e;
            }
            job = next.getAndIncrement();
          }
        });
  }
}
