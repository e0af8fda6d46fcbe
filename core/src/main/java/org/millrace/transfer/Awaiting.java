package org.millrace.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Pending;

/** Waits for several requests. Holds no state. */
final class Awaiting {

  private Awaiting() {}

  /**
   * Waits for all, each in turn so that all go on, and fails if any failed; afterwards nobody
   * touches their payloads.
   */
  static void all(List<Pending> requests, Carrier carrier) throws IOException {
    List<Pending> pending = new ArrayList<>(requests);
    IOException failure = null;
    while (!pending.isEmpty()) {
      Iterator<Pending> each = pending.iterator();
      while (each.hasNext()) {
        Pending one = each.next();
        try {
          if (one.advance(carrier.deadline())) {
            each.remove();
          }
        } catch (IOException e) {
          each.remove();
          one.abandon();
          failure = joined(failure, e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static IOException joined(@Nullable IOException first, IOException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }
}
