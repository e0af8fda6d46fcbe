package org.millrace.client;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.millrace.access.View;
import org.millrace.client.FilePointer.Place;
import org.millrace.client.FilePointer.Range;
import org.millrace.env.Env;

/**
 * A rank's asynchronous accesses of one file at a pointer that are not over, in order of issue.
 * They are what a rank must know of itself before the nodes know it: where its writes will end, and
 * which of its accesses touch the same bytes, so that these happen in the order in which the rank
 * made them. Accesses that touch different bytes never wait for each other.
 *
 * <p>The rank's thread begins accesses; those of the operations carry them out. Safe for use by
 * several threads.
 */
final class UnfinishedAccesses {

  private static final Range NOWHERE = new Range(0, 0);

  /** One access. Its futures are completed by the operation's thread, and never fail. */
  final class Unfinished {

    private final boolean write;
    private final View view;
    private final Place taken;
    private final CompletableFuture<Range> place = new CompletableFuture<>();
    private final CompletableFuture<Long> over = new CompletableFuture<>();

    private Unfinished(boolean write, View view, Place taken) {
      this.write = write;
      this.view = view;
      this.taken = taken;
      if (taken instanceof Range known) {
        place.complete(known);
      }
    }

    /**
     * Carries it out when its place is known and all that the rank began before has left it: {@code
     * body} gets that place.
     */
    long run(Body body) throws IOException {
      try {
        Range range = taken.range();
        place.complete(range);
        rank.session().operations().wake();
        awaitEarlier(this, range);
        return body.run(range);
      } finally {
        all.remove(this); // what it wrote is the nodes' to tell by now
        place.complete(NOWHERE);
        over.complete(0L);
        rank.session().operations().wake();
      }
    }

    private boolean touches(boolean others, View seen, Range range) {
      if (!write && !others) {
        return false;
      }
      Range own = place.join();
      if (own.count() == 0 || range.count() == 0) {
        return false;
      }
      return !view.equals(seen)
          || own.start() < range.start() + range.count()
              && range.start() < own.start() + own.count();
    }
  }

  /** Moves the bytes of an access. */
  interface Body {
    long run(Range range) throws IOException;
  }

  // constant after construction
  private final Rank rank;
  private final Queue<Unfinished> all = new ConcurrentLinkedQueue<>();

  UnfinishedAccesses(Rank rank) {
    this.rank = rank;
  }

  /** Begins an access that has taken its place, or comes to it when all ranks have arrived. */
  Unfinished begin(boolean write, View view, Place taken) {
    Unfinished one = new Unfinished(write, view, taken);
    all.add(one);
    return one;
  }

  /** Whether there are any. */
  boolean areSome() {
    return !all.isEmpty();
  }

  /**
   * Where the rank's writes end that are not over, by places that are known; 0 if there are none.
   */
  long end(View view) {
    long end = 0;
    for (Unfinished one : all) {
      if (one.write && one.place.isDone() && one.view.equals(view)) {
        Range range = one.place.join();
        if (range.count() > 0) { // else it makes nothing longer
          end = Math.max(end, range.start() + range.count());
        }
      }
    }
    return end;
  }

  /** Waits on the rank's thread until the places of all are known, or will never be. */
  void awaitPlaces() throws IOException {
    for (Unfinished one : all) {
      if (!one.place.isDone()) {
        rank.await(one.place.thenApply(_ -> 0L));
      }
    }
  }

  /** Waits on the rank's thread for all that touch what it is about to read or write. */
  void awaitConflicting(boolean write, View view, Range range) throws IOException {
    for (Unfinished one : all) {
      if (write || one.write) {
        rank.await(one.place.thenApply(_ -> 0L));
        if (one.touches(write, view, range)) {
          rank.await(one.over);
        }
      }
    }
  }

  private void awaitEarlier(Unfinished own, Range range) {
    for (Unfinished one : all) {
      if (one == own) {
        return;
      }
      if (own.write || one.write) {
        awaitDone(one.place);
        if (one.touches(own.write, own.view, range)) {
          awaitDone(one.over);
        }
      }
    }
  }

  /** On an operation's thread: it waits for one that may itself wait for other ranks. */
  private void awaitDone(CompletableFuture<?> future) {
    if (future.isDone()) {
      return;
    }
    Operations operations = rank.session().operations();
    operations.beginMeeting();
    try {
      operations.awaitDone(future, Env.NEVER); // ends: every operation has a deadline of its own
    } finally {
      operations.endMeeting();
    }
  }
}
