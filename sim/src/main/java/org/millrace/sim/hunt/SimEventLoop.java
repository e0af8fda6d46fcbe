package org.millrace.sim.hunt;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.wire.EventLoop;

/**
 * A {@link EventLoop} of a {@link SimNet}: its thread waits in virtual time for bytes to arrive. As
 * {@link EventLoop} says; touched as the net says.
 */
final class SimEventLoop implements EventLoop {

  private static final long TICK_NANOS = 250_000_000L;

  // constant after construction
  private final Env env;
  private final WaitPoint changed;

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final List<SimWire> wires = new ArrayList<>();
  private long nextTick;
  private boolean closed;

  SimEventLoop(Env env, String name) {
    this.env = env;
    this.changed = new WaitPoint(env);
    this.nextTick = env.nanoTime();
    env.start(ThreadKind.CONNECTION, name, this::run);
  }

  void watch(SimWire wire) {
    wires.add(wire);
    wake();
  }

  void wake() {
    changed.ring();
  }

  @Override
  public void poll(Watcher watcher) {
    throw new UnsupportedOperationException("simulated processes share no memory");
  }

  @Override
  public void unpoll(Watcher watcher) {}

  @Override
  public void submit(Runnable task) {
    tasks.add(task);
    wake();
  }

  private void run() {
    while (true) {
      List<Runnable> work = new ArrayList<>();
      while (!closed && !collect(work)) {
        changed.await(nextDue());
      }
      if (closed) {
        return;
      }
      work.forEach(Runnable::run);
    }
  }

  /** What is to be done now. */
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
    closed = true;
    changed.ring();
  }
}
