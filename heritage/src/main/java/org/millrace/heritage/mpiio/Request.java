package org.millrace.heritage.mpiio;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A nonblocking access under way. Its memory belongs to it until it is complete. Asking again after
 * it is complete gives the same answer (MPI's request would be null by then).
 *
 * <p>Safe for use by several threads. Needs no closing: closing the file waits for it.
 */
public final class Request {

  private final CompletableFuture<Long> moved;

  Request(CompletableFuture<Long> moved) {
    this.moved = moved;
  }

  /** MPI_Wait: waits until the access is complete, and throws what went wrong. */
  public Status waitStatus() throws MpiFileException {
    try {
      return new Status(moved.join()); // ends: every operation has a deadline of its own
    } catch (CompletionException e) {
      throw MpiFileException.of(e.getCause() == null ? e : e.getCause());
    }
  }

  /** MPI_Test: the status if the access is complete, else nothing. */
  public Optional<Status> testStatus() throws MpiFileException {
    return moved.isDone() ? Optional.of(waitStatus()) : Optional.empty();
  }

  /** Whether it is complete, well or not. */
  public boolean test() {
    return moved.isDone();
  }

  /** MPI_Waitall: waits for all and throws the first thing that went wrong. */
  public static Status[] waitAllStatus(Request... requests) throws MpiFileException {
    Status[] all = new Status[requests.length];
    MpiFileException wrong = null;
    for (int i = 0; i < all.length; i++) {
      try {
        all[i] = requests[i].waitStatus();
      } catch (MpiFileException e) {
        if (wrong == null) {
          wrong = e;
        } else if (wrong != e) {
          wrong.addSuppressed(e);
        }
      }
    }
    if (wrong != null) {
      throw wrong;
    }
    return all;
  }
}
