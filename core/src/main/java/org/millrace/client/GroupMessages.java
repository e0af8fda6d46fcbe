package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Failure;
import org.millrace.protocol.RankRequest;

/**
 * Messages between the ranks of a group, of any length. Safe for use by several threads; {@link
 * Sending} is not.
 */
final class GroupMessages {

  /** How long a receiver waits before it says so and asks whether the sender still lives. */
  private static final long CHECK_NANOS = DeclaredWait.DECLARE_AFTER_NANOS;

  /** How long a rank that fails waits until the others know. */
  private static final long TELL_NANOS = 1_000_000_000;

  // constant after construction
  private final Rank rank;

  GroupMessages(Rank rank) {
    this.rank = rank;
  }

  /** A message on its way. */
  private record Sent(int to, long messageId, Link link, Pending pending) {}

  /**
   * Messages under one tag that are sent at once, so that no slow receiver holds up the others. A
   * rank that waits for messages of others {@linkplain #check checks} these. Closing ends all of
   * them: from then on no rank reads their memory. For one thread.
   */
  final class Sending implements AutoCloseable {

    private final long tag;
    private final List<Sent> under = new ArrayList<>();

    Sending(long tag) {
      this.tag = tag;
    }

    void start(int to, MemorySegment bytes) {
      under.add(GroupMessages.this.start(to, tag, bytes));
    }

    /** Throws if one of them has failed. */
    void check() throws IOException {
      for (Sent one : List.copyOf(under)) {
        if (one.pending.isDone()) {
          under.remove(one);
          awaitTaken(one);
        }
      }
    }

    /** Waits until all are taken; the first that fails counts. */
    void await() throws IOException {
      long deadline = rank.session().meetingDeadline();
      check();
      while (!under.isEmpty()) {
        if (!awaitSome(under.getFirst().pending, deadline)) {
          withdraw(under.removeFirst());
        }
        check();
      }
    }

    /** Waits a while for one of them; false if its time is up. */
    private boolean awaitSome(Pending one, long deadline) throws IOException {
      Env env = rank.session().env();
      long until = Math.min(deadline, env.deadlineAfter(CHECK_NANOS));
      try {
        one.await(until);
        return true;
      } catch (IOException e) { // if it is its own error, check tells it
        if (!one.isDone() && tag < 0) {
          checkRefused(tag);
        }
        return one.isDone() || env.nanoTime() < deadline;
      }
    }

    /**
     * Tells the receivers of what is still under way why they will not get it. To be called before
     * closing: a receiver that finds a message taken back knows the reason then.
     */
    void tellReceivers(Mailbox.Refused reason) {
      int[] receivers = under.stream().mapToInt(Sent::to).distinct().toArray();
      tell(
          receivers,
          new RankRequest.Refuse(rank.group(), reason.head().from(), tag, reason.failure()));
    }

    @Override
    public void close() {
      for (Sent one : under) {
        rank.session().outbox().remove(one.messageId);
        one.pending.abandon();
      }
      under.clear();
    }
  }

  void send(int to, long tag, MemorySegment bytes) throws IOException {
    try (Sending one = new Sending(tag)) {
      one.start(to, bytes);
      one.await();
    }
  }

  /** Throws if another rank has said that the group's operation has failed. */
  void checkRefused(long tag) throws RefusedException {
    Mailbox.Refused refused = rank.session().mailbox().refused(rank.group(), tag);
    if (refused != null) {
      throw new RefusedException(refused);
    }
  }

  private Sent start(int to, long tag, MemorySegment bytes) {
    Session session = rank.session();
    MemorySegment open = openToAll(bytes);
    Link link = session.participant(rank.participant(to));
    boolean whole = open.byteSize() <= link.maxPayloadBytes();
    long messageId = session.outbox().add(open);
    var head =
        new RankRequest.Deliver(
            rank.group(),
            rank.number(),
            tag,
            messageId,
            open.byteSize(),
            session.participant(),
            whole);
    return new Sent(to, messageId, link, link.start(head, whole ? open : Session.NOTHING));
  }

  /** Memory that the receiver's thread may read, too. */
  private static MemorySegment openToAll(MemorySegment bytes) {
    return bytes.isAccessibleBy(Env.ANY_THREAD)
        ? bytes
        : Arena.ofAuto().allocate(bytes.byteSize()).copyFrom(bytes);
  }

  /** Ends a message whose answer is there, or whose time is up. */
  private void awaitTaken(Sent sent) throws IOException {
    try {
      sent.pending.await(rank.session().deadline());
    } catch (RankFailedException | DeadlineException e) {
      throw withContext(e, "sends to rank " + sent.to);
    } finally {
      rank.session().outbox().remove(sent.messageId);
      sent.pending.abandon();
    }
  }

  private void withdraw(Sent sent) throws IOException {
    // the memory is the caller's again: no rank may receive from it any more
    var back = new RankRequest.Withdraw(rank.group(), rank.number(), sent.messageId);
    try {
      sent.link.call(back, Session.NOTHING, rank.session().deadline());
    } finally {
      awaitTaken(sent); // well, if it was received at the last moment
    }
  }

  Received receive(int from, long tag) throws IOException {
    Mailbox.Incoming message = await(from, tag, Mailbox.MAX_ARRAY_BYTES, null);
    return new Received(message.head().from(), message.head().tag(), bytes(message));
  }

  /** As {@link #receive(int, long)}, and throws if one of {@code meanwhile} fails. */
  byte[] receive(int from, long tag, Sending meanwhile) throws IOException {
    return bytes(await(from, tag, Mailbox.MAX_ARRAY_BYTES, meanwhile));
  }

  long receive(int from, long tag, MemorySegment into, @Nullable Sending meanwhile)
      throws IOException {
    Mailbox.Incoming message = await(from, tag, into.byteSize(), meanwhile);
    if (message instanceof Mailbox.Buffered(RankRequest.Deliver _, byte[] bytes)) {
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, into, 0, bytes.length);
    } else {
      open(message, into);
    }
    return message.head().bytes();
  }

  private byte[] bytes(Mailbox.Incoming message) throws IOException {
    if (message instanceof Mailbox.Buffered(RankRequest.Deliver _, byte[] bytes)) {
      return bytes;
    }
    byte[] bytes = new byte[(int) message.head().bytes()];
    open(message, MemorySegment.ofArray(bytes));
    return bytes;
  }

  /** Gets the bytes of a message that are not in the mailbox. */
  private void open(Mailbox.Incoming message, MemorySegment into) throws IOException {
    switch (message) {
      case Mailbox.Held(RankRequest.Deliver head, var sender) -> {
        try {
          rank.session().fetch(head, into);
        } catch (IOException e) {
          MillraceException reason = MillraceException.wrap(ErrorCode.RANK_FAILED, e);
          sender.fail(reason);
          if (head.tag() < 0) {
            checkRefused(head.tag()); // the sender took it back because the operation has failed
          }
          throw withContext(reason, "receives from rank " + head.from());
        }
        sender.reply(new RankRequest.Taken());
      }
      case Mailbox.Refused refused -> throw new RefusedException(refused);
      default -> throw new IllegalStateException("not to be opened: " + message);
    }
  }

  /** What another rank has already told everybody. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient Mailbox.Refused refused;

    RefusedException(Mailbox.Refused refused) {
      this.refused = refused;
    }

    Mailbox.Refused refused() {
      return refused;
    }

    /** The error that all ranks throw. */
    MillraceException withContext() {
      Failure failure = refused.failure();
      ErrorCode code = failure.code() == null ? ErrorCode.RANK_FAILED : failure.code();
      return MillraceException.of(code, refused.head().from(), failure.message())
          .withDetail(failure.detail());
    }
  }

  /** Tells all other ranks that an operation of the group has failed here. */
  void refuse(long tag, MillraceException reason) {
    int[] others = new int[rank.size() - 1];
    for (int i = 0; i < others.length; i++) {
      others[i] = (rank.number() + 1 + i) % rank.size();
    }
    var request = new RankRequest.Refuse(rank.group(), rank.number(), tag, Failure.of(reason));
    tell(others, request).forEach(reason::addSuppressed);
  }

  /** Returns when all were notified; failures may mean that some have ended. */
  private List<IOException> tell(int[] ranks, RankRequest.Refuse request) {
    Session session = rank.session();
    List<Pending> told = new ArrayList<>();
    for (int to : ranks) {
      told.add(session.participant(rank.participant(to)).start(request, Session.NOTHING));
    }
    List<IOException> failures = new ArrayList<>();
    long deadline = session.env().deadlineAfter(TELL_NANOS);
    for (Pending one : told) {
      try {
        one.await(deadline);
      } catch (IOException e) {
        failures.add(e); // the others must still learn of it
      }
    }
    return failures;
  }

  private Mailbox.Incoming await(int from, long tag, long maxBytes, @Nullable Sending meanwhile)
      throws IOException {
    Session session = rank.session();
    if (meanwhile != null) {
      meanwhile.check();
    }
    long soon = session.env().deadlineAfter(CHECK_NANOS);
    Mailbox.Incoming message = session.mailbox().take(rank.group(), from, tag, maxBytes, soon);
    if (message != null) {
      return message;
    }
    String what = tag == Mailbox.ANY_TAG ? "receive" : "receive, tag " + tag;
    try (DeclaredWait wait = DeclaredWait.forMessage(rank, what, from)) {
      return await(from, tag, maxBytes, meanwhile, wait);
    }
  }

  private Mailbox.Incoming await(
      int from, long tag, long maxBytes, @Nullable Sending meanwhile, DeclaredWait wait)
      throws IOException {
    Session session = rank.session();
    Mailbox mailbox = session.mailbox();
    long deadline = session.meetingDeadline();
    while (true) {
      wait.declare(0);
      if (meanwhile != null) {
        meanwhile.check();
      }
      long waitUntilNanos = Math.min(deadline, session.env().deadlineAfter(CHECK_NANOS));
      Mailbox.Incoming message = mailbox.take(rank.group(), from, tag, maxBytes, waitUntilNanos);
      if (message != null) {
        return message;
      }
      MillraceException hopeless = whyNobodyCanSend(from);
      if (hopeless != null) {
        // what the sender sent before it ended has arrived by now
        long now = session.env().nanoTime();
        Mailbox.Incoming last = mailbox.take(rank.group(), from, tag, maxBytes, now);
        if (last != null) {
          return last;
        }
        throw hopeless;
      }
      if (session.env().nanoTime() >= deadline) {
        throw new DeadlineException(rank + " received no message of rank " + from + ", tag " + tag);
      }
    }
  }

  /** Why it is of no use to wait for a message, or null. */
  private @Nullable MillraceException whyNobodyCanSend(int from) {
    Map<Integer, String> gone;
    try {
      var request = new CoordinatorRequest.AskMembers(rank.group());
      gone = ((CoordinatorReply.Members) rank.session().ask(request)).gone();
    } catch (
        IOException e) { // without a coordinator this rank would never learn that another has ended
      MillraceException lost = MillraceException.wrap(ErrorCode.NODE, e);
      return waits(
          lost.code(), "the coordinator does not say which ranks are there: " + e.getMessage(), e);
    }
    if (from != Rank.ANY) {
      String reason = gone.get(from);
      return reason == null
          ? null
          : waits(ErrorCode.RANK_FAILED, "rank " + from + " has ended: " + reason, null);
    }
    int others = gone.size() - (gone.containsKey(rank.number()) ? 1 : 0);
    return others < rank.size() - 1
        ? null
        : waits(ErrorCode.RANK_FAILED, "all other ranks have ended: " + gone, null);
  }

  private MillraceException waits(ErrorCode code, String reason, @Nullable IOException cause) {
    MillraceException told = MillraceException.of(code, rank + " waits for a message: " + reason);
    if (cause != null) {
      told.initCause(cause);
    }
    return told;
  }

  private MillraceException withContext(MillraceException e, String what) {
    MillraceException told =
        MillraceException.of(e.code(), rank + " " + what + ": " + e.getMessage());
    told.initCause(e);
    return told;
  }
}
