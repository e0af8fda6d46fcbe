package org.millrace.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/** An {@link EventLoop} over a selector of sockets; it also watches shared memory. */
final class SelectorLoop implements EventLoop {

  /** How often {@link Watcher#onTick} is called, in milliseconds. */
  private static final long TICK_MILLIS = 100;

  private static final int LOOK_AT_SOCKETS = 64;

  // constant after construction
  private final Env env;
  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  // owned by the event loop's thread
  private final List<Watcher> polled = new ArrayList<>();
  private final Spin spin;
  private int turns;

  private volatile @Nullable Thread thread;
  private volatile boolean closed;

  /** An event loop with a thread of its own. */
  SelectorLoop(Env env, String name) {
    this.env = env;
    this.spin = new Spin(env);
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("no selector to be had", e);
    }
    env.start(ThreadKind.CONNECTION, name, this::run);
  }

  /** Watches a channel from now on; the event loop must be one of sockets. */
  static Watch watch(EventLoop loop, SocketChannel channel, Watcher watcher) {
    if (loop instanceof SelectorLoop selecting) {
      return selecting.watch(channel, watcher);
    }
    throw new IllegalArgumentException("a socket needs an event loop of sockets, not " + loop);
  }

  private Watch watch(SocketChannel channel, Watcher watcher) {
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

  @Override
  public void poll(Watcher watcher) {
    submit(() -> polled.add(watcher));
  }

  @Override
  public void unpoll(Watcher watcher) {
    submit(() -> polled.remove(watcher));
  }

  @Override
  public void submit(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  /** A watched channel. */
  final class Watch {
    private final SocketChannel channel;
    private final Watcher watcher;
    private volatile @Nullable SelectionKey key;

    /** Whether bytes are not looked for, because a thread waits for them itself. */
    private volatile boolean parked;

    private Watch(SocketChannel channel, Watcher watcher) {
      this.channel = channel;
      this.watcher = watcher;
    }

    /** Reports once when there is room to write. */
    void wantRoom() {
      if (Thread.currentThread() == thread) {
        watchForRoom(); // its next look at the sockets handles it: no thread need be woken
      } else {
        submit(this::watchForRoom);
      }
    }

    private void watchForRoom() {
      SelectionKey now = key;
      if (now != null && now.isValid()) {
        now.interestOpsOr(SelectionKey.OP_WRITE);
      }
    }

    /** Looks for bytes again if that has ended. */
    void resume() {
      if (parked && !watcher.isHelped()) {
        submit(this::unpark);
      }
    }

    /** Leaves bytes to the thread that waits for them. Both look at the other after they act. */
    private void park(SelectionKey now) {
      parked = true;
      now.interestOpsAnd(~SelectionKey.OP_READ);
      unpark();
    }

    private void unpark() {
      SelectionKey now = key;
      if (parked && !watcher.isHelped() && now != null && now.isValid()) {
        parked = false;
        now.interestOpsOr(SelectionKey.OP_READ);
      }
    }

    private void tick() {
      unpark(); // the thread that waited last had nothing to wait for any more
      watcher.onTick();
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
    thread = Thread.currentThread();
    long nextTick = env.nanoTime();
    try {
      while (!closed) {
        if (!pollAll()) {
          await();
        }
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
          guarded(task);
        }
        for (SelectionKey key : selector.selectedKeys()) {
          guarded(() -> serve(key));
        }
        selector.selectedKeys().clear();
        if (env.nanoTime() - nextTick >= 0) {
          nextTick = env.nanoTime() + TICK_MILLIS * 1_000_000;
          for (SelectionKey key : selector.keys()) {
            guarded(((Watch) key.attachment())::tick);
          }
        }
      }
      selector.close();
    } catch (IOException | ClosedSelectorException e) {
      throw new IllegalStateException("the event loop's selector failed", e);
    }
  }

  /** Whatever one wire's owner does wrong, the others' go on. */
  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      Thread me = Thread.currentThread();
      me.getUncaughtExceptionHandler().uncaughtException(me, e);
    }
  }

  /** Serves work that no socket reports, and polls the sockets now and then. */
  private boolean pollAll() throws IOException {
    boolean served = false;
    for (int i = 0; i < polled.size(); i++) {
      Watcher one = polled.get(i);
      if (one.isReady()) {
        guarded(one::onReady);
        served = true;
      }
    }
    if (served && ++turns % LOOK_AT_SOCKETS == 0) {
      selector.selectNow();
    }
    return served;
  }

  /** Waits until there is something to do. */
  private void await() throws IOException {
    if (polled.isEmpty()) {
      selector.select(TICK_MILLIS);
      return;
    }
    if (spin.await(this::isAnyReady)) {
      return;
    }
    boolean asleep = true;
    for (Watcher one : polled) {
      asleep &= one.onSleep();
    }
    if (asleep) {
      selector.select(TICK_MILLIS);
    } else {
      selector.selectNow();
    }
    spin.woke();
    for (Watcher one : polled) {
      one.onWake();
    }
  }

  private boolean isAnyReady() {
    if (!tasks.isEmpty()) {
      return true;
    }
    for (int i = 0; i < polled.size(); i++) {
      if (polled.get(i).isReady()) {
        return true;
      }
    }
    return false;
  }

  private static void serve(SelectionKey key) {
    Watch watch = (Watch) key.attachment();
    try {
      if (key.isWritable()) {
        key.interestOpsAnd(~SelectionKey.OP_WRITE);
      }
      if (key.isReadable() && watch.watcher.isHelped()) {
        watch.park(key);
      }
    } catch (CancelledKeyException e) {
      // closed meanwhile: its reader will notice
    }
    watch.watcher.onBell();
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }
}
