package org.millrace.sim.hunt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * Many seeds, several at a time. It ends early when enough of them have failed.
 *
 * <p>{@link #run} belongs to one thread. For one use.
 */
public final class Campaign {

  /**
   * So many seeds run one after the other before others run beside them. They load most classes:
   * two worlds that load the same one at the same time may disturb each other's course.
   */
  private static final int ALONE = 8;

  // constant after construction
  private final long first;
  private final long count;
  private final Optional<Plant> plant;
  private final int mostFailures;
  private final Consumer<Verdict> listener;
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
   * @param mostFailures after how many that failed it ends: more are more of the same
   * @param listener told of each seed's end, one at a time
   */
  public Campaign(
      long first, long count, Optional<Plant> plant, int mostFailures, Consumer<Verdict> listener) {
    this.first = first;
    this.count = count;
    this.plant = plant;
    this.mostFailures = mostFailures;
    this.listener = listener;
    this.next = first;
  }

  /** Runs all seeds, {@code workers} at a time; returns those that failed, by seed. */
  public List<Verdict> run(int workers) {
    start("hunt alone", ALONE).join();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      ends.add(start("hunt " + i, Long.MAX_VALUE));
    }
    ends.forEach(CompletableFuture::join);
    lock.lock();
    try {
      return failures.stream().sorted(Comparator.comparingLong(Verdict::seed)).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Starts a platform thread, as a seeded environment wants one, for so many seeds at most. */
  private CompletableFuture<Void> start(String name, long most) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Env.real().start(ThreadKind.DISK, name, () -> work(most, end));
    return end;
  }

  private void work(long most, CompletableFuture<Void> end) {
    try {
      for (long i = 0; i < most; i++) {
        Optional<Long> seed = take();
        if (seed.isEmpty()) {
          break;
        }
        long mine = seed.get();
        Verdict verdict = plant.map(bug -> Hunt.run(mine, bug)).orElseGet(() -> Hunt.run(mine));
        hear(verdict);
      }
      end.complete(null);
    } catch (RuntimeException | Error e) {
      end.completeExceptionally(e);
    }
  }

  private Optional<Long> take() {
    lock.lock();
    try {
      boolean more = next < first + count && failures.size() < mostFailures;
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
