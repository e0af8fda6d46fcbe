package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * All runs of the experiment, several at a time, each in an environment of its own, so that their
 * outcomes do not depend on how many there are.
 *
 * <p>Used by one thread.
 */
public final class Study {

  /** Hears of outcomes; called by one thread at a time. */
  public interface Listener {
    /** One more run has ended. */
    void ended(Outcome outcome);
  }

  private record Run(Hardware hardware, AccessPattern pattern, FileSystem system) {}

  // constant after construction
  private final long seed;
  private final List<Run> runs = new ArrayList<>();

  /**
   * A study.
   *
   * @param quick only the four patterns that stand for all, and only table 1's machine
   * @param seed of every run
   */
  public Study(boolean quick, long seed) {
    this.seed = seed;
    add(Hardware.TABLE_1, quick ? AccessPattern.representative() : AccessPattern.all());
    if (!quick) {
      Hardware.today().forEach(each -> add(each, AccessPattern.representative()));
    }
  }

  private void add(Hardware hardware, List<AccessPattern> patterns) {
    for (AccessPattern pattern : patterns) {
      for (FileSystem system : FileSystem.values()) {
        runs.add(new Run(hardware, pattern, system));
      }
    }
  }

  /** How many runs there are. */
  public int runs() {
    return runs.size();
  }

  /** Does all, {@code workers} at a time; returns the outcomes in the order of the runs. */
  public List<Outcome> run(int workers, Listener listener) {
    Crew crew = new Crew(listener);
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < Math.min(workers, runs.size()); i++) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      // a platform thread, as a seeded environment wants one
      Env.real().start(ThreadKind.DISK, "study " + i, () -> crew.work(end));
    }
    try {
      ends.forEach(CompletableFuture::join);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
    return crew.outcomes();
  }

  /** What the workers share. Safe for use by several threads. */
  private final class Crew {

    private final Listener listener;
    private final AtomicBoolean failed = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();

    // guarded by lock
    private final @Nullable Outcome[] outcomes = new Outcome[runs.size()];
    private int next;

    Crew(Listener listener) {
      this.listener = listener;
    }

    void work(CompletableFuture<Void> end) {
      try {
        for (int i = take(); i < runs.size(); i = take()) {
          Run run = runs.get(i);
          give(i, Experiment.run(run.hardware, run.pattern, run.system, seed));
        }
        end.complete(null);
      } catch (RuntimeException | Error e) {
        failed.set(true); // the others need not go on
        end.completeExceptionally(e);
      }
    }

    private int take() {
      lock.lock();
      try {
        return failed.get() ? runs.size() : next++;
      } finally {
        lock.unlock();
      }
    }

    private void give(int index, Outcome outcome) {
      lock.lock();
      try {
        outcomes[index] = outcome;
        listener.ended(outcome);
      } finally {
        lock.unlock();
      }
    }

    List<Outcome> outcomes() {
      lock.lock();
      try {
        List<Outcome> all = new ArrayList<>();
        for (Outcome one : outcomes) {
          if (one != null) {
            all.add(one);
          }
        }
        return all;
      } finally {
        lock.unlock();
      }
    }
  }
}
