package org.millrace.sim.hunt;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;

/**
 * The environment of one simulated process: the time and scheduler of the world, its own random
 * numbers, and threads that can be ended all at once, as by {@code kill -9}.
 *
 * <p>For threads of the world's environment.
 */
class ProcessEnv implements Env {

  // constant after construction
  private final SeededEnv world;
  private final String name;

  // touched by one thread at a time: the world's scheduler runs no two
  private final List<Thread> threads = new ArrayList<>();
  private final List<Arena> arenas = new ArrayList<>();
  private boolean killed;
  private long stallNanos;

  /**
   * An environment.
   *
   * @param name no other process has had, so that its chance is no other's
   */
  ProcessEnv(SeededEnv world, String name) {
    this.world = world;
    this.name = name;
  }

  String name() {
    return name;
  }

  /**
   * None of its threads ever runs again, and its memory is given back. Called by a thread of
   * another process.
   */
  void kill() {
    killed = true;
    world.abandon(threads);
    threads.clear();
    forgetClosed();
    arenas.forEach(Arena::close);
    arenas.clear();
  }

  /** Whether none of its threads runs any more. */
  boolean isKilled() {
    return killed;
  }

  /** The next thread of it that copies stops in the middle of that for so long. */
  void stall(long nanos) {
    stallNanos = nanos;
  }

  private void forgetClosed() {
    arenas.removeIf(arena -> !arena.scope().isAlive());
  }

  @Override
  public long threadNumber() {
    return world.threadNumber();
  }

  @Override
  public long nanoTime() {
    return world.nanoTime();
  }

  @Override
  public long wallMillis() {
    return world.wallMillis();
  }

  @Override
  public RandomGenerator random(String purpose) {
    return world.random(name + ": " + purpose);
  }

  @Override
  public byte[] secretBytes(int count) {
    return world.secretBytes(count);
  }

  @Override
  public Thread start(ThreadKind kind, String what, Runnable body) {
    threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
    Thread thread = world.start(kind, name + ": " + what, body);
    threads.add(thread);
    return thread;
  }

  @Override
  public Signal signal(Lock lock) {
    return world.signal(lock);
  }

  @Override
  public Arena arena() {
    forgetClosed();
    Arena made = world.arena();
    arenas.add(made);
    return made;
  }

  @Override
  public Arena ownArena() {
    return arena(); // somebody else closes it if its thread is killed
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    world.sleep(nanos);
  }

  @Override
  public void charge(Work work, long amount) {
    long stall = stallNanos;
    if (stall > 0 && work == Work.COPY) {
      stallNanos = 0;
      World.pause(this, stall);
    }
    world.charge(work, amount);
  }
}
