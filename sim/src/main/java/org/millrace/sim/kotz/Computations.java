package org.millrace.sim.kotz;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.sim.machine.ComputeJob;
import org.millrace.sim.machine.Host;

/**
 * The two computing applications, with a process of each on every node, in the CPU time that the
 * file system leaves. One never synchronizes; the other has a barrier after each interval, which
 * costs nothing but the wait for the slowest.
 *
 * <p>For threads of one seeded environment, which run one at a time.
 */
final class Computations {

  // constant after construction
  private final Env env;
  private final List<Host> nodes;
  private final Computing how;
  private final List<ComputeJob> guests = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal met;

  // owned by whichever thread runs
  private long began;
  private long ended;
  private long computed; // by all processes that never meet
  private long together; // by each of those that do
  private long least;
  private int arrived;
  private long rounds;
  private boolean over;
  private boolean last;

  Computations(Env env, List<Host> nodes, Computing how) {
    this.env = env;
    this.nodes = List.copyOf(nodes);
    this.how = how;
    this.met = env.signal(lock);
    this.least = how.intervalNanos();
  }

  /** Starts both. */
  void start() {
    began = env.nanoTime();
    for (Host node : nodes) {
      ComputeJob alone = guest(node);
      env.start(ThreadKind.SERVICE, "computing at " + node, () -> computeAlone(alone));
      ComputeJob member = guest(node);
      env.start(ThreadKind.SERVICE, "computing and meeting at " + node, () -> meetOften(member));
    }
  }

  private ComputeJob guest(Host node) {
    ComputeJob guest = new ComputeJob(node, how.switchNanos());
    guests.add(guest);
    return guest;
  }

  /** Stops both; nothing counts that is computed after an instant of the past. */
  void stop(long instant) {
    ended = instant;
    over = true;
    guests.forEach(guest -> guest.stop(instant));
  }

  /** The share of the nodes' time that the first has computed. */
  double free() {
    return computed / ((double) (ended - began) * nodes.size());
  }

  /** The same of the second. */
  double freeWithBarriers() {
    return together / (double) (ended - began);
  }

  private void computeAlone(ComputeJob guest) {
    while (!over) {
      long had = guest.compute(how.intervalNanos()); // meanwhile others add theirs
      computed += had;
    }
  }

  private void meetOften(ComputeJob guest) {
    boolean goesOn = true;
    while (goesOn) {
      goesOn = meet(guest.compute(how.intervalNanos()));
    }
  }

  /** Waits for all; false if that was the last time. */
  private boolean meet(long done) {
    lock.lock();
    try {
      least = Math.min(least, done);
      arrived++;
      long round = rounds;
      if (arrived == nodes.size()) {
        together += least;
        least = how.intervalNanos();
        arrived = 0;
        rounds++;
        last = over; // the same for all
        met.signalAll();
      }
      while (round == rounds) {
        met.await(Env.NEVER);
      }
      return !last;
    } finally {
      lock.unlock();
    }
  }
}
