package org.millrace.env;

import java.lang.foreign.Arena;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * The normal environment: the system's clocks, virtual threads for ranks, platform threads for
 * disks and connections, reused platform threads for work that must continue while ranks compute.
 * It has no other state.
 */
final class RealEnv implements Env {

  static final RealEnv INSTANCE = new RealEnv();

  /** A program on the module path, or an image of its own, may have no flight recorder. */
  private static final boolean HAS_RECORDER = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private final ReusedThreads reused = new ReusedThreads();
  private final CoarseClock coarse = new CoarseClock();

  private RealEnv() {}

  /** Made when the first thread needs it. */
  private static final class WatchdogHolder {
    static final Watchdog INSTANCE = Watchdog.start(RealEnv.INSTANCE);
  }

  /** Keeps the deadlines of virtual threads. */
  static Watchdog watchdog() {
    return WatchdogHolder.INSTANCE;
  }

  @Override
  public long threadNumber() {
    return Thread.currentThread().threadId();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long coarseNanoTime() {
    return coarse.nanoTime();
  }

  @Override
  public Span span(Span.Kind kind) {
    return HAS_RECORDER ? FlightRecorder.begin(kind) : Span.NONE;
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public RandomGenerator random(String purpose) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create();
  }

  @Override
  public byte[] secretBytes(int count) {
    byte[] bytes = new byte[count];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }

  @Override
  public Arena largeArena() {
    return LargePages.isPossible() ? new LargePages() : arena();
  }

  @Override
  public Thread start(ThreadKind kind, String name, Runnable body) {
    return switch (kind) {
      case RANK, HELPER -> Thread.ofVirtual().name(name).start(body);
      case OPERATION, SERVICE -> reused.start(name, body);
      case DISK, CONNECTION -> Thread.ofPlatform().daemon().name(name).start(body);
    };
  }

  @Override
  public Signal signal(Lock lock) {
    return new ConditionSignal(lock.newCondition());
  }

  @Override
  public int processors() {
    return PROCESSORS;
  }

  @Override
  public Parker parker() {
    return new RealParker();
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos);
  }

  @Override
  public void charge(Work work, long amount) {}

  private record ConditionSignal(Condition condition) implements Signal {

    @Override
    @SuppressWarnings("WaitNotInLoop") // the loop is the caller's, as Signal says
    public boolean await(long deadlineNanos) {
      if (deadlineNanos == NEVER) {
        condition.awaitUninterruptibly();
        return true;
      }
      boolean interrupted = false;
      try {
        while (true) {
          long left = deadlineNanos - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          try {
            return condition.awaitNanos(left) > 0;
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public void signal() {
      condition.signal();
    }

    @Override
    public void signalAll() {
      condition.signalAll();
    }
  }
}
