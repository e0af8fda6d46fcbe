package org.millrace.wire;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets a thread wait for one socket itself, in addition to the event loop that watches it.
 *
 * <p>One thread waits at a time. Closing is done by any thread, wakes the one that waits, and must
 * come with that of the socket: the system keeps a socket that a selector knows.
 */
final class SocketWait implements AutoCloseable {

  private final SocketChannel channel;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private @Nullable Selector selector;
  private boolean closed;

  // owned by the thread that waits
  private @Nullable SelectionKey key;

  SocketWait(SocketChannel channel) {
    this.channel = channel;
  }

  void await(boolean forRoom, long nanos) throws IOException {
    Selector own = selector();
    if (own == null) {
      return;
    }
    int wanted = SelectionKey.OP_READ | (forRoom ? SelectionKey.OP_WRITE : 0);
    try {
      SelectionKey known = key;
      if (known == null) {
        key = channel.register(own, wanted);
      } else {
        known.interestOps(wanted);
      }
      own.select(Math.max(1, nanos / 1_000_000));
      own.selectedKeys().clear();
    } catch (CancelledKeyException | ClosedChannelException | ClosedSelectorException e) {
      // closed meanwhile: its reader will notice
    }
  }

  private @Nullable Selector selector() throws IOException {
    lock.lock();
    try {
      if (selector == null && !closed) {
        selector = Selector.open();
      }
      return closed ? null : selector;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    Selector last;
    lock.lock();
    try {
      closed = true;
      last = selector;
      selector = null;
    } finally {
      lock.unlock();
    }
    try {
      if (last != null) {
        last.close();
      }
    } catch (IOException e) {
      // no thread waits on it any more
    }
  }
}
