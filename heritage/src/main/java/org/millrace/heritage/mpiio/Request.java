package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.Rank;

/**
 * A nonblocking access under way. Its memory belongs to it until it is complete. A request is
 * active until a wait or a successful test has told that it is complete; calls for several requests
 * pass over those that are not. Asking a single one again gives the same answer.
 *
 * <p>Belongs to the rank's thread. Closing waits for the access; closing the file does, too.
 */
public final class Request implements AutoCloseable {

  private static final Status NOTHING = new Status(0);

  // constant after construction
  private final Rank rank;
  private final FileErrors errors;
  private final CompletableFuture<Long> ended;
  private final boolean collective;

  // the rank's thread
  private boolean active = true;

  Request(Rank rank, FileErrors errors, CompletableFuture<Long> ended, boolean collective) {
    this.rank = rank;
    this.errors = errors;
    this.ended = ended;
    this.collective = collective;
  }

  /**
   * A request of several that is complete.
   *
   * @param index its place among the requests that were given, or {@link Status#UNDEFINED} if none
   *     of them was active
   * @param request the request itself; empty if none was active
   */
  public record Completion(int index, Optional<Request> request) {

    /** What it did; throws what went wrong. */
    public Status status() throws MpiFileException {
      return request.isPresent() ? request.get().waitStatus() : NOTHING;
    }
  }

  /** MPI_Wait: waits until the access is complete, and throws what went wrong. */
  public Status waitStatus() throws MpiFileException {
    return errors.call(this::result);
  }

  private Status result() throws IOException {
    try {
      return new Status(rank.await(ended));
    } finally {
      active = false;
    }
  }

  /** MPI_Test: the status if the access is complete, else nothing. */
  public Optional<Status> testStatus() throws MpiFileException {
    return ended.isDone() ? Optional.of(waitStatus()) : Optional.empty();
  }

  /**
   * Whether it is complete, well or not (MPI_Request_get_status): the request stays as it is, and
   * tells its status later.
   */
  public boolean test() {
    return ended.isDone();
  }

  /** Whether a wait or test has told that it is complete (MPI's request would be null by then). */
  public boolean isNull() {
    return !active;
  }

  /**
   * MPI_Cancel: asks for the access to be cancelled. Accesses begin at once and are not cut in two,
   * so it completes as if nobody had asked; it must be waited for. A collective one cannot be
   * cancelled.
   */
  public void cancel() throws MpiFileException {
    if (collective) {
      throw errors.raise(
          new MpiFileException(
              ErrorClass.REQUEST, "a collective access cannot be cancelled by one rank"));
    }
  }

  /** MPI_Request_free; waits for the access, unless that was done, and throws what went wrong. */
  @Override
  public void close() throws MpiFileException {
    if (active) {
      waitStatus();
    }
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

  /** MPI_Testall: all statuses if all are complete, else nothing, and all stay as they are. */
  public static Optional<Status[]> testAllStatus(Request... requests) throws MpiFileException {
    for (Request one : requests) {
      if (!one.test()) {
        return Optional.empty();
      }
    }
    return Optional.of(waitAllStatus(requests));
  }

  /** MPI_Waitany: waits until one of the active requests is complete. */
  public static Completion waitAny(Request... requests) throws MpiFileException {
    awaitOne(requests);
    return testAny(requests).orElseThrow();
  }

  /** MPI_Testany: one of the active requests that is complete, if one is. */
  public static Optional<Completion> testAny(Request... requests) {
    boolean any = false;
    for (int i = 0; i < requests.length; i++) {
      Request one = requests[i];
      if (one.active && one.test()) {
        return Optional.of(one.told(i));
      }
      any |= one.active;
    }
    return any ? Optional.empty() : Optional.of(new Completion(Status.UNDEFINED, Optional.empty()));
  }

  /**
   * MPI_Waitsome: waits until some of the active requests are complete, and returns all that are;
   * none if no request was active.
   */
  public static List<Completion> waitSome(Request... requests) throws MpiFileException {
    awaitOne(requests);
    return testSome(requests);
  }

  /** MPI_Testsome: all active requests that are complete. */
  public static List<Completion> testSome(Request... requests) {
    List<Completion> some = new ArrayList<>();
    for (int i = 0; i < requests.length; i++) {
      if (requests[i].active && requests[i].test()) {
        some.add(requests[i].told(i));
      }
    }
    return some;
  }

  private Completion told(int index) {
    active = false;
    return new Completion(index, Optional.of(this));
  }

  /** Waits until one that is active is complete, well or not. */
  private static void awaitOne(Request... requests) throws MpiFileException {
    CompletableFuture<Long> first = new CompletableFuture<>();
    Request waiting = null;
    for (Request one : requests) {
      if (one.active) {
        waiting = one;
        var _ = one.ended.whenComplete((_, _) -> first.complete(0L));
      }
    }
    if (waiting != null) {
      Request by = waiting;
      by.errors.call(() -> by.rank.await(first));
    }
  }
}
