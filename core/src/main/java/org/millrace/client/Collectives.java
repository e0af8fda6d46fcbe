package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.Effect;

/**
 * The group's operations on data. Each begins with a meeting at the coordinator, which compares the
 * ranks' calls, and then sends the bytes from rank to rank under a tag of its own, the number of
 * the meeting. If an operation fails at a rank, the rank tells the others, so that none waits for
 * its messages. Belongs to the rank's thread, except send and receive.
 */
final class Collectives {

  // constant after construction
  private final Rank rank;
  private final Channel channel;
  private final GroupMessages messages;

  Collectives(Rank rank, Channel channel) {
    this.rank = rank;
    this.channel = channel;
    this.messages = new GroupMessages(rank);
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

  /** What a rank does to move the data of one operation. */
  private interface Move<T> {
    T run(GroupMessages.Sending sending) throws IOException;
  }

  /**
   * Moves the data of an operation; if that fails here, the others are notified. They learn it
   * before messages that are still under way are taken back, so that all ranks throw the same
   * error: that of the rank where the operation failed first.
   */
  private <T> T move(long tag, Move<T> move) throws IOException {
    try (GroupMessages.Sending sending = messages.new Sending(tag)) {
      try {
        T result = move.run(sending);
        sending.await();
        return result;
      } catch (GroupMessages.RefusedException e) {
        throw refused(e, sending);
      } catch (IOException e) {
        checkRefused(tag, e, sending);
        messages.refuse(tag, MillraceException.wrap(ErrorCode.RANK_FAILED, e));
        throw e;
      } catch (RuntimeException e) {
        messages.refuse(tag, new MillraceException(ErrorCode.INVALID, e.toString(), e));
        throw e;
      }
    }
  }

  /** Throws what another rank has told, if it has: then an error of our own follows from it. */
  private void checkRefused(long tag, IOException own, GroupMessages.Sending sending)
      throws MillraceException {
    try {
      messages.checkRefused(tag);
    } catch (GroupMessages.RefusedException e) {
      MillraceException told = refused(e, sending);
      told.addSuppressed(own);
      throw told;
    }
  }

  private static MillraceException refused(
      GroupMessages.RefusedException e, GroupMessages.Sending sending) {
    sending.tellReceivers(e.refused());
    return e.withContext();
  }

  byte[] broadcast(int root, byte[] bytes) throws IOException {
    long tag = meet("broadcast", checkRank(root), "");
    return move(
        tag,
        sending -> {
          if (rank.number() != root) {
            return messages.receive(root, tag, sending);
          }
          sendToOthers(sending, MemorySegment.ofArray(bytes));
          return bytes;
        });
  }

  void broadcast(int root, MemorySegment inPlace) throws IOException {
    long tag = meet("broadcast", checkRank(root), inPlace.byteSize() + " bytes in place");
    move(
        tag,
        sending -> {
          if (rank.number() != root) {
            return messages.receive(root, tag, inPlace, sending);
          }
          sendToOthers(sending, inPlace);
          return inPlace.byteSize();
        });
  }

  private void sendToOthers(GroupMessages.Sending sending, MemorySegment bytes) {
    sendParts(sending, Collections.nCopies(rank.size(), bytes));
  }

  /** Sends part i to rank i, but none to itself. */
  private void sendParts(GroupMessages.Sending sending, List<MemorySegment> parts) {
    for (int i = 1; i < parts.size(); i++) {
      int to = (rank.number() + i) % parts.size(); // not all ranks to rank 0 first
      sending.start(to, parts.get(to));
    }
  }

  List<byte[]> gather(int root, byte[] mine) throws IOException {
    long tag = meet("gather", checkRank(root), "");
    return move(
        tag,
        sending -> {
          if (rank.number() == root) {
            return receiveAll(tag, mine, sending);
          }
          sending.start(root, MemorySegment.ofArray(mine));
          return List.of();
        });
  }

  private List<byte[]> receiveAll(long tag, byte[] mine, GroupMessages.Sending sending)
      throws IOException {
    List<byte[]> all = new ArrayList<>(Collections.nCopies(rank.size(), mine));
    for (int i = 1; i < rank.size(); i++) {
      int from = (rank.number() + i) % rank.size();
      all.set(from, messages.receive(from, tag, sending));
    }
    return all;
  }

  List<byte[]> allGather(byte[] mine) throws IOException {
    long tag = meet("allGather", 0, "bytes");
    return move(
        tag,
        sending -> {
          sendToOthers(sending, MemorySegment.ofArray(mine));
          return receiveAll(tag, mine, sending);
        });
  }

  List<byte[]> allToAll(List<byte[]> parts) throws IOException {
    if (parts.size() != rank.size()) {
      throw new IllegalArgumentException(parts.size() + " parts for " + rank.size() + " ranks");
    }
    List<MemorySegment> segments = parts.stream().map(MemorySegment::ofArray).toList();
    long tag = meet("allToAll", 0, "");
    return move(
        tag,
        sending -> {
          sendParts(sending, segments);
          return receiveAll(tag, parts.get(rank.number()), sending);
        });
  }

  double[] reduce(int root, double[] mine, DoubleBinaryOperator operator) throws IOException {
    long tag = meet("reduce", checkRank(root), mine.length + " doubles");
    return move(
        tag,
        sending -> {
          if (rank.number() == root) {
            return combine(tag, mine, operator, sending);
          }
          sending.start(root, MemorySegment.ofArray(mine));
          return new double[0];
        });
  }

  double[] allReduce(String operation, double[] mine, DoubleBinaryOperator operator)
      throws IOException {
    long tag = meet("allReduce", 0, operation + " of " + mine.length + " doubles");
    return move(
        tag,
        sending -> {
          sendToOthers(sending, MemorySegment.ofArray(mine));
          return combine(tag, mine, operator, sending);
        });
  }

  /** Combines in the order of ranks; only one other rank's array is here at a time. */
  private double[] combine(
      long tag, double[] mine, DoubleBinaryOperator operator, GroupMessages.Sending sending)
      throws IOException {
    double[] result = new double[mine.length];
    double[] received = new double[rank.size() == 1 ? 0 : mine.length];
    for (int from = 0; from < rank.size(); from++) {
      double[] next = mine;
      if (from != rank.number()) {
        next = received;
        messages.receive(from, tag, MemorySegment.ofArray(next), sending);
      }
      for (int k = 0; k < result.length; k++) {
        result[k] = from == 0 ? next[k] : operator.applyAsDouble(result[k], next[k]);
      }
    }
    return result;
  }

  long[] reduce(int root, long[] mine, LongBinaryOperator operator) throws IOException {
    long tag = meet("reduce", checkRank(root), mine.length + " longs");
    return move(
        tag,
        sending -> {
          if (rank.number() == root) {
            return combine(tag, mine, operator, sending);
          }
          sending.start(root, MemorySegment.ofArray(mine));
          return new long[0];
        });
  }

  long[] allReduce(String operation, long[] mine, LongBinaryOperator operator) throws IOException {
    long tag = meet("allReduce", 0, operation + " of " + mine.length + " longs");
    return move(
        tag,
        sending -> {
          sendToOthers(sending, MemorySegment.ofArray(mine));
          return combine(tag, mine, operator, sending);
        });
  }

  private long[] combine(
      long tag, long[] mine, LongBinaryOperator operator, GroupMessages.Sending sending)
      throws IOException {
    long[] result = new long[mine.length];
    long[] received = new long[rank.size() == 1 ? 0 : mine.length];
    for (int from = 0; from < rank.size(); from++) {
      long[] next = mine;
      if (from != rank.number()) {
        next = received;
        messages.receive(from, tag, MemorySegment.ofArray(next), sending);
      }
      for (int k = 0; k < result.length; k++) {
        result[k] = from == 0 ? next[k] : operator.applyAsLong(result[k], next[k]);
      }
    }
    return result;
  }

  void send(int to, long tag, MemorySegment bytes) throws IOException {
    messages.send(checkRank(to), tag, bytes);
  }

  Received receive(int from, long tag) throws IOException {
    return messages.receive(checkSender(from), tag);
  }

  long receive(int from, long tag, MemorySegment into) throws IOException {
    return messages.receive(checkSender(from), tag, into, null);
  }

  private int checkSender(int from) {
    return from == Rank.ANY ? from : checkRank(from);
  }

  /** Waits until the rank below has passed its turn in this call; the lowest need not wait. */
  void awaitTurn(CollectiveId collective) throws IOException {
    if (rank.number() > 0) {
      messages.receive(rank.number() - 1, turnTag(collective));
    }
  }

  /** It is the next rank's turn. */
  void passTurn(CollectiveId collective) throws IOException {
    if (rank.number() + 1 < rank.size()) {
      messages.send(rank.number() + 1, turnTag(collective), Session.NOTHING);
    }
  }

  private static long turnTag(CollectiveId collective) {
    return Long.MIN_VALUE + (collective.channel() << 32) + collective.sequence();
  }
}
