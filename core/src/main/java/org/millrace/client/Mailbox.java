package org.millrace.client;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.RankRequest.Deliver;
import org.millrace.protocol.RankRequest.Taken;
import org.millrace.protocol.RankRequest.Withdraw;

/**
 * Where messages of other ranks wait until they are received. Small ones are copied and answered at
 * once, up to a bound; beyond it a message stays in its sender's memory, and the sender waits,
 * until it is received.
 *
 * <p>Messages of one sender with one tag are received in the order in which they were sent. Safe
 * for use by several threads: one lock guards everything.
 */
final class Mailbox implements Endpoint {

  /**
   * A message that waits: its bytes are the mailbox's own, or still the sender's, who waits for an
   * answer.
   */
  private sealed interface Letter {
    Deliver head();
  }

  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record Own(Deliver head, byte[] bytes) implements Letter {}

  private record Held(Deliver head, MemorySegment payload, ReplyTo sender) implements Letter {}

  /** As tag in {@link #take}: any that a program may give, none of the group's own. */
  static final long ANY_TAG = Long.MAX_VALUE;

  /** What a message takes beside its bytes, roughly: many empty ones are bounded, too. */
  private static final int LETTER_BYTES = 64;

  // constant after construction
  private final long bound;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal arrived;

  // guarded by lock
  private final List<Letter> letters = new ArrayList<>();
  private long buffered;
  private boolean closed;

  Mailbox(Env env, long boundBytes) {
    this.bound = boundBytes;
    this.arrived = env.signal(lock);
  }

  @Override
  public void onRequest(Peer from, Message request, MemorySegment payload, ReplyTo replyTo) {
    switch (request) {
      case Deliver head -> deliver(head, payload, replyTo);
      case Withdraw withdraw -> {
        takeBack(withdraw);
        replyTo.reply(new Taken());
      }
      default ->
          replyTo.fail(
              new MillraceException(ErrorCode.PROTOCOL, "a rank does not serve " + request));
    }
  }

  private void deliver(Deliver head, MemorySegment payload, ReplyTo replyTo) {
    boolean held = false;
    lock.lock();
    try {
      if (closed) {
        replyTo.fail(new RankFailedException("the receiving rank has ended"));
        return;
      }
      long bytes = payload.byteSize() + LETTER_BYTES;
      held = buffered + bytes > bound;
      if (held) {
        letters.add(new Held(head, payload, replyTo));
      } else {
        buffered += bytes;
        letters.add(new Own(head, payload.toArray(ValueLayout.JAVA_BYTE)));
      }
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    if (!held) {
      replyTo.reply(new Taken());
    }
  }

  /** Forgets a message that is still its sender's, who will use the memory for something else. */
  private void takeBack(Withdraw withdraw) {
    Held found = null;
    lock.lock();
    try {
      for (int i = 0; i < letters.size() && found == null; i++) {
        Deliver head = letters.get(i).head();
        if (letters.get(i) instanceof Held held
            && head.group() == withdraw.group()
            && head.from() == withdraw.from()
            && head.letter() == withdraw.letter()) {
          found = held;
          letters.remove(i);
        }
      }
    } finally {
      lock.unlock();
    }
    if (found != null) {
      found.sender.fail(new DeadlineException("the message was not received in time"));
    }
  }

  /**
   * Takes the first message that fits, or returns null if none came before {@code deadlineNanos}.
   *
   * @param from the sender, or -1 for any
   * @param tag its tag, or {@link #ANY_TAG}
   */
  @Nullable Received take(long group, int from, long tag, long deadlineNanos)
      throws MillraceException {
    lock.lock();
    try {
      while (true) {
        Letter letter = find(group, from, tag);
        if (letter != null) {
          return open(letter);
        }
        if (closed) {
          throw new MillraceException(ErrorCode.CLOSED, "this rank has ended");
        }
        if (!arrived.await(deadlineNanos)) {
          letter = find(group, from, tag);
          return letter == null ? null : open(letter);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Letter find(long group, int from, long tag) {
    for (int i = 0; i < letters.size(); i++) {
      Deliver head = letters.get(i).head();
      boolean tagged = tag == ANY_TAG ? head.tag() >= 0 : head.tag() == tag;
      if (head.group() == group && tagged && (from < 0 || head.from() == from)) {
        return letters.remove(i);
      }
    }
    return null;
  }

  private Received open(Letter letter) {
    return switch (letter) {
      case Own(Deliver head, byte[] bytes) -> {
        buffered -= bytes.length + LETTER_BYTES;
        yield new Received(head.from(), head.tag(), bytes);
      }
      case Held(Deliver head, MemorySegment payload, ReplyTo sender) -> {
        byte[] bytes = payload.toArray(ValueLayout.JAVA_BYTE);
        sender.reply(new Taken());
        yield new Received(head.from(), head.tag(), bytes);
      }
    };
  }

  void close() {
    List<Letter> left;
    lock.lock();
    try {
      closed = true;
      left = List.copyOf(letters);
      letters.clear();
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    for (Letter letter : left) {
      if (letter instanceof Held held) {
        held.sender.fail(new RankFailedException("the receiving rank has ended"));
      }
    }
  }
}
