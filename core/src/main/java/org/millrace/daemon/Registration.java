package org.millrace.daemon;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.ClockOffset;
import org.millrace.cluster.Dialer;
import org.millrace.coordinator.NodeStates;
import org.millrace.coordinator.Starts;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.NoSuchNameException;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.node.Guard;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A node's registration at the coordinator. It sends the node's address. Every second it asks which
 * strands to remove, which capabilities to revoke and which sessions to fence. It registers again
 * at a coordinator that was restarted.
 *
 * <pre>
 *   away --heartbeat, register--> present --heartbeat, every second--> present
 *     ^                              |
 *     +--------- any error ----------+        tried again soon, until closed
 * </pre>
 *
 * <p>A node serves no requests before it knows which sessions are fenced, so that one that was
 * restarted does not forget.
 *
 * <p>A thread of its own does this; {@code link} belongs to it once it runs. Closing waits until it
 * has ended.
 */
final class Registration implements AutoCloseable {

  private static final long HEARTBEAT_NANOS = 1_000_000_000L;
  private static final long ASK_NANOS = 10_000_000_000L;
  private static final long RETRY_NANOS = 100_000_000L;
  private static final long LOOK_NANOS = 200_000_000L;

  // constant after construction
  private final Env env;
  private final Dialer dialer;
  private final int node;
  private final String address;
  private final Guard guard;
  private final Beginning beginning;
  private final Answered answered;
  private final Consumer<String> log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  // owned by the thread that registers
  private @Nullable Link link;
  private List<StrandId> removed = List.of();
  private boolean clockIsOff;

  // guarded by lock
  private boolean closing;
  private boolean running;

  /** Says to the node that it starts, and returns which start this is. */
  interface Beginning {
    long begin(Starts starts) throws IOException;

    /** The node takes the place of one that is lost, and these strands with it. */
    void onLost(List<StrandId> lost) throws IOException;
  }

  /** Told of answers to heartbeats. */
  interface Answered {
    void onHeartbeat(long sentNanos, long lostEpoch, boolean rebuilds);
  }

  Registration(
      Env env,
      Dialer dialer,
      int node,
      String address,
      Guard guard,
      Beginning beginning,
      Answered answered,
      Consumer<String> log) {
    this.answered = answered;
    this.guard = guard;
    this.beginning = beginning;
    this.env = env;
    this.dialer = dialer;
    this.node = node;
    this.address = address;
    this.log = log;
    this.changed = env.signal(lock);
  }

  /**
   * Registers, then keeps sending heartbeats. Throws if the coordinator refuses this node.
   *
   * @param serve starts to serve the node, once the fenced sessions are known
   */
  void start(Runnable serve) throws IOException {
    register(serve);
    running = true; // no other thread is here yet
    env.start(ThreadKind.CONNECTION, "registration of node " + node, this::run);
  }

  private void register(Runnable serve) throws IOException {
    Link fresh = dialer.coordinatorOfNode();
    try {
      heartbeat(fresh, false);
      Map<String, String> settings = dialer.facts(fresh).settings();
      long epoch = beginning.begin(Starts.of(settings, node));
      if (NodeStates.isReplaced(settings, node)) {
        rememberLost(fresh);
      }
      serve.run();
      ask(fresh, new CoordinatorRequest.Register(node, address, epoch));
      heartbeat(fresh, true);
    } catch (IOException | RuntimeException e) {
      fresh.close();
      throw e;
    }
    link = fresh;
  }

  /** Strands of the node before, of which there is nothing any more, are not empty but lost. */
  private void rememberLost(Link at) throws IOException {
    long after = 0;
    while (true) {
      var asked = new CoordinatorRequest.AskLost(node, after);
      List<StrandId> lost = ((CoordinatorReply.Rebuilds) ask(at, asked)).strands();
      if (lost.isEmpty()) {
        return;
      }
      beginning.onLost(lost);
      after = lost.getLast().key();
    }
  }

  private Message ask(Link at, CoordinatorRequest request) throws IOException {
    return at.call(request, MemorySegment.NULL, env.deadlineAfter(ASK_NANOS));
  }

  private void run() {
    boolean present = true;
    while (awaitHeartbeat(present ? HEARTBEAT_NANOS : RETRY_NANOS)) {
      try {
        if (link == null) {
          register(() -> {});
          log.accept("registered again");
          present = true;
        }
        heartbeat(link, true);
      } catch (IOException e) {
        if (present) {
          log.accept("lost the coordinator: " + e);
        }
        present = false;
        dropLink();
      }
    }
    dropLink();
    lock.lock();
    try {
      running = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void dropLink() {
    Link old = link;
    link = null;
    if (old != null) {
      old.close();
    }
  }

  /** Whether the coordinator was restarted: then the next heartbeat need not be waited for. */
  private boolean isLost() {
    Link now = link;
    return now != null && now.isBroken();
  }

  /** False when this is to end. */
  private boolean awaitHeartbeat(long nanos) {
    long next = env.deadlineAfter(nanos);
    lock.lock();
    try {
      while (!closing && env.nanoTime() < next && !isLost()) {
        changed.await(Math.min(next, env.deadlineAfter(LOOK_NANOS))); // only closing is signalled
      }
      return !closing;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Beats until there is nothing new: a request that waits for a fence learns at once that it is
   * there.
   *
   * @param registered whether the coordinator knows of this start of the node: else clients of
   *     strands with copies could take it for the one that they have written to before
   */
  private void heartbeat(@Nullable Link at, boolean registered) throws IOException {
    boolean more = at != null;
    while (more && at != null) {
      long sentNanos = env.nanoTime();
      var reply = (CoordinatorReply.Removals) ask(at, guard.heartbeat(node, removed));
      guard.onTime(reply.nowMillis());
      if (registered) {
        answered.onHeartbeat(sentNanos, reply.lostEpoch(), reply.rebuilds());
      }
      sayIfClockIsOff();
      guard.revoke(reply.revoked());
      more = guard.adopt(reply.epoch(), reply.fences(), reply.returned());
      if (!more) { // else it is said again, and others wait for the next heartbeat
        remove(reply);
      }
    }
  }

  /** Once, until it is right again. */
  private void sayIfClockIsOff() {
    boolean off = Math.abs(guard.clockAheadMillis()) >= ClockOffset.WORTH_MILLIS;
    if (off && !clockIsOff) {
      log.accept(
          "trouble: this node's clock is %s the coordinator's; set it, for example by NTP"
              .formatted(ClockOffset.words(guard.clockAheadMillis())));
    }
    clockIsOff = off;
  }

  private void remove(CoordinatorReply.Removals reply) throws IOException {
    List<StrandId> done = new ArrayList<>();
    if (!reply.strands().isEmpty()) {
      try (Link own = dialer.local(Dialer.nameOfNode(node))) {
        for (StrandId strand : reply.strands()) {
          if (remove(own, strand)) {
            done.add(strand);
          }
        }
      }
    }
    removed = done;
  }

  private boolean remove(Link own, StrandId strand) {
    try {
      own.call(
          new NodeRequest.Remove(strand), MemorySegment.NULL, env.deadlineAfter(6 * ASK_NANOS));
      return true;
    } catch (NoSuchNameException e) {
      return true; // gone is gone
    } catch (IOException e) {
      log.accept("cannot remove " + strand + ", will try again: " + e);
      return false;
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
      while (running) {
        changed.await(Env.NEVER); // ends: every request of the thread has a deadline
      }
    } finally {
      lock.unlock();
    }
  }
}
