package org.millrace.sim.hunt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.env.Env;
import org.millrace.env.ScheduleListener;
import org.millrace.env.ThreadKind;

/**
 * Many seeds, several at a time. It ends early when enough of them have failed.
 *
 * <p>{@link #run} belongs to one thread. For one use.
 */
public final class Campaign {

  // constant after construction
  private final long first;
  private final long count;
  private final Optional<Plant> plant;
  private final int maxFailures;
  private final Consumer<Verdict> listener;
  private final Optional<Path> schedules;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<Verdict> failures = new ArrayList<>();
  private long next;

  /**
   * A campaign.
   *
   * @param first seed
   * @param count of seeds
   * @param plant the bug that is planted, if any
   * @param maxFailures after how many that failed it ends: more are more of the same
   * @param listener told of each seed's end, one at a time
   * @param schedules the folder for a file of each seed's schedule, if they are to be written
   */
  public Campaign(
      long first,
      long count,
      Optional<Plant> plant,
      int maxFailures,
      Consumer<Verdict> listener,
      Optional<Path> schedules) {
    this.first = first;
    this.count = count;
    this.plant = plant;
    this.maxFailures = maxFailures;
    this.listener = listener;
    this.schedules = schedules;
    this.next = first;
  }

  /** Runs all seeds, {@code workers} at a time; returns those that failed, by seed. */
  public List<Verdict> run(int workers) {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      ends.add(start("hunt " + i));
    }
    ends.forEach(CompletableFuture::join);
    lock.lock();
    try {
      return failures.stream().sorted(Comparator.comparingLong(Verdict::seed)).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Starts a platform thread, as a seeded environment wants one. */
  private CompletableFuture<Void> start(String name) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Env.real().start(ThreadKind.DISK, name, () -> work(end));
    return end;
  }

  private void work(CompletableFuture<Void> end) {
    try {
      for (Optional<Long> seed = take(); seed.isPresent(); seed = take()) {
        hear(run(seed.get()));
      }
      end.complete(null);
    } catch (RuntimeException | Error e) {
      end.completeExceptionally(e);
    }
  }

  private Verdict run(long seed) {
    if (schedules.isEmpty()) {
      return Hunt.run(seed, plant, ScheduleListener.NONE);
    }
    try (ScheduleFile schedule = ScheduleFile.of(schedules.get(), seed)) {
      return Hunt.run(seed, plant, schedule);
    }
  }

  private Optional<Long> take() {
    lock.lock();
    try {
      boolean more = next < first + count && failures.size() < maxFailures;
      return more ? Optional.of(next++) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private void hear(Verdict verdict) {
    lock.lock();
    try {
      if (!verdict.isClean()) {
        failures.add(verdict);
      }
      listener.accept(verdict);
    } finally {
      lock.unlock();
    }
  }
}
