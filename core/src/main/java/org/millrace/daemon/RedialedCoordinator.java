package org.millrace.daemon;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.Dialer;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.transfer.BrokenLink;

/**
 * A link to whichever coordinator there is, for a node that asks about copies: when one was
 * restarted, or has given the session up, it connects again and repeats the call. What is asked
 * carries epochs, so that a change which was made already is refused the second time.
 *
 * <p>Safe for use by several threads.
 */
final class RedialedCoordinator implements Link {

  private static final long PAUSE_NANOS = 100_000_000L;

  // constant after construction
  private final Env env;
  private final Dialer dialer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // guarded by lock
  private @Nullable Link link;
  private boolean closed;

  RedialedCoordinator(Env env, Dialer dialer) {
    this.env = env;
    this.dialer = dialer;
    this.changed = env.signal(lock);
  }

  private Link live() {
    lock.lock();
    try {
      Link known = link;
      if (closed) {
        return new BrokenLink(new MillraceException(ErrorCode.CLOSED, "the node is closed"));
      }
      if (known == null || known.isBroken()) {
        if (known != null) {
          known.close();
        }
        known = dialer.coordinatorOfNode();
        link = known;
      }
      return known;
    } catch (IOException e) {
      return new BrokenLink(MillraceException.wrap(ErrorCode.NODE, e));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Message call(Message request, MemorySegment payload, long deadlineNanos)
      throws IOException {
    while (true) {
      Link now = live();
      try {
        return now.call(request, payload, deadlineNanos);
      } catch (MillraceException e) {
        if (!now.isBroken() || isClosed() || env.nanoTime() + PAUSE_NANOS >= deadlineNanos) {
          throw e;
        }
        pause();
      }
    }
  }

  private void pause() {
    lock.lock();
    try {
      if (!closed) {
        changed.await(env.deadlineAfter(PAUSE_NANOS));
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Pending start(Message request, Payload payload) {
    return live().start(request, payload);
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    return live().get(key, offset, into, at, length, timeoutNanos);
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    live().put(key, offset, source, at, length, timeoutNanos);
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    return live().advance(key, delta, floor, limit, timeoutNanos);
  }

  @Override
  public void hint(long key, long offset, long length) {}

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      if (link != null) {
        link.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
