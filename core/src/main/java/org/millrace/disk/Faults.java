package org.millrace.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The faults of a {@link FaultyDisk}, which can be changed while it runs. By default there are
 * none. Random choices depend on the seed.
 *
 * <p>Safe for use by several threads. Each setting returns this object.
 */
public final class Faults {

  /** The operations that can be made to fail. */
  public enum Operation {
    /** Opening or creating a file. */
    OPEN,
    /** Reading. */
    READ,
    /** Writing or resizing. */
    WRITE,
    /** Making a file's content, or the disk's names, durable. */
    FORCE
  }

  private static final class Rule {
    private final Operation operation;
    private final Predicate<String> file;
    private long skip;
    private long times;

    Rule(Operation operation, Predicate<String> file, long skip, long times) {
      this.operation = operation;
      this.file = file;
      this.skip = skip;
      this.times = times;
    }

    /** Whether the rule applies to this operation; counts it. */
    boolean applies(Operation now, String name) {
      if (now != operation || times == 0 || !file.test(name)) {
        return false;
      }
      if (skip > 0) {
        skip--;
        return false;
      }
      times--;
      return true;
    }
  }

  private record Delay(Operation operation, Env env, long nanos) {}

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final RandomGenerator random;
  private final List<Rule> failures = new ArrayList<>();
  private final List<Rule> flips = new ArrayList<>();
  private final List<Delay> delays = new ArrayList<>();
  private Predicate<String> droppedForces = file -> false;
  private double shortShare;
  private long roomBytes = Long.MAX_VALUE;
  private long operationsLeft = Long.MAX_VALUE;
  private long operations;

  private Faults(long seed) {
    this.random = SeededEnv.of(seed).random("faults");
  }

  /** No faults yet; chance is drawn from {@code seed}. */
  public static Faults seeded(long seed) {
    return new Faults(seed);
  }

  /**
   * After {@code skip} such operations on files whose names match, the next {@code times} fail with
   * code DISK.
   */
  public Faults fail(Operation operation, Predicate<String> file, long skip, long times) {
    return set(() -> failures.add(new Rule(operation, file, skip, times)));
  }

  /**
   * After {@code skip} reads of files whose names match, the next {@code times} return data with
   * one bit flipped.
   */
  public Faults flipOnRead(Predicate<String> file, long skip, long times) {
    return set(() -> flips.add(new Rule(Operation.READ, file, skip, times)));
  }

  /**
   * This share of transfers comes short: reads return fewer bytes, writes move some sectors and
   * fail.
   */
  public Faults shortTransfers(double share) {
    return set(() -> shortShare = share);
  }

  /** Every such operation takes {@code nanos} longer, on the clock of {@code env}. */
  public Faults delay(Operation operation, Env env, long nanos) {
    return set(() -> delays.add(new Delay(operation, env, nanos)));
  }

  /** No operation takes longer any more. */
  public Faults endDelays() {
    return set(delays::clear);
  }

  /**
   * Forces of files whose names match claim success and do nothing. The disk's own force has the
   * name "".
   */
  public Faults dropForces(Predicate<String> file) {
    return set(() -> droppedForces = file);
  }

  /** The disk is full after this many more bytes written. */
  public Faults fullAfter(long bytes) {
    return set(() -> roomBytes = bytes);
  }

  /** The power fails after this many more operations: every later one fails. */
  public Faults cutPowerAfter(long operationsMore) {
    return set(() -> operationsLeft = operationsMore);
  }

  /** Nothing goes wrong from now on. */
  public Faults clear() {
    return set(
        () -> {
          failures.clear();
          flips.clear();
          delays.clear();
          droppedForces = file -> false;
          shortShare = 0;
          roomBytes = Long.MAX_VALUE;
          operationsLeft = Long.MAX_VALUE;
        });
  }

  /** How many operations the disk was asked for so far. */
  public long operations() {
    lock.lock();
    try {
      return operations;
    } finally {
      lock.unlock();
    }
  }

  private Faults set(Runnable change) {
    lock.lock();
    try {
      change.run();
      return this;
    } finally {
      lock.unlock();
    }
  }

  /** Counts an operation, lets its delay pass, and fails it if it is to fail. */
  void on(Operation operation, String disk, String file) throws IOException {
    long now;
    List<Delay> due;
    lock.lock();
    try {
      now = operations++;
      due = List.copyOf(delays);
    } finally {
      lock.unlock();
    }
    for (Delay delay : due) {
      if (delay.operation == operation) {
        pass(delay);
      }
    }
    lock.lock();
    try {
      if (operationsLeft <= 0) {
        throw new MillraceException(
            ErrorCode.DISK, "disk " + disk + ": " + file + ": no power (injected)");
      }
      operationsLeft--;
      for (Rule rule : failures) {
        if (rule.applies(operation, file)) {
          throw new MillraceException(
              ErrorCode.DISK,
              "disk "
                  + disk
                  + ": "
                  + file
                  + ": "
                  + operation
                  + " failed at operation "
                  + now
                  + " (injected)");
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private static void pass(Delay delay) {
    try {
      delay.env.sleep(delay.nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean dropsForce(String file) {
    lock.lock();
    try {
      return droppedForces.test(file);
    } finally {
      lock.unlock();
    }
  }

  /** How many of {@code bytes} a transfer moves: all, or by chance at least one and not all. */
  long moved(long bytes) {
    lock.lock();
    try {
      boolean whole = bytes < 2 || shortShare == 0 || random.nextDouble() >= shortShare;
      return whole ? bytes : 1 + random.nextLong(bytes - 1);
    } finally {
      lock.unlock();
    }
  }

  /** The number of the bit to flip in a read of this many bytes, or -1. */
  long flippedBit(String file, long bytes) {
    lock.lock();
    try {
      for (Rule rule : flips) {
        if (bytes > 0 && rule.applies(Operation.READ, file)) {
          return random.nextLong(bytes * Byte.SIZE);
        }
      }
      return -1;
    } finally {
      lock.unlock();
    }
  }

  /** Takes room for a write. */
  void take(long bytes, String disk, String file) throws IOException {
    lock.lock();
    try {
      if (bytes > roomBytes) {
        throw new DiskFullException(
            "disk "
                + disk
                + ": "
                + file
                + ": "
                + bytes
                + " bytes do not fit, "
                + roomBytes
                + " are left (injected)");
      }
      if (roomBytes != Long.MAX_VALUE) {
        roomBytes -= bytes;
      }
    } finally {
      lock.unlock();
    }
  }
}
