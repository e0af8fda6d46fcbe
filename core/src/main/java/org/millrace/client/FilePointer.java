package org.millrace.client;

import java.io.IOException;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorReply.Met;
import org.millrace.protocol.CoordinatorReply.Opened;
import org.millrace.protocol.CoordinatorReply.Value;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;

/**
 * Where the next access of a file goes, for each of the five kinds of pointer. Positions are bytes
 * of the file's view. An access takes its place when it is issued: the pointer moves before any
 * byte is transferred, so that asynchronous accesses follow each other in order of issue.
 *
 * <p>Belongs to the rank's thread. The shared pointer lives at the coordinator.
 */
final class FilePointer {

  /** The end of the file's view, asked only when it is needed. */
  interface End {

    /** Where it is, counting bytes that this rank is about to write. */
    long position() throws IOException;

    /** Whether positions are bytes of the file, for all who have it open. */
    boolean isOfFile();
  }

  /** A place that was taken: known at once, or when all ranks have arrived. */
  sealed interface Place {

    /** The place; waits if it must. */
    Range range() throws IOException;
  }

  /** Positions from {@code start}, {@code count} of them. */
  record Range(long start, long count) implements Place {

    @Override
    public Range range() {
      return this;
    }
  }

  /** This rank's part of a meeting. */
  record Turn(Channel.Meeting meeting, int below, long wanted) implements Place {

    /**
     * Of a place that all ranks share: whether another rank than the first has accesses under way.
     */
    boolean othersAreBusy() throws IOException {
      List<Long> said = meeting.met().values();
      return said.subList(1, said.size()).contains(1L);
    }

    @Override
    public Range range() throws IOException {
      Met met = meeting.met();
      long start = met.base();
      for (int r = 0; r < below; r++) {
        start += met.values().get(r);
      }
      return new Range(start, Math.clamp(met.limit() - start, 0, wanted));
    }
  }

  // constant after construction
  private final Session session;
  private final Channel channel;
  private final Opened opened;
  private final int rank;
  private final int ranks;
  private final boolean append;
  private final End end;

  // owned by the rank's thread
  private long position;
  private long recordEnd;
  private long recordReach; // where the records end that this rank has appended since

  FilePointer(Session session, Channel channel, Opened opened, Rank rank, boolean append, End end) {
    this.session = session;
    this.channel = channel;
    this.opened = opened;
    this.rank = rank.number();
    this.ranks = rank.size();
    this.append = append;
    this.end = end;
  }

  /** The private pointer, which is also the base of the next row of records. */
  long position() {
    return position;
  }

  void moveTo(long newPosition) {
    position = newPosition;
  }

  /** Where appended records of this rank begin: agreed when the mode is set. */
  void moveRecordEndTo(long newEnd) {
    recordEnd = newEnd;
  }

  /** Tells all others who append where this rank's appended records end. */
  void announceRecords() throws IOException {
    if (recordReach > 0) {
      advance(endPointer(), 0, recordReach, Long.MAX_VALUE);
      recordReach = 0;
    }
  }

  /**
   * Where the file ends as far as this rank can know: behind the bytes that are there, those that
   * it is about to write, and places that anybody has taken to append at.
   */
  long end() throws IOException {
    long takenEnd = append ? at(endPointer()) : 0;
    return Math.max(takenEnd, end.position());
  }

  /** Behind the bytes that are there and those that this rank is about to write. */
  long writtenEnd() throws IOException {
    return end.position();
  }

  long sharedPosition() throws IOException {
    return at(opened.pointer());
  }

  private long at(long pointer) throws IOException {
    return ((Value) session.ask(new CoordinatorRequest.PointerAt(pointer))).value();
  }

  private long endPointer() {
    return end.isOfFile() ? opened.endPointer() : opened.viewEndPointer();
  }

  void moveSharedTo(long newPosition) throws IOException {
    session.ask(new CoordinatorRequest.PointerSet(opened.pointer(), newPosition));
  }

  /** Takes a place of the group's pointer that ends at a limit; returns where it begins. */
  long takeShared(long bytes, long limit) throws IOException {
    return advance(opened.pointer(), bytes, 0, limit);
  }

  /** Forgets what was appended through a view: the size of the file alone says where it ends. */
  Effect forgetViewEnd() {
    return new Effect.Set(opened.viewEndPointer(), 0);
  }

  /** Forgets what was appended, the file having been cut. */
  void forgetEnd() throws IOException {
    forgetEnd(session, opened);
  }

  static void forgetEnd(Session session, Opened opened) throws IOException {
    session.ask(new CoordinatorRequest.PointerSet(opened.endPointer(), 0));
  }

  Effect setShared(long newPosition) {
    return new Effect.Set(opened.pointer(), newPosition);
  }

  /**
   * Takes the place of the next access.
   *
   * @param async the rank will go on with something else while it waits for its turn
   * @param busy the rank has accesses under way; the others learn it where all take one place
   */
  Place take(PointerKind pointing, boolean write, long length, boolean async, boolean busy)
      throws IOException {
    return switch (pointing) {
      case PRIVATE -> takePrivate(write, length);
      case SHARED -> takeShared(write, length);
      case RECORD -> takeRecord(write, length);
      case ORDERED -> meet(write, length, false, async, false);
      case GLOBAL -> meet(write, length, true, async, busy);
    };
  }

  private Range takePrivate(boolean write, long length) throws IOException {
    long start = write && append && length > 0 ? toEnd(length) : position;
    OpenFile.checkRange(start, length);
    long count = write ? length : Math.clamp(end.position() - start, 0, length);
    if (length > 0) {
      position = Math.addExact(start, count);
    }
    return new Range(start, count);
  }

  private Range takeShared(boolean write, long length) throws IOException {
    if (length == 0) {
      return new Range(0, 0);
    }
    if (write && append) {
      long start = toEnd(length);
      followEnd(start + length);
      return new Range(start, length);
    }
    if (write) {
      return new Range(advance(opened.pointer(), length, 0, Long.MAX_VALUE), length);
    }
    long limit = end.position();
    long start = advance(opened.pointer(), length, 0, limit);
    return new Range(start, Math.clamp(limit - start, 0, length));
  }

  /** Takes places of the group's pointer in order of rank, wherever the file ends. */
  Turn advanceInOrder(long bytes) {
    Effect effect = new Effect.Take(opened.pointer(), false, 0, Long.MAX_VALUE);
    var call = new Channel.Call("takeOrdered", 0, "", bytes, effect);
    return new Turn(channel.start(call, false), rank, bytes);
  }

  private long toEnd(long length) throws IOException {
    return advance(endPointer(), length, end.position(), Long.MAX_VALUE);
  }

  /**
   * Brings the group's pointer to the end of what was appended: further if it was before, back if a
   * seek had moved it beyond. If others append at the same time, the last place counts.
   */
  private void followEnd(long appended) throws IOException {
    long last = appended;
    while (advance(opened.pointer(), 0, last, Long.MAX_VALUE) > last) {
      long now = at(endPointer());
      if (now == last) {
        moveSharedTo(last);
        now = at(endPointer());
      }
      if (now == last) {
        return;
      }
      last = now;
    }
  }

  private long advance(long pointer, long delta, long floor, long limit) throws IOException {
    long timeout = session.limits().operationNanos();
    return session.coordinator().advance(pointer, delta, floor, limit, timeout);
  }

  private Range takeRecord(boolean write, long length) throws IOException {
    boolean atEnd = write && append;
    long row = atEnd ? recordEnd : position;
    long start = Math.addExact(row, Math.multiplyExact(rank, length));
    long next = Math.addExact(row, Math.multiplyExact(ranks, length));
    if (!write) { // all ranks stop at the end of the file, whichever record it cuts
      long last = end.position();
      position = Math.max(row, Math.min(next, last));
      return new Range(start, Math.clamp(last - start, 0, length));
    }
    position = length > 0 ? next : position;
    if (atEnd && length > 0) {
      recordEnd = next;
      recordReach = Math.addExact(start, length);
    }
    return new Range(start, length);
  }

  private Place meet(boolean write, long length, boolean once, boolean async, boolean busy)
      throws IOException {
    long floor = 0;
    long limit = write ? Long.MAX_VALUE : 0;
    Failure failure = Failure.NONE;
    try {
      if (!write) {
        limit = end.position();
      } else if (append) {
        floor = end.position();
      }
    } catch (IOException e) { // comes all the same, or the others would wait for this rank
      failure = Failure.of(MillraceException.wrap(ErrorCode.DISK, e));
    }
    Effect effect =
        write && append
            ? new Effect.Take(endPointer(), once, floor, limit, opened.pointer())
            : new Effect.Take(opened.pointer(), once, floor, limit);
    var call =
        new Channel.Call(
            write ? "write" : "read",
            once ? length : 0,
            once ? "the same for all" : "in order of rank",
            once && rank > 0 ? (busy ? 1 : 0) : length, // where one place is taken rank 0 says it
            effect,
            failure);
    Channel.Meeting meeting = channel.start(call, async);
    return new Turn(meeting, once ? 0 : rank, length);
  }
}
