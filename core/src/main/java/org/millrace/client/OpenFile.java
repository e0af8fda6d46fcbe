package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Disjointness;
import org.millrace.access.View;
import org.millrace.client.Mover.Job;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Hints;
import org.millrace.protocol.CoordinatorReply.Opened;
import org.millrace.transfer.Strands;

/**
 * What a rank knows of a file it has open, and what it may do with it. The rank's thread changes
 * it; operation threads and callers with explicit positions read it.
 */
final class OpenFile {

  /** Hints, and as what ranks compare them. */
  record HintsInUse(Hints hints, long key, String shown) {

    static HintsInUse of(Hints hints) {
      String shown = hints.toString();
      return new HintsInUse(hints, shown.hashCode(), shown); // an enum's own differs between JVMs
    }
  }

  // constant after construction
  private final Rank rank;
  private final String path;
  private final OpenOptions options;
  private final Opened opened;
  private final Strands strands;
  private final Channel channel;
  private final FilePointer pointer;
  private final Mover mover;
  private final DataCache.@Nullable OfFile copies;
  private final CollectiveCalls collectives;
  private final UnfinishedAccesses unfinished;
  private final Operations.Batch batch = new Operations.Batch();
  private final AtomicBoolean sharesFlush = new AtomicBoolean();

  // owned by the rank's thread, read by others
  private volatile View view = View.WHOLE;
  private volatile @Nullable ViewEnd end;
  private volatile boolean disjoint = true;
  private volatile Mode mode = Mode.INDEPENDENT;
  private volatile boolean atomic;
  private volatile boolean closed;
  private volatile HintsInUse hints;

  OpenFile(
      Rank rank,
      String path,
      OpenOptions options,
      Opened opened,
      Strands strands,
      Channel channel) {
    this.rank = rank;
    this.path = path;
    this.options = options;
    this.opened = opened;
    this.strands = strands;
    this.channel = channel;
    this.copies =
        options.has(OpenFlag.DATA_CACHE)
            ? rank.session().dataCache().open(opened.open(), strands)
            : null;
    this.mover =
        new Mover(
            rank, path, opened.file(), strands, copies == null ? strands::read : copies::read);
    this.hints = HintsInUse.of(options.hints().orElse(rank.session().transfers().hints()));
    this.collectives = new CollectiveCalls(this);
    this.unfinished = new UnfinishedAccesses(rank);
    this.pointer =
        new FilePointer(
            rank.session(),
            channel,
            opened,
            rank,
            options.has(OpenFlag.APPEND),
            new FilePointer.End() {
              @Override
              public long position() throws IOException {
                long own = unfinished.end(view); // first: those that end meanwhile are in the file
                return Math.max(own, endPosition());
              }

              @Override
              public boolean isOfFile() {
                return view.equals(View.WHOLE) && end == null;
              }
            });
  }

  Rank rank() {
    return rank;
  }

  String path() {
    return path;
  }

  OpenOptions options() {
    return options;
  }

  Opened opened() {
    return opened;
  }

  Strands strands() {
    return strands;
  }

  Channel channel() {
    return channel;
  }

  FilePointer pointer() {
    return pointer;
  }

  Mover mover() {
    return mover;
  }

  /** The rank's asynchronous accesses at a pointer that are not over. */
  UnfinishedAccesses unfinished() {
    return unfinished;
  }

  CollectiveCalls collectives() {
    return collectives;
  }

  HintsInUse hints() {
    return hints;
  }

  void hints(Hints newHints) {
    hints = HintsInUse.of(newHints);
  }

  View view() {
    return view;
  }

  Mode mode() {
    return mode;
  }

  /** Starts an asynchronous operation on this file. */
  CompletableFuture<Long> start(Operations.Body body) {
    return rank.session().operations().start(batch, body);
  }

  /** Waits for the asynchronous operations on this file that this rank has under way. */
  void awaitOperations() {
    rank.session().operations().awaitEnd(batch);
  }

  /** Whether a thread of the rank has a share of a flush, or waits for one. */
  AtomicBoolean sharesFlush() {
    return sharesFlush;
  }

  boolean isAtomic() {
    return atomic || mode.isAtomic();
  }

  boolean isClosed() {
    return closed;
  }

  /** Whether reads go through copies that this rank keeps. */
  boolean isCopied() {
    return copies != null;
  }

  void mode(Mode newMode) {
    mode = newMode;
  }

  void atomic(boolean newAtomic) {
    atomic = newAtomic;
  }

  void view(View newView, @Nullable ViewEnd newEnd, boolean showsNothingTwice) {
    view = newView;
    end = newEnd;
    disjoint = showsNothingTwice;
  }

  /** Where the view ends, if not where the file does. */
  @Nullable ViewEnd end() {
    return end;
  }

  /** The position at which the view ends. */
  long endPosition() throws IOException {
    return mover.endPosition(view, end);
  }

  void close() {
    closed = true;
    rank.session().openFiles().remove(this);
    if (copies != null) {
      copies.close();
    }
    strands.close();
    rank.session().renewals().remove(opened.open());
  }

  /**
   * Makes the writes to an unclosed file durable; returns a line about it.
   *
   * @throws IOException if it is not durable
   */
  String flushUnclosed() throws IOException {
    String what = rank + " has ended without closing " + path;
    if (!options.has(OpenFlag.WRITE)) {
      return what;
    }
    try {
      strands.flush();
      return what + "; what was written to it is durable";
    } catch (IOException e) {
      throw MillraceException.of(
          MillraceException.wrap(ErrorCode.DISK, e).code(),
          what + "; making it durable failed: " + e.getMessage());
    }
  }

  /** The same error, with the file's name and the bytes that it is about. */
  MillraceException named(MillraceException e) {
    MillraceException named =
        MillraceException.of(e.code(), path + ": " + DamagedBytes.named(strands.layout(), e));
    named.initCause(e.getCause() == null ? e : e.getCause());
    return named.withDetail(e.detail());
  }

  Job job(boolean write) {
    return new Job(write, view, end, isAtomic(), hints);
  }

  /**
   * Moves at a position of this rank's own view: the shortest kind of access. It takes plain
   * values, so that the {@link FileAccess} that it comes from needs no memory once the JIT has seen
   * it.
   */
  long moveAt(boolean write, long position, MemorySegment segment) throws IOException {
    if (write) {
      checkWrite();
      Memory.requireSource(segment, false);
    } else {
      checkRead();
      Memory.requireTarget(segment, false);
    }
    long length = segment.byteSize();
    checkRange(position, length);
    View own = view;
    if (length == 0) {
      return 0;
    }
    if (isAtomic() || !own.isContiguous()) {
      return mover.move(job(write), position, Memory.of(segment), length);
    }
    try {
      return mover.moveContiguous(write, own, position, segment, length);
    } catch (MillraceException e) {
      throw mover.withContext(e, write, position, length);
    }
  }

  /** What goes wrong with a pinned range, in the words of a read or write of it. */
  UnaryOperator<MillraceException> inPinned(boolean write, long position, long bytes) {
    return e -> mover.withContext(e, write, position, bytes);
  }

  /** Checks that the file may be moved in this direction, and that the memory is fit for it. */
  Memory memory(boolean write, Memory memory, boolean others) throws IOException {
    if (write) {
      checkWrite();
    } else {
      checkRead();
    }
    return memory.require(write, others);
  }

  static void checkRange(long position, long length) {
    if (position < 0) {
      throw new IllegalArgumentException("position " + position + " is negative");
    }
    if (position + length < 0) {
      throw new IllegalArgumentException(
          "position %s plus length %s exceeds %s".formatted(position, length, Long.MAX_VALUE));
    }
  }

  PointerKind checkAllowed(PointerKind pointing) {
    if (mode.pointing() != PointerKind.PRIVATE && mode.pointing() != pointing) {
      throw new IllegalStateException(
          path + " is in mode " + mode + ", which does not know a " + pointing + " pointer");
    }
    return pointing;
  }

  void checkOpen() throws MillraceException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, path + " is closed");
    }
  }

  void checkRead() throws MillraceException {
    checkOpen();
    if (!options.has(OpenFlag.READ)) {
      throw new MillraceException(ErrorCode.NOT_PERMITTED, path + " was opened for writing only");
    }
  }

  void checkWritable() throws MillraceException {
    checkOpen();
    if (!options.has(OpenFlag.WRITE)) {
      throw new MillraceException(ErrorCode.NOT_PERMITTED, path + " was opened for reading only");
    }
  }

  void checkWrite() throws MillraceException {
    checkWritable();
    if (!disjoint) {
      throw notWritable(view);
    }
  }

  /** Why a view cannot be written through. */
  IllegalStateException notWritable(View seen) {
    String reason =
        seen.disjointness() == Disjointness.UNDECIDED
            ? "is too irregular to tell whether it shows some byte twice"
            : "shows some byte twice";
    return new IllegalStateException(
        "the view of %s %s: it cannot be written through".formatted(path, reason));
  }
}
