package org.millrace.env;

import java.lang.foreign.Arena;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;

/**
 * Time, threads and randomness of one environment. Code above this package never reads a clock,
 * sleeps, waits with a timeout, starts a thread or draws a random number in any other way, so that
 * the same code runs normally and, deterministically, in simulation.
 *
 * <p>Plain {@code java.util.concurrent} locks are allowed everywhere; timed waiting on them goes
 * through {@link Signal}. Instants are nanoseconds on this environment's own monotonic clock;
 * {@link #NEVER} is an instant that does not come.
 *
 * <p>All methods may be called from any thread.
 */
public interface Env {

  /** The instant that never comes: a deadline of this value means waiting without limit. */
  long NEVER = Long.MAX_VALUE;

  /**
   * A thread that owns nothing and never runs: asking whether memory is open to it asks whether it
   * is open to all.
   */
  Thread ANY_THREAD = Thread.ofVirtual().unstarted(() -> {});

  /** The environment of real life. */
  static Env real() {
    return RealEnv.INSTANCE;
  }

  /** Now, on a monotonic clock. Only differences and comparisons mean something. */
  long nanoTime();

  /**
   * As {@link #nanoTime}, some milliseconds old at most, unless the machine is very busy: for code
   * that has less time than a clock takes to read.
   */
  default long coarseNanoTime() {
    return nanoTime();
  }

  /** Now, as milliseconds since 1970, for people to read. Never used to measure. */
  long wallMillis();

  /**
   * A source of randomness of its own for the given purpose. In simulation it depends on seed and
   * purpose only.
   */
  RandomGenerator random(String purpose);

  /** Unpredictable bytes for keys. In simulation they depend on the seed only. */
  default byte[] secretBytes(int count) {
    byte[] bytes = new byte[count];
    random("secret").nextBytes(bytes);
    return bytes;
  }

  /**
   * Starts a thread of the given kind. An exception that leaves {@code body} is reported, never
   * swallowed. Threads of some kinds do other work before and later: nobody can wait for their end,
   * and an interrupt reaches {@code body} only once it has begun.
   */
  Thread start(ThreadKind kind, String name, Runnable body);

  /**
   * A number for the calling thread, for spreading threads over places in memory. The JVM's own
   * numbers depend on what it ran before; in simulation this one depends on the run only.
   */
  long threadNumber();

  /** A condition of {@code lock} whose waits can have deadlines on this environment's clock. */
  Signal signal(Lock lock);

  /** How many threads can run at the same time, for cutting work into parts. */
  default int processors() {
    return 2;
  }

  /** A place for one thread at a time to wait. Cheap to make: one for each wait will do. */
  default Parker parker() {
    return new SignalParker(this);
  }

  /** Memory off the heap, open to all threads, until it is closed or the process ends. */
  default Arena arena() {
    return Arena.ofShared();
  }

  /** As {@link #arena}, but nobody closes it: the garbage collector frees the memory. */
  default Arena autoArena() {
    return Arena.ofAuto();
  }

  /** As {@link #arena}, for the calling thread alone, which closes it. */
  default Arena ownArena() {
    return Arena.ofConfined(); // closing a shared one stops all threads for a moment
  }

  /**
   * As {@link #arena}, for a few large allocations. Where the system can it has them in large pages
   * and gives them out untouched, so that they become real as they are used; they are zero.
   */
  default Arena largeArena() {
    return arena();
  }

  /** Lets at least {@code nanos} pass. */
  void sleep(long nanos) throws InterruptedException;

  /**
   * Says that {@code amount} units of CPU work are being done here. Free in real life; takes time
   * in simulation.
   */
  void charge(Work work, long amount);

  /**
   * A span that begins now, if anybody watches; {@link Span#NONE} otherwise, and in simulation,
   * whose time means nothing to a recorder of real time.
   */
  default Span span(Span.Kind kind) {
    return Span.NONE;
  }

  /** The instant {@code nanos} from now; {@link #NEVER} if that lies beyond the clock. */
  default long deadlineAfter(long nanos) {
    long now = nanoTime();
    long then = now + nanos;
    return nanos == NEVER || then < now ? NEVER : then;
  }
}
