package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.Failure;
import org.millrace.protocol.RankRequest.Deliver;
import org.millrace.protocol.RankRequest.Refuse;
import org.millrace.protocol.RankRequest.Taken;
import org.millrace.protocol.RankRequest.Withdraw;

/**
 * Where messages of other ranks wait until they are received. While there is room, a message is
 * buffered and answered at once. Otherwise only its header is kept: the bytes stay in the sender's
 * memory, the sender waits, and the receiver fetches them when it has memory for them. So the
 * mailbox never exceeds its limit, however many and large the messages are.
 *
 * <pre>
 *   arrives with its bytes     room: Buffered, answered      no room: Held
 *   arrives without            room: Coming, a thread        no room: Held
 *                              fetches it, then Buffered
 *   received                   Buffered: copied              Held: fetched, then answered
 * </pre>
 *
 * <p>Messages of one sender with one tag are received in the order in which they were sent. Safe
 * for use by several threads: one lock guards everything; bytes are fetched outside of it.
 */
final class Mailbox implements Endpoint {

  /** Fetches the bytes of a message from its sender. */
  interface Fetcher {
    /** Fills {@code into} with the message's bytes. */
    void fetch(Deliver head, MemorySegment into) throws IOException;
  }

  /** A message in the mailbox. */
  sealed interface Incoming {
    /** What its sender said of it. */
    Deliver head();
  }

  /** A message whose bytes are the mailbox's own. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Buffered(Deliver head, byte[] bytes) implements Incoming {}

  /** A message whose bytes the sender still holds, waiting for a reply. */
  record Held(Deliver head, ReplyTo sender) implements Incoming {}

  /** A message that is being fetched into the mailbox. Compared by identity. */
  private static final class Coming implements Incoming {
    final Deliver head;

    Coming(Deliver head) {
      this.head = head;
    }

    @Override
    public Deliver head() {
      return head;
    }
  }

  /** In place of messages that a group's operation does not send because it has failed. */
  record Refused(Deliver head, Failure failure) implements Incoming {}

  /** As tag in {@link #take}: any that a program may give, none of the group's own. */
  static final long ANY_TAG = Long.MAX_VALUE;

  /** The longest array that any JVM can make. */
  static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

  /** What a message takes beside its bytes, roughly: many empty ones are bounded, too. */
  private static final int MESSAGE_BYTES = 64;

  // constant after construction
  private final Env env;
  private final long bound;
  private final Outbox outbox;
  private final Fetcher fetcher;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal arrived;
  private final Signal answered;

  // guarded by lock
  private final List<Incoming> messages = new ArrayList<>();
  private long buffered;
  private int unanswered; // senders of messages that can be received already
  private boolean closed;

  Mailbox(Env env, long boundBytes, Outbox outbox, Fetcher fetcher) {
    this.outbox = outbox;
    this.env = env;
    this.bound = boundBytes;
    this.fetcher = fetcher;
    this.arrived = env.signal(lock);
    this.answered = env.signal(lock);
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    switch (request) {
      case Deliver head -> deliver(head, payload.packed(), replyTo);
      case Withdraw withdraw -> {
        takeBack(withdraw);
        replyTo.reply(new Taken());
      }
      case Refuse refuse -> {
        refuse(refuse);
        replyTo.reply(new Taken());
      }
      default ->
          replyTo.fail(
              new MillraceException(ErrorCode.PROTOCOL, "a rank does not serve " + request));
    }
  }

  /** Others fetch what this participant has sent. */
  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    return outbox.read(key, offset, into, at, length);
  }

  private void deliver(Deliver head, MemorySegment payload, ReplyTo replyTo) {
    Incoming message;
    lock.lock();
    try {
      if (closed) {
        replyTo.fail(new RankFailedException("the receiving rank has ended"));
        return;
      }
      if (head.bytes() > bound - buffered - MESSAGE_BYTES || head.bytes() > MAX_ARRAY_BYTES) {
        message = new Held(head, replyTo);
      } else {
        buffered += head.bytes() + MESSAGE_BYTES;
        message =
            head.isWhole()
                ? new Buffered(head, payload.toArray(ValueLayout.JAVA_BYTE))
                : new Coming(head);
      }
      messages.add(message);
      unanswered += message instanceof Buffered ? 1 : 0;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    switch (message) {
      case Held _ -> replyTo.release();
      case Coming coming ->
          env.start(ThreadKind.OPERATION, "fetches a message", () -> buffer(coming, head, replyTo));
      case Buffered _, Refused _ -> answer(replyTo);
    }
  }

  /** Tells a sender that its message is here, whether or not it was received meanwhile. */
  private void answer(ReplyTo replyTo) {
    try {
      replyTo.reply(new Taken());
    } finally {
      lock.lock();
      try {
        unanswered--;
        answered.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Fetches a message for which room is set aside. */
  private void buffer(Coming coming, Deliver head, ReplyTo replyTo) {
    try {
      byte[] bytes = new byte[(int) head.bytes()];
      fetcher.fetch(head, MemorySegment.ofArray(bytes));
      if (replace(coming, new Buffered(head, bytes))) {
        answer(replyTo);
      } else {
        replyTo.fail(new RankFailedException("the receiving rank has ended"));
      }
    } catch (IOException e) { // the sender's affair: it is told
      replace(coming, null);
      replyTo.fail(MillraceException.wrap(ErrorCode.RANK_FAILED, e));
    } catch (RuntimeException | Error e) { // or it would wait for its deadline
      replace(coming, null);
      replyTo.fail(new MillraceException(ErrorCode.RANK_FAILED, "fetching a message: " + e, e));
      throw e;
    }
  }

  /** Replaces a message by another, or by none; false if the mailbox is closed. */
  private boolean replace(Coming coming, @Nullable Buffered by) {
    lock.lock();
    try {
      int at = messages.indexOf(coming);
      if (at < 0) {
        return false;
      }
      if (by == null) {
        messages.remove(at);
        buffered -= coming.head.bytes() + MESSAGE_BYTES;
      } else {
        messages.set(at, by);
        unanswered++;
        arrived.signalAll();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Drops a message whose bytes the sender still holds, since it will reuse the memory. */
  private void takeBack(Withdraw withdraw) {
    Held found = null;
    lock.lock();
    try {
      for (int i = 0; i < messages.size() && found == null; i++) {
        Deliver head = messages.get(i).head();
        if (messages.get(i) instanceof Held held
            && head.group() == withdraw.group()
            && head.from() == withdraw.from()
            && head.messageId() == withdraw.messageId()) {
          found = held;
          messages.remove(i);
        }
      }
    } finally {
      lock.unlock();
    }
    if (found != null) {
      found.sender.fail(new DeadlineException("the message was not received in time"));
    }
  }

  private void refuse(Refuse refuse) {
    lock.lock();
    try {
      if (!closed && refuse.tag() < 0) { // what a program sends is its own affair
        var head = new Deliver(refuse.group(), refuse.from(), refuse.tag(), 0, 0, 0, true);
        messages.add(new Refused(head, refuse.failure()));
        arrived.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the first message that fits, or returns null if none came before {@code deadlineNanos}.
   *
   * @param from the sender, or -1 for any
   * @param tag its tag, or {@link #ANY_TAG}
   * @param maxBytes how long it may be
   * @throws MillraceException INVALID if it is longer; then it stays
   */
  @Nullable Incoming take(long group, int from, long tag, long maxBytes, long deadlineNanos)
      throws MillraceException {
    lock.lock();
    try {
      boolean inTime = true;
      while (true) {
        int found = find(group, from, tag);
        if (found >= 0) {
          return remove(found, maxBytes);
        }
        if (closed) {
          throw new MillraceException(ErrorCode.CLOSED, "this rank has ended");
        }
        if (!inTime) {
          return null;
        }
        inTime = arrived.await(deadlineNanos);
      }
    } finally {
      lock.unlock();
    }
  }

  /** What says that an operation of the group has failed at another rank, or null. */
  @Nullable Refused refused(long group, long tag) {
    lock.lock();
    try {
      for (Incoming message : messages) {
        if (message instanceof Refused refused
            && refused.head.group() == group
            && refused.head.tag() == tag) {
          return refused;
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Where the first message is that fits; else what says that it will not come; else -1. */
  private int find(long group, int from, long tag) {
    int refused = -1;
    for (int i = 0; i < messages.size(); i++) {
      Incoming message = messages.get(i);
      Deliver head = message.head();
      boolean tagged = tag == ANY_TAG ? head.tag() >= 0 : head.tag() == tag;
      if (head.group() != group || !tagged) {
        continue;
      }
      if (message instanceof Refused) {
        refused = refused < 0 ? i : refused; // of any rank: the operation has failed
      } else if (!(message instanceof Coming) && (from < 0 || head.from() == from)) {
        return i;
      }
    }
    return refused;
  }

  private Incoming remove(int index, long maxBytes) throws MillraceException {
    Incoming message = messages.get(index);
    long bytes = message.head().bytes();
    if (bytes > maxBytes) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "a message of %s bytes of rank %s is longer than the %s that can be received"
              .formatted(bytes, message.head().from(), maxBytes));
    }
    if (message instanceof Refused) {
      return message; // stays: other threads of this rank may wait in the same operation
    }
    messages.remove(index);
    if (message instanceof Buffered) {
      buffered -= bytes + MESSAGE_BYTES;
    }
    return message;
  }

  /**
   * Fails the senders that still wait. Returns when all others know that their messages were taken:
   * the process may end then, and nobody who was received takes it for a failure.
   */
  void close() {
    List<Incoming> left;
    lock.lock();
    try {
      closed = true;
      left = List.copyOf(messages);
      messages.clear();
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    for (Incoming message : left) {
      if (message instanceof Held held) {
        held.sender.fail(new RankFailedException("the receiving rank has ended"));
      }
    }
    lock.lock();
    try {
      while (unanswered > 0) {
        answered.await(Env.NEVER); // ends: an answer does not wait
      }
    } finally {
      lock.unlock();
    }
  }
}
