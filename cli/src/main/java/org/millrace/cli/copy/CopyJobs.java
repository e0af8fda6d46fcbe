package org.millrace.cli.copy;

import java.io.IOException;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;

/**
 * Copies several files at a time, each by a rank of its own. {@link SmallFiles} has those that are
 * small. Stateless.
 */
public final class CopyJobs {

  /** Files that are copied at a time. */
  static final int MAX_AT_A_TIME = 8;

  /** One file, which the given rank copies. */
  public interface Job extends JobQueue.Job<Rank> {}

  private CopyJobs() {}

  /**
   * Does all jobs, in about their order. If one fails no other is begun; those under way are
   * finished.
   */
  public static void run(RunningCluster cluster, List<Job> jobs) throws IOException {
    if (!jobs.isEmpty()) {
      cluster.run(Math.min(MAX_AT_A_TIME, jobs.size()), new JobQueue<>(jobs)::work);
    }
  }
}
