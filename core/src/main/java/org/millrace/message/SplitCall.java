package org.millrace.message;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A request whose payload is larger than one message can carry. It is divided into several
 * requests, a few of which are in flight at a time. The thread that waits for it sends the next
 * parts, so that the payload may be memory that only that thread can access.
 *
 * <pre>
 *   payload   |done|done|sent|sent|....|....|        sent: the window
 * </pre>
 *
 * <p>Used by one thread at a time.
 */
final class SplitCall implements Pending {

  /** Starts the part from one byte to before another. */
  interface Parts {
    /** Null if nothing of it travels, unless it is sent {@code anyhow}. */
    @Nullable RemoteCall start(long from, long to, boolean anyhow);
  }

  // constant after construction
  private final Parts parts;
  private final long bytes;
  private final long partBytes;
  private final int maxUnderWay;

  // owned by the thread that uses it
  private final ArrayDeque<RemoteCall> window = new ArrayDeque<>();
  private long next;
  private boolean answered = true;
  private @Nullable Message last;
  private @Nullable MillraceException failure;

  SplitCall(Parts parts, long bytes, long partBytes, int maxUnderWay) {
    this.parts = parts;
    this.bytes = bytes;
    this.partBytes = partBytes;
    this.maxUnderWay = maxUnderWay;
    fill();
  }

  private void fill() {
    while (failure == null && next < bytes && window.size() < maxUnderWay) {
      long to = Math.min(bytes, next + partBytes);
      boolean isOnly = to == bytes && last == null && window.isEmpty();
      RemoteCall call = parts.start(next, to, isOnly);
      next = to;
      if (call != null) {
        window.add(call);
      }
    }
  }

  @Override
  public boolean isDone() {
    return window.isEmpty() && (next == bytes || failure != null);
  }

  @Override
  public boolean canAdvance() {
    RemoteCall oldest = window.peek();
    return oldest == null || oldest.isDone();
  }

  @Override
  public boolean advance(long deadlineNanos) throws IOException {
    RemoteCall oldest = window.peek();
    if (oldest != null) {
      try {
        last = oldest.await(deadlineNanos);
        window.remove();
        fill();
      } catch (DeadlineException e) {
        throw e; // it goes on
      } catch (MillraceException e) {
        failure = e;
        abandon();
      }
    }
    MillraceException told = failure;
    if (told != null) {
      throw told.again();
    }
    return isDone();
  }

  @Override
  public Message await(long deadlineNanos) throws IOException {
    while (!advance(deadlineNanos)) {
      // one part after the other
    }
    return Objects.requireNonNull(last, "at least one part was sent");
  }

  @Override
  public void abandon() {
    for (RemoteCall one : window) {
      answered &= one.isAnswered();
      one.abandon();
    }
    window.clear();
    if (failure == null && next < bytes) {
      failure = MillraceException.of(ErrorCode.CLOSED, "the request was abandoned");
    }
  }

  @Override
  public boolean isAnswered() {
    boolean all = answered;
    for (RemoteCall one : window) {
      all &= one.isAnswered();
    }
    return all;
  }
}
