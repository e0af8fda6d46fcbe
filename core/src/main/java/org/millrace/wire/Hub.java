package org.millrace.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * A thread that watches wires and lets whoever owns them work when there is something to do. Owners
 * never wait on it, so no wire holds up another for long.
 *
 * <p>Safe for use by several threads. Closing ends the thread; the wires stay their owners'.
 */
public final class Hub implements AutoCloseable {

  /** Owns a wire. Called by the hub's thread, one call at a time. */
  public interface Watcher {

    /** Bytes may be there, or room to write, or the other end has closed. */
    void onReady();

    /** Some time has passed, at most a second since the last call. */
    void onTick();
  }

  /** How often {@link Watcher#onTick} is called, in milliseconds. */
  private static final long TICK_MILLIS = 100;

  // constant after construction
  private final Env env;
  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  private volatile boolean closed;

  /** A hub with a thread of its own. */
  public Hub(Env env, String name) {
    this.env = env;
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("no selector to be had", e);
    }
    env.start(ThreadKind.CONNECTION, name, this::run);
  }

  /** Watches a channel from now on; what it reports goes to {@code watcher}. */
  Watch watch(SocketChannel channel, Watcher watcher) {
    Watch watch = new Watch(channel, watcher);
    submit(
        () -> {
          try {
            watch.key = channel.register(selector, SelectionKey.OP_READ, watch);
            watcher.onReady(); // what came before it was registered
          } catch (IOException | CancelledKeyException e) {
            watcher.onReady(); // closed meanwhile: its reader will notice
          }
        });
    return watch;
  }

  /** Has the hub's thread run something soon. */
  public void submit(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  /** A watched channel. */
  final class Watch {
    private final SocketChannel channel;
    private final Watcher watcher;
    private volatile SelectionKey key;

    private Watch(SocketChannel channel, Watcher watcher) {
      this.channel = channel;
      this.watcher = watcher;
    }

    /** Reports once when there is room to write. */
    void wantRoom() {
      submit(
          () -> {
            SelectionKey now = key;
            if (now != null && now.isValid()) {
              now.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
          });
    }

    void close() {
      try {
        channel.close();
      } catch (IOException e) {
        // what was not sent is lost either way
      }
      submit(watcher::onReady);
    }
  }

  private void run() {
    long nextTick = env.nanoTime();
    try {
      while (!closed) {
        selector.select(TICK_MILLIS);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          task.run();
        }
        for (SelectionKey key : selector.selectedKeys()) {
          serve(key);
        }
        selector.selectedKeys().clear();
        if (env.nanoTime() - nextTick >= 0) {
          nextTick = env.nanoTime() + TICK_MILLIS * 1_000_000;
          for (SelectionKey key : selector.keys()) {
            ((Watch) key.attachment()).watcher.onTick();
          }
        }
      }
      selector.close();
    } catch (IOException | ClosedSelectorException e) {
      throw new IllegalStateException("the hub's selector failed", e);
    }
  }

  private static void serve(SelectionKey key) {
    Watch watch = (Watch) key.attachment();
    try {
      if (key.isWritable()) {
        key.interestOps(SelectionKey.OP_READ);
      }
    } catch (CancelledKeyException e) {
      // closed meanwhile: its reader will notice
    }
    watch.watcher.onReady();
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }
}
