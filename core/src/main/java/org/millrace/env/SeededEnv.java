package org.millrace.env;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A deterministic environment: every thread is a virtual thread, one runs at a time, and whenever
 * it parks, yields or ends, the next one is chosen at random from the seed. The same program with
 * the same seed has the same schedule.
 *
 * <p>Time is virtual. It stands still while any thread can run and then jumps to the next timer (a
 * sleep, the deadline of a {@link Signal}, charged work), so hours pass at no cost.
 *
 * <p>A run is deterministic only if the program keeps to {@code java.util.concurrent} locks without
 * timeouts, and takes threads, time and chance from here. Nothing may wait inside a static
 * initializer or a contended monitor: that would hold up the one real thread below. Threads of
 * several environments may meet inside the JDK, at a monitor or where the JDK yields until another
 * thread has made a table: a thread that must wait there waits in real time, and its environment
 * with it. If anything else outside of the environment wakes one of its threads, the run fails and
 * says "not deterministic". Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}.
 *
 * <p>One thread calls {@link #run}; all other methods may be called from the threads it leads to,
 * and from the calling thread between runs. Threads that are blocked for ever when a run fails stay
 * where they stand.
 */
public final class SeededEnv implements Env {

  private static final long START_NANOS = 1_000_000_000L;
  private static final long START_WALL_MILLIS = 1_700_000_000_000L;
  private static final int GRACE_STEPS = 100_000;
  private static final long PICOS_PER_NANO = 1_000;

  // Constant after construction.
  private final long seed;
  private final RandomGenerator draw;
  private final RandomGenerator secrets;
  private final Map<Work, Long> picosPerUnit;

  // Touched only by the thread that runs the environment and by virtual threads mounted on it: one
  // at a time. Other threads reach only the queue of outside wake-ups.
  private final List<Runnable> ready = new ArrayList<>();
  private final List<SeededThread> readyThreads = new ArrayList<>();
  private final TreeSet<SeededTimer> timers = new TreeSet<>();
  private final Map<Thread, SeededThread> live = new HashMap<>();
  private final List<Throwable> uncaught = new ArrayList<>();
  private int threadsMade;
  private long timersMade;
  private long stepsLeft = Long.MAX_VALUE;
  private long trace;
  private volatile long now = START_NANOS;
  private volatile @Nullable Thread driver;
  private ScheduleListener listener = ScheduleListener.NONE;

  private final OutsideWakeups outside = new OutsideWakeups();

  private SeededEnv(long seed, Map<Work, Long> picosPerUnit) {
    this.seed = seed;
    this.draw = SeededRandom.generator(SeededRandom.mix(seed));
    this.secrets = random("secret");
    this.picosPerUnit = new EnumMap<>(Work.class);
    this.picosPerUnit.putAll(picosPerUnit);
  }

  /**
   * An environment whose schedule depends on {@code seed} and on the program; work costs no time.
   */
  public static SeededEnv of(long seed) {
    return new SeededEnv(seed, Map.of());
  }

  /** As {@link #of(long)}, with a cost in picoseconds for each unit of the kinds of work named. */
  public static SeededEnv of(long seed, Map<Work, Long> picosPerUnit) {
    return new SeededEnv(seed, picosPerUnit);
  }

  /**
   * Runs {@code main} as a thread of this environment, and all threads that it starts, until all
   * have ended.
   *
   * <p>If an exception leaves a thread the others go on until they end, stand still, or have used
   * up a grace of some steps; then the first such exception is thrown.
   *
   * @throws IllegalStateException if threads are left that wait for ever: the message names them
   *     and where they stand
   */
  public void run(Runnable main) {
    if (driver != null) {
      throw new IllegalStateException("this environment already runs, on thread " + driver);
    }
    if (Thread.currentThread().isVirtual()) {
      throw new IllegalStateException("a seeded environment must be run by a platform thread");
    }
    start(ThreadKind.SERVICE, "main", main);
    driver = Thread.currentThread();
    try {
      drive();
    } finally {
      driver = null;
      timers.clear();
      ready.clear();
      readyThreads.clear();
      live.clear();
    }
    throwFirst();
  }

  /** Tells {@code listener} from now on what is chosen and who makes a thread ready. */
  public void listen(ScheduleListener listener) {
    this.listener = listener;
  }

  /** The most stretches that threads may run in all: more count as running for ever. */
  public void limitSteps(long max) {
    stepsLeft = max;
  }

  /**
   * Threads that never run again, as those of a process that was killed: they stand where they
   * stand, and what they hold they keep. Called by another thread of this environment.
   */
  public void abandon(Collection<Thread> threads) {
    checkInside("abandon threads");
    for (Thread thread : threads) {
      if (thread.equals(Thread.currentThread())) {
        throw new IllegalArgumentException(thread + " cannot abandon itself");
      }
      SeededThread seeded = live.remove(thread);
      if (seeded != null) {
        seeded.abandoned = true;
      }
    }
    timers.removeIf(timer -> timer.thread != null && !live.containsKey(timer.thread));
    for (int i = ready.size() - 1; i >= 0; i--) {
      if (readyThreads.get(i).abandoned) {
        ready.remove(i);
        readyThreads.remove(i);
      }
    }
  }

  /**
   * A hash over which thread was chosen at each step and when time moved: equal for equal
   * schedules.
   */
  public long traceHash() {
    return trace;
  }

  /** The seed, for messages. */
  public long seed() {
    return seed;
  }

  @Override
  public long threadNumber() {
    SeededThread seeded = live.get(Thread.currentThread());
    return seeded == null ? 0 : seeded.number;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public long wallMillis() {
    return START_WALL_MILLIS + (now - START_NANOS) / 1_000_000;
  }

  @Override
  public RandomGenerator random(String purpose) {
    long hash = SeededRandom.mix(seed ^ 0x5DEECE66DL);
    for (int i = 0; i < purpose.length(); i++) {
      hash = SeededRandom.mix(hash ^ purpose.charAt(i));
    }
    return SeededRandom.generator(hash);
  }

  /** Others with each call: two keys are never the same. */
  @Override
  public byte[] secretBytes(int count) {
    byte[] bytes = new byte[count];
    secrets.nextBytes(bytes);
    return bytes;
  }

  @Override
  public Thread start(ThreadKind kind, String name, Runnable body) {
    checkInside("start a thread");
    SeededThread seeded = new SeededThread(this, threadsMade++);
    Thread thread =
        SeededThreads.builder(seeded)
            .name(name)
            .unstarted(
                () -> {
                  try {
                    body.run();
                  } catch (Throwable e) {
                    uncaught.add(e);
                  } finally {
                    live.remove(Thread.currentThread());
                  }
                });
    seeded.thread = thread;
    live.put(thread, seeded);
    trace = SeededRandom.mix(trace ^ name.hashCode());
    thread.start();
    return thread;
  }

  /** Starts a thread when an instant has come, which is not past. Until then there is none. */
  public void startAt(long at, ThreadKind kind, String name, Runnable body) {
    checkInside("start a thread");
    timers.add(new SeededTimer(at, timersMade++, () -> start(kind, name, body)));
  }

  @Override
  public Signal signal(Lock lock) {
    return new SeededSignal(this, lock.newCondition());
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    SeededTimer timer = timer(deadlineAfter(Math.max(0, nanos)), false);
    while (!timer.fired) {
      LockSupport.park(timer);
      if (Thread.interrupted()) {
        cancel(timer);
        throw new InterruptedException();
      }
    }
  }

  @Override
  public void charge(Work work, long amount) {
    long nanos = Math.multiplyExact(picosPerUnit.getOrDefault(work, 0L), amount) / PICOS_PER_NANO;
    if (nanos == 0) {
      return;
    }
    boolean interrupted = false;
    SeededTimer timer = timer(deadlineAfter(nanos), false);
    while (!timer.fired) {
      LockSupport.park(timer);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * A timer that, when its instant comes, wakes the calling thread by an unpark or by an interrupt.
   */
  SeededTimer timer(long at, boolean interrupts) {
    Thread thread = Thread.currentThread();
    if (!live.containsKey(thread)) {
      throw new IllegalStateException(
          thread + " waits but is not a thread of this environment: use run()");
    }
    SeededTimer timer = new SeededTimer(at, timersMade++, thread, interrupts);
    if (at != NEVER) {
      timers.add(timer);
    }
    return timer;
  }

  void cancel(SeededTimer timer) {
    timers.remove(timer);
  }

  private void drive() {
    int grace = GRACE_STEPS;
    while (true) {
      outside.check(seed);
      if (!uncaught.isEmpty() && --grace < 0) {
        return;
      }
      if (--stepsLeft < 0) {
        uncaught.add(new IllegalStateException("seed " + seed + ": runs forever"));
        return;
      }
      if (!ready.isEmpty()) {
        step();
      } else if (!timers.isEmpty()) {
        advance();
      } else if (live.isEmpty()) {
        return;
      } else {
        outside.checkStandstill(seed);
        uncaught.add(new IllegalStateException(standstill()));
        return;
      }
    }
  }

  private void step() {
    int chosen = draw.nextInt(ready.size());
    int last = ready.size() - 1;
    Runnable next = ready.get(chosen);
    SeededThread thread = readyThreads.get(chosen);
    ready.set(chosen, ready.get(last));
    readyThreads.set(chosen, readyThreads.get(last));
    ready.removeLast();
    readyThreads.removeLast();
    trace = SeededRandom.mix(trace ^ thread.number);
    next.run();
    Thread ran = thread.thread();
    while (thread.isHeldUpInTheJdk()) {
      rest(thread).run(); // of the same stretch: an outside thread that came first is no event
    }
    listener.onStretch(now, thread.number, ran.getName(), thread::stack);
    if (SeededStates.isUnparked(ran)) { // while it parked, when no other thread ran
      throw OutsideWakeups.disturbed(seed, ran.getName() + " was unparked while it parked");
    }
  }

  private Runnable rest(SeededThread thread) {
    if (!readyThreads.isEmpty() && readyThreads.getLast() == thread) { // it was free again at once
      readyThreads.removeLast();
      return ready.removeLast();
    }
    return outside.await(thread, seed);
  }

  private void advance() {
    now = Math.max(now, timers.first().at);
    trace = SeededRandom.mix(trace ^ now);
    while (!timers.isEmpty() && timers.first().at <= now) {
      SeededTimer timer = timers.pollFirst();
      timer.fire();
    }
  }

  private String standstill() {
    Map<Integer, Thread> waiting = new TreeMap<>();
    live.forEach((thread, seeded) -> waiting.put(seeded.number, thread));
    return "seed " + seed + ": all remaining threads wait forever: " + ThreadDump.describe(waiting);
  }

  private void throwFirst() {
    if (uncaught.isEmpty()) {
      return;
    }
    Throwable first = uncaught.getFirst();
    uncaught.stream().skip(1).forEach(first::addSuppressed);
    uncaught.clear();
    switch (first) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(first);
    }
  }

  private void checkInside(String what) {
    Thread current = Thread.currentThread();
    if (driver != null && !current.equals(driver) && !live.containsKey(current)) {
      throw new IllegalStateException(current + " is not of this environment and cannot " + what);
    }
  }

  /** A thread can go on with its next stretch: said by any thread. */
  void onReady(SeededThread thread, Runnable stretch) {
    Thread by = Thread.currentThread();
    if (driver != null && !by.equals(driver) && !live.containsKey(by)) {
      outside.add(thread, stretch, by);
      return;
    }
    listener.onReady(thread.number, by);
    ready.add(stretch);
    readyThreads.add(thread);
  }
}
