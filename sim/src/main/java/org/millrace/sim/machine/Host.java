package org.millrace.sim.machine;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;

/**
 * One host of a simulated machine, as the environment of what runs on it: time, threads and chance
 * are the machine's, work is done by the host's own processor. So is going on with threads: each
 * start and each end of a wait is a switch.
 *
 * <p>For threads of the machine's environment.
 */
public final class Host implements Env {

  /**
   * Threads that serve requests at a time, as many as a process has for what it serves; other
   * requests wait in order of arrival. Without a bound there are a million threads when thousands
   * of nodes wait for their disks.
   */
  private static final int WORKERS = 64;

  // constant after construction
  private final SeededEnv machine;
  private final int number;
  private final Processor processor;

  // set before anything runs
  private @Nullable Supplier<Arena> arenas;

  // owned by whichever thread runs
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private int serving;
  private long heldBytes;
  private long maxHeldBytes;

  /** A host of a machine. */
  public Host(SeededEnv machine, int number, Speed speed) {
    this.machine = machine;
    this.number = number;
    this.processor = new Processor(machine, speed);
  }

  /** Its place in the network. */
  public int number() {
    return number;
  }

  /** Its processor. */
  public Processor processor() {
    return processor;
  }

  /** Lets it take memory from elsewhere; to be called before anything runs on it. */
  public void takeMemoryFrom(Supplier<Arena> source) {
    arenas = source;
  }

  @Override
  public Arena arena() {
    return arenas == null ? Env.super.arena() : arenas.get();
  }

  @Override
  public Arena autoArena() {
    return arenas == null ? Env.super.autoArena() : arenas.get();
  }

  @Override
  public Arena ownArena() {
    return arenas == null ? Env.super.ownArena() : arenas.get();
  }

  /** Keeps a message until it is {@link #release}d. */
  void hold(long bytes) {
    heldBytes += bytes;
    maxHeldBytes = Math.max(maxHeldBytes, heldBytes);
  }

  /** Has done with a message. */
  void release(long bytes) {
    heldBytes -= bytes;
  }

  /** The most bytes of messages that it kept at a time, from their arrival to their end. */
  public long maxHeldBytes() {
    return maxHeldBytes;
  }

  /** Forgets what it did until now; what it keeps it keeps. */
  public void forget() {
    processor.forget();
    maxHeldBytes = heldBytes;
  }

  @Override
  public long threadNumber() {
    return machine.threadNumber();
  }

  @Override
  public long nanoTime() {
    return machine.nanoTime();
  }

  @Override
  public long wallMillis() {
    return machine.wallMillis();
  }

  @Override
  public RandomGenerator random(String purpose) {
    return machine.random(purpose + " of host " + number);
  }

  @Override
  public Thread start(ThreadKind kind, String name, Runnable body) {
    processor.owe(Work.SWITCH, 1);
    return machine.start(kind, name, body);
  }

  /** Starts a thread when an instant has come: of messages under way there may be a million. */
  void startAt(long instant, String name, Runnable body) {
    machine.startAt(
        Math.max(instant, machine.nanoTime()),
        ThreadKind.SERVICE,
        name,
        () -> {
          processor.owe(Work.SWITCH, 1);
          body.run();
        });
  }

  /** Serves a request that has arrived: now, or when one of the threads for it is free. */
  void serve(Runnable request) {
    if (serving == WORKERS) {
      waiting.add(request);
      return;
    }
    serving++;
    try {
      for (Runnable next = request; next != null; next = waiting.poll()) {
        next.run();
      }
    } finally {
      serving--;
    }
  }

  @Override
  public Signal signal(Lock lock) {
    return new Wakening(machine.signal(lock));
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    machine.sleep(nanos);
  }

  @Override
  public void charge(Work work, long amount) {
    processor.work(work, amount);
  }

  @Override
  public String toString() {
    return "host " + number;
  }

  /** A signal whose waits end with a switch of threads. Nobody waits for the switch here: locks. */
  private final class Wakening implements Signal {

    private final Signal signal;

    Wakening(Signal signal) {
      this.signal = signal;
    }

    @Override
    public boolean await(long deadlineNanos) {
      boolean inTime = signal.await(deadlineNanos);
      processor.owe(Work.SWITCH, 1);
      return inTime;
    }

    @Override
    public void signal() {
      signal.signal();
    }

    @Override
    public void signalAll() {
      signal.signalAll();
    }
  }
}
