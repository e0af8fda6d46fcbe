package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.RankRequest;

/**
 * The group's operations on data. Each first meets at the coordinator, which compares what the
 * ranks call, then moves the bytes from rank to rank under a tag of its own, the number of the
 * meeting. Belongs to the rank's thread, except send and receive.
 */
final class Collectives {

  /** How long a receiver waits before it asks whether the sender still lives. */
  private static final long PATIENCE_NANOS = 50_000_000;

  /** The longest array that any JVM can make. */
  private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

  // constant after construction
  private final Rank rank;
  private final Channel channel;

  Collectives(Rank rank, Channel channel) {
    this.rank = rank;
    this.channel = channel;
  }

  /** Meets and returns the tag under which the data of this operation move. */
  private long meet(String call, long argument, String detail) throws IOException {
    var meeting =
        channel.start(new Channel.Call(call, argument, detail, 0, new Effect.None()), false);
    meeting.await();
    return -1 - meeting.sequence();
  }

  private int checkRank(int other) {
    if (other < 0 || other >= rank.size()) {
      throw new IllegalArgumentException("rank " + other + " is not in 0.." + (rank.size() - 1));
    }
    return other;
  }

  byte[] broadcast(int root, byte[] bytes) throws IOException {
    long tag = meet("broadcast", checkRank(root), "");
    if (rank.number() != root) {
      return receive(root, tag).bytes();
    }
    sendToOthers(tag, MemorySegment.ofArray(bytes));
    return bytes;
  }

  void broadcast(int root, MemorySegment inPlace) throws IOException {
    long tag = meet("broadcast", checkRank(root), inPlace.byteSize() + " bytes in place");
    if (rank.number() == root) {
      sendToOthers(tag, inPlace);
    } else {
      receive(root, tag, inPlace);
    }
  }

  private void sendToOthers(long tag, MemorySegment bytes) throws IOException {
    List<MemorySegment> parts = new ArrayList<>(Collections.nCopies(rank.size(), bytes));
    sendParts(tag, parts);
  }

  /**
   * Sends part i to rank i, all at once, so that no slow receiver holds up the others; not to
   * itself.
   */
  private void sendParts(long tag, List<MemorySegment> parts) throws IOException {
    List<Sent> sent = new ArrayList<>();
    for (int i = 1; i < parts.size(); i++) {
      int to = (rank.number() + i) % parts.size(); // not all ranks to rank 0 first
      sent.add(start(to, tag, parts.get(to)));
    }
    for (Sent one : sent) {
      awaitTaken(one);
    }
  }

  List<byte[]> gather(int root, byte[] mine) throws IOException {
    return gather(root, mine, meet("gather", checkRank(root), ""));
  }

  private List<byte[]> gather(int root, byte[] mine, long tag) throws IOException {
    if (rank.number() != root) {
      send(root, tag, MemorySegment.ofArray(mine));
      return List.of();
    }
    return receiveAll(mine, tag);
  }

  private List<byte[]> receiveAll(byte[] mine, long tag) throws IOException {
    List<byte[]> all = new ArrayList<>();
    for (int from = 0; from < rank.size(); from++) {
      all.add(from == rank.number() ? mine : receive(from, tag).bytes());
    }
    return all;
  }

  List<byte[]> allGather(byte[] mine) throws IOException {
    long tag = meet("allGather", 0, "bytes");
    return exchange(tag, Collections.nCopies(rank.size(), mine));
  }

  List<byte[]> allToAll(List<byte[]> parts) throws IOException {
    if (parts.size() != rank.size()) {
      throw new IllegalArgumentException(parts.size() + " parts for " + rank.size() + " ranks");
    }
    return exchange(meet("allToAll", 0, ""), parts);
  }

  /**
   * Everybody sends to everybody; receiving goes on meanwhile because messages beyond the bound
   * wait at their senders.
   */
  private List<byte[]> exchange(long tag, List<byte[]> parts) throws IOException {
    List<Sent> sent = new ArrayList<>();
    for (int i = 1; i < parts.size(); i++) {
      int to = (rank.number() + i) % parts.size();
      sent.add(start(to, tag, MemorySegment.ofArray(parts.get(to))));
    }
    List<byte[]> all = receiveAll(parts.get(rank.number()), tag);
    for (Sent one : sent) {
      awaitTaken(one);
    }
    return all;
  }

  double[] reduce(int root, double[] mine, DoubleBinaryOperator operator) throws IOException {
    long tag = meet("reduce", checkRank(root), mine.length + " doubles");
    return combineDoubles(
        gather(root, MemorySegment.ofArray(mine).toArray(ValueLayout.JAVA_BYTE), tag), operator);
  }

  double[] allReduce(double[] mine, DoubleBinaryOperator operator) throws IOException {
    long tag = meet("allReduce", 0, mine.length + " doubles");
    byte[] bytes = MemorySegment.ofArray(mine).toArray(ValueLayout.JAVA_BYTE);
    return combineDoubles(exchange(tag, Collections.nCopies(rank.size(), bytes)), operator);
  }

  private static double[] combineDoubles(List<byte[]> parts, DoubleBinaryOperator operator) {
    double[] result = {};
    for (int i = 0; i < parts.size(); i++) {
      double[] next =
          MemorySegment.ofArray(parts.get(i)).toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED);
      if (i == 0) {
        result = next;
      } else {
        for (int k = 0; k < result.length; k++) {
          result[k] = operator.applyAsDouble(result[k], next[k]);
        }
      }
    }
    return result;
  }

  long[] reduce(int root, long[] mine, LongBinaryOperator operator) throws IOException {
    long tag = meet("reduce", checkRank(root), mine.length + " longs");
    return combineLongs(
        gather(root, MemorySegment.ofArray(mine).toArray(ValueLayout.JAVA_BYTE), tag), operator);
  }

  long[] allReduce(long[] mine, LongBinaryOperator operator) throws IOException {
    long tag = meet("allReduce", 0, mine.length + " longs");
    byte[] bytes = MemorySegment.ofArray(mine).toArray(ValueLayout.JAVA_BYTE);
    return combineLongs(exchange(tag, Collections.nCopies(rank.size(), bytes)), operator);
  }

  private static long[] combineLongs(List<byte[]> parts, LongBinaryOperator operator) {
    long[] result = {};
    for (int i = 0; i < parts.size(); i++) {
      long[] next = MemorySegment.ofArray(parts.get(i)).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
      if (i == 0) {
        result = next;
      } else {
        for (int k = 0; k < result.length; k++) {
          result[k] = operator.applyAsLong(result[k], next[k]);
        }
      }
    }
    return result;
  }

  void send(int to, long tag, MemorySegment bytes) throws IOException {
    awaitTaken(start(checkRank(to), tag, bytes));
  }

  /** A message on its way. */
  private record Sent(int to, long letter, Link link, Pending pending) {}

  private Sent start(int to, long tag, MemorySegment bytes) {
    if (bytes.byteSize() > MOST_BYTES) {
      throw new IllegalArgumentException(
          "a message of " + bytes.byteSize() + " bytes, at most " + MOST_BYTES + " are possible");
    }
    long letter = rank.session().nextLetter();
    var head = new RankRequest.Deliver(rank.group(), rank.number(), tag, letter, bytes.byteSize());
    // a message that waits at its sender is taken by the receiver's thread
    MemorySegment open =
        bytes.isAccessibleBy(Env.ANY_THREAD)
            ? bytes
            : MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE));
    Link link = rank.session().participant(rank.participant(to));
    return new Sent(to, letter, link, link.start(head, open));
  }

  private void awaitTaken(Sent sent) throws IOException {
    Session session = rank.session();
    try {
      try {
        sent.pending.await(session.meetingDeadline());
      } catch (DeadlineException e) {
        // the memory is the caller's again: nobody may receive from it any more
        var back = new RankRequest.Withdraw(rank.group(), rank.number(), sent.letter);
        sent.link.call(back, Session.NOTHING, session.deadline());
        sent.pending.await(session.deadline()); // well, if it was received at the last moment
      }
    } catch (RankFailedException | DeadlineException e) {
      MillraceException told =
          MillraceException.of(
              e.code(), rank + " sends to rank " + sent.to + ": " + e.getMessage());
      told.initCause(e);
      throw told;
    }
  }

  Received receive(int from, long tag) throws IOException {
    if (from != Rank.ANY) {
      checkRank(from);
    }
    Session session = rank.session();
    long deadline = session.meetingDeadline();
    while (true) {
      long patience = Math.min(deadline, session.env().deadlineAfter(PATIENCE_NANOS));
      Received received = session.mailbox().take(rank.group(), from, tag, patience);
      if (received != null) {
        return received;
      }
      MillraceException hopeless = whyNobodyCanSend(from);
      if (hopeless != null) {
        // what the sender sent before it ended has arrived by now
        Received last = session.mailbox().take(rank.group(), from, tag, session.env().nanoTime());
        if (last != null) {
          return last;
        }
        throw hopeless;
      }
      if (session.env().nanoTime() >= deadline) {
        throw new DeadlineException(
            rank + " waited in vain for a message of rank " + from + ", tag " + tag);
      }
    }
  }

  long receive(int from, long tag, MemorySegment into) throws IOException {
    Received received = receive(from, tag);
    int length = received.bytes().length;
    if (length > into.byteSize()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s received %d bytes of rank %d into memory of %d"
              .formatted(rank, length, received.from(), into.byteSize()));
    }
    MemorySegment.copy(MemorySegment.ofArray(received.bytes()), 0, into, 0, length);
    return length;
  }

  /** Why it is of no use to wait for a message, or null. */
  private @Nullable MillraceException whyNobodyCanSend(int from) {
    Map<Integer, String> gone;
    try {
      var request = new CoordinatorRequest.AskMembers(rank.group());
      gone = ((CoordinatorReply.Members) rank.session().ask(request)).gone();
    } catch (IOException e) { // without a coordinator nobody would ever tell that a rank has ended
      MillraceException lost = MillraceException.wrap(ErrorCode.NODE, e);
      return told(lost.code(), "the coordinator does not say who is there: " + e.getMessage(), e);
    }
    if (from != Rank.ANY) {
      String why = gone.get(from);
      return why == null
          ? null
          : told(ErrorCode.RANK_FAILED, "rank " + from + " has ended: " + why, null);
    }
    int others = gone.size() - (gone.containsKey(rank.number()) ? 1 : 0);
    return others < rank.size() - 1
        ? null
        : told(ErrorCode.RANK_FAILED, "all other ranks have ended: " + gone, null);
  }

  private MillraceException told(ErrorCode code, String why, @Nullable IOException cause) {
    MillraceException told = MillraceException.of(code, rank + " waits for a message: " + why);
    if (cause != null) {
      told.initCause(cause);
    }
    return told;
  }

  /** Waits until the rank below has passed its turn in this call; the lowest need not wait. */
  void awaitTurn(CollectiveId collective) throws IOException {
    if (rank.number() > 0) {
      receive(rank.number() - 1, turnTag(collective));
    }
  }

  /** It is the next rank's turn. */
  void passTurn(CollectiveId collective) throws IOException {
    if (rank.number() + 1 < rank.size()) {
      send(rank.number() + 1, turnTag(collective), Session.NOTHING);
    }
  }

  private static long turnTag(CollectiveId collective) {
    return Long.MIN_VALUE + (collective.channel() << 32) + collective.sequence();
  }
}
