package org.millrace.message;

import java.io.IOException;
import org.millrace.env.Env;
import org.millrace.wire.RingWire;
import org.millrace.wire.Spin;
import org.millrace.wire.Wire;

/**
 * Lets a thread that waits for an answer take bytes off its connection itself, where that is
 * quicker than being woken by the hub that does it else: out of a ring for a short while, out of a
 * socket until the answer is there. Called with the connection's lock for reading. No state.
 */
final class AnswerReader {

  /** How long a thread waits for a socket before it looks whether somebody else answered. */
  private static final long LOOK_NANOS = 100_000_000;

  private AnswerReader() {}

  /** Looks at a ring for as long as that pays. */
  static void look(Connection at, RingWire ring, Spin spin, Pending answer) throws IOException {
    ring.wake();
    boolean came = spin.await(() -> isAnswered(at, ring, answer));
    while (!at.isLost() && !ring.sleep()) {
      readAll(at);
    }
    if (!came) {
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
      // what is in the reader's buffer nobody else would see
    }
  }

  /**
   * Waits for a socket until the answer is there or the time has come; writes what waits for room,
   * too. The reader's buffer is empty afterwards.
   */
  static void await(Connection at, Wire wire, Env env, Pending answer, long untilNanos)
      throws IOException {
    readAll(at);
    while (!answer.isDone() && !at.isLost() && !Thread.currentThread().isInterrupted()) {
      long left = untilNanos == Env.NEVER ? LOOK_NANOS : untilNanos - env.nanoTime();
      if (left <= 0) {
        return;
      }
      wire.await(at.hasQueued(), Math.min(left, LOOK_NANOS));
      at.flush();
      readAll(at);
    }
  }
}
