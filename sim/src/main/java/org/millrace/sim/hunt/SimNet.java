package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;
import org.millrace.wire.EventLoop;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Listener;
import org.millrace.wire.Net;
import org.millrace.wire.NoListenerException;
import org.millrace.wire.Security;
import org.millrace.wire.Wire;

/**
 * The simulated network of a world: byte streams in memory with a random delay for each direction,
 * which can be slowed down, altered and reset. Bytes of one direction keep their order, those of
 * different connections do not.
 *
 * <p>For threads of the world's environment, of which one runs at a time, so that nothing needs a
 * lock; and nothing that processes share may have one: a thread that is killed while it waits for a
 * lock stays first in its queue for ever.
 */
final class SimNet {

  private static final long MICRO = 1_000L;

  /** Nothing gets from one process to another until an instant. */
  private record Cut(ProcessEnv from, ProcessEnv to, long untilNanos) {}

  // constant after construction
  private final SeededEnv world;
  private final RandomGenerator random;
  private final Tally tally;

  private final Map<Address, SimListener> listeners = new LinkedHashMap<>();
  private final List<SimWire> wires = new ArrayList<>();
  private final List<Cut> cuts = new ArrayList<>();
  private final Map<ProcessEnv, Long> off = new HashMap<>(); // until when nothing reaches them
  private long latestArrival;
  private long maxDelayNanos = 100 * MICRO;
  private final SimMemory memory = new SimMemory();
  private final Planted plant;
  private boolean near;

  SimNet(SeededEnv world, Tally tally, Planted plant) {
    this.world = world;
    this.tally = tally;
    this.plant = plant;
    this.random = world.random("net");
  }

  /** From now on all processes are on one host, and can map each other's memory. */
  void shareMemory() {
    near = true;
  }

  boolean isNear() {
    return near;
  }

  /** The net as one process uses it. */
  Net of(ProcessEnv process) {
    return new Net() {
      @Override
      public Wire connect(Env env, Address to, Security security, long deadlineNanos)
          throws IOException {
        return SimNet.this.connect(process, to, deadlineNanos);
      }

      @Override
      public Listener listen(Address at, Security security) throws IOException {
        return SimNet.this.listen(process, at);
      }

      @Override
      public EventLoop loop(Env env, String name) {
        return new SimEventLoop(env, name);
      }

      @Override
      public HostMemory memory(Env env, boolean shared) {
        return plant.memory(process, memory.of(process));
      }
    };
  }

  private Wire connect(ProcessEnv from, Address to, long deadlineNanos) throws IOException {
    pause(from, delay());
    SimListener there = listeners.get(to);
    if (there == null) {
      throw new NoListenerException("no process answers at " + to);
    }
    long silentUntil = Math.max(offUntil(from), offUntil(there.process()));
    if (silentUntil > now()) {
      pause(from, Math.min(silentUntil, Math.max(now(), deadlineNanos)) - now());
      throw new MillraceException(ErrorCode.DEADLINE, to + " does not answer");
    }
    if (isCut(from, there.process())) {
      throw new MillraceException(ErrorCode.NODE, "no way to " + to);
    }
    SimWire mine = new SimWire(this, from);
    SimWire theirs = new SimWire(this, there.process());
    mine.join(theirs);
    theirs.join(mine);
    wires.add(mine);
    wires.add(theirs);
    there.offer(theirs);
    return mine;
  }

  private static void pause(Env env, long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Listener listen(ProcessEnv process, Address at) throws IOException {
    if (listeners.containsKey(at)) {
      throw new MillraceException(ErrorCode.IN_USE, "another process listens at " + at);
    }
    SimListener made = new SimListener(this, process, at);
    listeners.put(at, made);
    return made;
  }

  /** Nobody listens there any more. */
  void forget(Address at, SimListener listener) {
    listeners.remove(at, listener);
  }

  long now() {
    return world.nanoTime();
  }

  /** How long the next bytes are under way: mostly short, now and then much longer. */
  long delay() {
    long most = random.nextInt(20) == 0 ? 10 * maxDelayNanos : maxDelayNanos;
    return MICRO + random.nextLong(most);
  }

  /** Bytes are under way; those that arrive before others that set out earlier are counted. */
  void setsOut(long arrivalNanos) {
    tally.add(Occurrence.FAULT, "delay");
    if (arrivalNanos < latestArrival) {
      tally.add(Occurrence.FAULT, "reorder");
    }
    latestArrival = Math.max(latestArrival, arrivalNanos);
  }

  /** From now on bytes take at most about this long, with exceptions. */
  void slow(long nanos) {
    maxDelayNanos = nanos;
  }

  /** A process is no more: its connections end, and nobody listens there. */
  void kill(ProcessEnv process) {
    listeners.values().removeIf(one -> one.process() == process);
    for (SimWire wire : List.copyOf(wires)) {
      if (wire.process() == process) {
        wire.reset();
      }
    }
    tidy();
  }

  /** Ends one of the connections that are there; what is under way is lost. Says which. */
  String resetOne() {
    return onOne(
        wire -> {
          wire.reset();
          return "reset the connection of " + wire.ends();
        });
  }

  /** Lets nothing through one of the connections for some time, in one direction. Says which. */
  String stallOne(long nanos) {
    return onOne(
        wire -> {
          wire.stall(nanos);
          return "hold up bytes of %s for %s ms".formatted(wire.ends(), nanos / 1_000_000);
        });
  }

  /**
   * What one process sends another over the connections that are there arrives later from now on.
   */
  void stall(ProcessEnv from, ProcessEnv to, long nanos) {
    for (SimWire wire : wires) {
      if (wire.isFrom(from) && wire.process() == to) {
        wire.stall(nanos);
      }
    }
  }

  /** As {@link #stall}, and no other connection is made for as long. */
  void cut(ProcessEnv from, ProcessEnv to, long nanos) {
    stall(from, to, nanos);
    cuts.add(new Cut(from, to, now() + nanos));
  }

  /** Nothing reaches a process, nor comes from it: callers wait. */
  void cutOff(ProcessEnv process, long nanos) {
    off.put(process, now() + nanos);
    for (SimWire wire : wires) {
      if (wire.isFrom(process) || wire.process() == process) {
        wire.stall(nanos);
      }
    }
  }

  private long offUntil(ProcessEnv process) {
    return off.getOrDefault(process, 0L);
  }

  /** For how long some process will be cut off from another. */
  long cutNanos() {
    return cuts.stream().mapToLong(cut -> cut.untilNanos - now()).reduce(0, Math::max);
  }

  private boolean isCut(ProcessEnv from, ProcessEnv to) {
    cuts.removeIf(cut -> cut.untilNanos <= now());
    return cuts.stream().anyMatch(cut -> cut.from == from && cut.to == to);
  }

  /** Flips a bit that is under way, or the next that will be. Says where. */
  String alterOne() {
    return onOne(
        wire -> {
          wire.alter(random.nextInt(1 << 16));
          return "flip a bit on the way of " + wire.ends();
        });
  }

  private interface Act {
    String on(SimWire wire);
  }

  private String onOne(Act act) {
    tidy();
    return wires.isEmpty()
        ? "no connection is there"
        : act.on(wires.get(random.nextInt(wires.size())));
  }

  private void tidy() {
    wires.removeIf(SimWire::isOver);
  }
}
