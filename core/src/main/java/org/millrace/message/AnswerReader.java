package org.millrace.message;

import java.io.IOException;
import org.millrace.env.Env;
import org.millrace.wire.RingWire;
import org.millrace.wire.Spin;
import org.millrace.wire.Wire;

/**
 * Lets a thread that waits for a reply read its connection itself, where that is quicker than being
 * woken by the event loop. A ring is looked at for a short while first. Platform threads then wait
 * for the socket, which is a ring's bell; virtual ones leave that to the event loop. Called with
 * the connection's lock for reading. Stateless.
 */
final class AnswerReader {

  /**
   * How long a thread waits for a socket before it checks whether another thread received the
   * reply.
   */
  private static final long LOOK_NANOS = 100_000_000;

  private AnswerReader() {}

  /**
   * Spins on a ring for as long as that pays, and then, if {@code waits}, sleeps until its bell
   * rings, again and again until the reply arrives or the time is over. The bell wakes the event
   * loop afterwards.
   */
  static void look(
      Connection at, RingWire ring, Spin spin, Pending answer, boolean waits, long untilNanos)
      throws IOException {
    ring.wake();
    boolean arrived = spin.await(() -> isAnswered(at, ring, answer));
    if (!arrived && waits) {
      await(at, ring, answer, untilNanos);
    }
    while (!at.isLost() && !ring.sleep()) {
      readAll(at);
    }
    if (!arrived) {
      spin.woke();
    }
  }

  private static boolean isAnswered(Connection at, RingWire ring, Pending answer) {
    if (!answer.isDone() && ring.hasBytes()) {
      readAll(at);
    }
    return answer.isDone() || at.isLost();
  }

  private static void readAll(Connection at) {
    while (at.read() == FrameReader.Turn.MORE) {
      // no other thread would see what is left in the reader's buffer
    }
  }

  /**
   * Waits for a socket, or for the bell of a ring, until the reply arrives or the time is over;
   * writes queued frames, too. The reader's buffer is empty afterwards.
   */
  static void await(Connection at, Wire wire, Pending answer, long untilNanos) throws IOException {
    readAll(at);
    while (!answer.isDone() && !at.isLost() && !Thread.currentThread().isInterrupted()) {
      long left = untilNanos == Env.NEVER ? LOOK_NANOS : untilNanos - at.nanoTime();
      if (left <= 0) {
        return;
      }
      wire.await(at.hasQueued(), Math.min(left, LOOK_NANOS));
      at.flush();
      readAll(at);
    }
  }
}
