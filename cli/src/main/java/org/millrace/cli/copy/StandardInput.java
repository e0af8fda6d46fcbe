package org.millrace.cli.copy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * Standard input, whose reader need not wait for it: Java cannot interrupt a thread that waits for
 * a terminal or a pipe, so another thread does that, and what it read last is handed over here.
 *
 * <p>Used by one thread. Closing does not close standard input; a thread that waits for it is left
 * behind, and ends with the input or with the JVM.
 */
final class StandardInput implements ReadableByteChannel {

  /** Says whether to go on. */
  interface Check {
    /** Fails if not. */
    void goesOn() throws IOException;
  }

  private static final int BUFFER_BYTES = 256 << 10;
  private static final long LOOK_NANOS = 100_000_000;

  // constant after construction
  private final Env env;
  private final InputStream in;
  private final Check check;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  /** Read, and not yet taken. */
  @GuardedBy("lock")
  private @Nullable ByteBuffer ready;

  @GuardedBy("lock")
  private @Nullable IOException failure;

  @GuardedBy("lock")
  private boolean ended;

  @GuardedBy("lock")
  private boolean closed;

  StandardInput(Env env, InputStream in, Check check) {
    this.env = env;
    this.in = in;
    this.check = check;
    this.changed = env.signal(lock);
    env.start(ThreadKind.SERVICE, "standard input", this::readAll);
  }

  private void readAll() {
    byte[][] buffers = new byte[2][BUFFER_BYTES]; // one is filled while the other is taken
    for (int turn = 0; ; turn = 1 - turn) {
      int count = -1;
      IOException failed = null;
      try {
        count = in.read(buffers[turn]);
      } catch (IOException e) {
        failed = e;
      }
      if (!hand(count < 0 ? null : ByteBuffer.wrap(buffers[turn], 0, count), failed)) {
        return;
      }
    }
  }

  /** Waits until the bytes before were taken; false if nothing more is wanted or to come. */
  private boolean hand(@Nullable ByteBuffer bytes, @Nullable IOException failed) {
    lock.lock();
    try {
      while (ready != null && !closed) {
        boolean _ = changed.await(env.deadlineAfter(LOOK_NANOS));
      }
      ready = bytes;
      failure = failed;
      ended = bytes == null;
      changed.signalAll();
      return !ended && !closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    lock.lock();
    try {
      while (ready == null && !ended) {
        check.goesOn();
        boolean _ = changed.await(env.deadlineAfter(LOOK_NANOS));
      }
      ByteBuffer from = ready;
      if (from == null) {
        if (failure != null) {
          throw failure;
        }
        return -1;
      }
      int count = Math.min(into.remaining(), from.remaining());
      into.put(from.slice().limit(count));
      from.position(from.position() + count);
      if (!from.hasRemaining()) {
        ready = null;
        changed.signalAll();
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isOpen() {
    lock.lock();
    try {
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
