package org.millrace.sim.hunt;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.wire.Hub;

/**
 * A {@link Hub} of a {@link SimNet}: its thread waits in virtual time for bytes to arrive. As {@link
 * Hub} says; guarded by the net's lock, which is not held while owners work.
 */
final class SimHub implements Hub {

  private static final long TICK_NANOS = 250_000_000L;

  // constant after construction
  private final SimNet net;
  private final Env env;
  private final Signal changed;

  // guarded by the net's lock
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final List<SimWire> wires = new ArrayList<>();
  private long nextTick;
  private boolean closed;

  SimHub(SimNet net, Env env, String name) {
    this.net = net;
    this.env = env;
    this.changed = env.signal(net.lock);
    this.nextTick = env.nanoTime();
    env.start(ThreadKind.CONNECTION, name, this::run);
  }

  /** Called with the lock. */
  void watch(SimWire wire) {
    wires.add(wire);
    wake();
  }

  /** Called with the lock. */
  void wake() {
    changed.signal();
  }

  @Override
  public void poll(Watcher watcher) {
    throw new UnsupportedOperationException("simulated processes share no memory");
  }

  @Override
  public void unpoll(Watcher watcher) {}

  @Override
  public void submit(Runnable task) {
    net.lock.lock();
    try {
      tasks.add(task);
      wake();
    } finally {
      net.lock.unlock();
    }
  }

  private void run() {
    while (true) {
      List<Runnable> work = new ArrayList<>();
      net.lock.lock();
      try {
        while (!closed && !collect(work)) {
          changed.await(nextDue());
        }
        if (closed) {
          return;
        }
      } finally {
        net.lock.unlock();
      }
      work.forEach(Runnable::run);
    }
  }

  /** What is to be done now. Called with the lock. */
  private boolean collect(List<Runnable> work) {
    work.addAll(tasks);
    tasks.clear();
    long now = env.nanoTime();
    for (SimWire wire : wires) {
      if (wire.dueNanos() <= now) {
        wire.looks();
        work.add(wire.watcher()::onReady);
      }
    }
    if (now >= nextTick) {
      nextTick = now + TICK_NANOS;
      wires.forEach(wire -> work.add(wire.watcher()::onTick));
      wires.removeIf(SimWire::isOver);
    }
    return !work.isEmpty();
  }

  private long nextDue() {
    long due = wires.isEmpty() ? Env.NEVER : nextTick;
    for (SimWire wire : wires) {
      due = Math.min(due, wire.dueNanos());
    }
    return due;
  }

  @Override
  public void close() {
    net.lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      net.lock.unlock();
    }
  }
}
