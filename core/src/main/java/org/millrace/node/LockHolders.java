package org.millrace.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.protocol.Fence;
import org.millrace.protocol.Holder;

/**
 * The holders in whose name sessions write at a node, and those that the coordinator has fenced:
 * their gates stay shut, and the node reports when none of their writes is in progress. Holders of
 * earlier epochs write on while their sessions may come back to a coordinator that was restarted;
 * then all are fenced that did not.
 *
 * <pre>
 *            Present                fence, another epoch             idle
 *   unknown --------&gt; open gate -----------------------&gt; draining ------&gt; done
 * </pre>
 *
 * <p>Safe for use by several threads. What is kept is bounded by the sessions that are there and
 * the fences that have not expired.
 */
final class LockHolders {

  /**
   * How far the node has come: no holder that a fence of this epoch up to a number names writes;
   * none of an earlier epoch that did not come back, if the number is 0; {@link #UNDECIDED} before.
   */
  record Progress(long epoch, long number) {}

  private static final long UNDECIDED = -1;

  /**
   * What came of what the coordinator said: whether any of it was new, and whose gates were shut.
   */
  record Adopted(boolean fresh, List<Peer> shut) {}

  // constant after construction
  private final Env env;
  private final String name;
  private final BooleanSupplier settled;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Long, WriteGate> open = new HashMap<>(); // by session
  private final Map<Long, Long> fenced = new HashMap<>(); // until when, by session
  private Set<Long> returned = Set.of(); // sessions of epochs before decided that write on
  private long decided; // holders of epochs before this one write only if they have returned
  private final List<WriteGate> draining = new ArrayList<>();
  private Progress told = new Progress(0, 0);
  private Progress done = told;

  /**
   * No holder yet.
   *
   * @param settled whether ended sessions can no longer change anything
   */
  LockHolders(Env env, String name, BooleanSupplier settled) {
    this.env = env;
    this.name = name;
    this.settled = settled;
  }

  /**
   * The gate of a holder in whose name a session is going to write; null if its epoch is unknown.
   */
  @Nullable WriteGate join(Peer peer, Holder holder) throws MillraceException {
    lock.lock();
    try {
      if (told.epoch != 0 && !mayWrite(holder)) {
        return null;
      }
      if (fenced.containsKey(holder.session())) {
        throw refused(peer);
      }
      WriteGate gate = open.computeIfAbsent(holder.session(), _ -> new WriteGate(holder.epoch()));
      gate.peers.add(peer);
      return gate;
    } finally {
      lock.unlock();
    }
  }

  private boolean mayWrite(Holder holder) {
    return holder.epoch() <= told.epoch
        && (holder.epoch() >= decided || returned.contains(holder.session()));
  }

  /** A session has ended; what it has under way still counts. */
  void leave(Peer peer, WriteGate gate) {
    lock.lock();
    try {
      gate.peers.remove(peer);
      dropUnused();
    } finally {
      lock.unlock();
    }
  }

  private void dropUnused() {
    open.values().removeIf(gate -> gate.peers.isEmpty() && gate.isIdle());
  }

  /**
   * The coordinator of this epoch says which holders are fenced.
   *
   * @param back sessions of earlier epochs that write on; empty while that is not known
   */
  Adopted adopt(long epoch, List<Fence> fences, Optional<List<Long>> back) {
    List<WriteGate> shut = new ArrayList<>();
    List<Peer> peers = new ArrayList<>();
    boolean fresh = false;
    lock.lock();
    try {
      if (epoch != told.epoch) {
        told = new Progress(epoch, UNDECIDED);
        fresh = true;
      }
      if (told.number == UNDECIDED && back.isPresent()) {
        told = new Progress(epoch, 0);
        decided = epoch;
        returned = Set.copyOf(back.get());
        open.entrySet().removeIf(each -> isLeftBehind(each.getKey(), each.getValue(), shut));
        fresh = true;
      }
      for (Fence fence : fences) {
        if (fence.number() > told.number) {
          told = new Progress(epoch, fence.number());
          fresh = true;
        }
        fenced.put(fence.session(), fence.untilMillis());
        WriteGate gate = open.remove(fence.session());
        if (gate != null) {
          shut.add(gate);
        }
      }
      for (WriteGate gate : shut) {
        gate.shut();
        peers.addAll(gate.peers);
      }
      draining.addAll(shut);
      long now = env.wallMillis();
      fenced.values().removeIf(until -> until <= now); // its capabilities have expired
      dropUnused();
    } finally {
      lock.unlock();
    }
    return new Adopted(fresh, peers);
  }

  /** Whether a holder has not come back; then its gate is to be shut. */
  private boolean isLeftBehind(long session, WriteGate gate, List<WriteGate> shut) {
    boolean left = gate.epoch < decided && !returned.contains(session);
    if (left) {
      shut.add(gate);
    }
    return left;
  }

  /** How far this node has come. */
  Progress progress() {
    lock.lock();
    try {
      draining.removeIf(WriteGate::isIdle);
      if (draining.isEmpty() && settled.getAsBoolean()) {
        done = told;
      }
      return done;
    } finally {
      lock.unlock();
    }
  }

  /** Why a write is refused. */
  MillraceException refused(Peer peer) {
    return new MillraceException(
        ErrorCode.RESTARTED,
        "%s refuses writes of user %s's session %s: it has ended at the coordinator, and its locks"
                .formatted(name, peer.user(), peer.session())
            + " may be others'; open again");
  }
}
