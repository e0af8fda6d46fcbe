package org.millrace.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Pending;

/** Waits for several requests. Holds no state. */
final class AwaitAll {

  private AwaitAll() {}

  /**
   * Waits for all, and fails if any failed; afterwards nobody touches their payloads. All go on:
   * each in turn, but where one can go on without waiting and the next in turn cannot, that one
   * does.
   */
  static void all(List<Pending> requests, LongSupplier deadlineNanos) throws IOException {
    List<Pending> pending = new ArrayList<>(requests);
    IOException failure = null;
    int turn = 0;
    while (!pending.isEmpty()) {
      int at = next(pending, turn % pending.size());
      Pending one = pending.get(at);
      turn = at + 1;
      try {
        if (one.advance(deadlineNanos.getAsLong())) {
          pending.remove(at);
          turn = at;
        }
      } catch (IOException e) {
        pending.remove(at);
        turn = at;
        one.abandon();
        failure = joined(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** The first from {@code turn} on that need not wait; that one if all must. */
  private static int next(List<Pending> pending, int turn) {
    for (int i = 0; i < pending.size(); i++) {
      int at = (turn + i) % pending.size();
      if (pending.get(at).canAdvance()) {
        return at;
      }
    }
    return turn;
  }

  private static IOException joined(@Nullable IOException first, IOException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }
}
