package org.millrace.cli.copy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Jobs that several threads take in turn, in their order. If one fails no other is begun; those
 * under way are finished. Safe for use by several threads.
 */
final class JobQueue<T> {

  /** One job. */
  interface Job<T> {
    /** Does it, with what the thread that took it has. */
    void run(T with) throws IOException;
  }

  // constant after construction
  private final List<? extends Job<T>> jobs;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicBoolean failed = new AtomicBoolean();

  JobQueue(List<? extends Job<T>> jobs) {
    this.jobs = jobs;
  }

  /** Does jobs on the calling thread until there are no more, or one has failed. */
  void work(T with) throws IOException {
    int job = next.getAndIncrement();
    while (job < jobs.size() && !failed.get()) {
      try {
        jobs.get(job).run(with);
      } catch (IOException | RuntimeException | Error e) {
        failed.set(true);
        throw e;
      }
      job = next.getAndIncrement();
    }
  }
}
