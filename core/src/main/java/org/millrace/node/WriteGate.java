package org.millrace.node;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.millrace.message.Peer;

/**
 * Admits the writes of one holder until it is shut, and knows whether one is in progress. Entering
 * and leaving take no lock and allocate nothing.
 *
 * <p>Safe for use by several threads.
 */
final class WriteGate {

  private static final int SHUT = Integer.MIN_VALUE;

  /** In which epoch of the coordinator the holder began. */
  final long epoch;

  private final AtomicInteger inside = new AtomicInteger(); // below zero once it is shut

  /** The sessions at this node that write in the holder's name. Guarded by the lock of Holders. */
  final Set<Peer> peers = new LinkedHashSet<>();

  WriteGate(long epoch) {
    this.epoch = epoch;
  }

  /** A write begins; false if the gate is shut. */
  boolean enter() {
    if (inside.incrementAndGet() > 0) {
      return true;
    }
    inside.decrementAndGet();
    return false;
  }

  /** A write that was let in has ended. */
  void leave() {
    inside.decrementAndGet();
  }

  /** Nothing is let in from now on. Called once. */
  void shut() {
    inside.addAndGet(SHUT);
  }

  /** Whether new requests are refused. */
  boolean isShut() {
    return inside.get() < 0;
  }

  /** Whether no write is under way. */
  boolean isIdle() {
    return (inside.get() & ~SHUT) == 0;
  }
}
