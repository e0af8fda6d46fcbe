package org.millrace.client;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.Mover.Job;
import org.millrace.client.OpenFile.HintsInUse;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Hints;
import org.millrace.plan.StrategyChoice;

/**
 * Accesses of a shared file that say for themselves where they go: at which {@linkplain #at
 * position}, {@linkplain #through through which view}, {@linkplain #all by all ranks together} or
 * by this one alone, {@linkplain #withHints carried out how}. Positions are bytes of the view;
 * without a view of its own an access uses the rank's.
 *
 * <pre>{@code
 * file.at(4096).read(memory);                     // this rank, at a position
 * file.at(4096).all().write(memory);              // all ranks together, each at its own position
 * file.all().read(memory);                        // all ranks together, each at its own pointer
 * file.through(view).all().read(memory);          // each rank through a view of this call alone
 * file.at(4096).in(transaction).write(memory);    // as part of a transaction
 * }</pre>
 *
 * <p>In a collective access all ranks make the same call, and if one fails all fail. A rank that
 * finds its own part to be wrong comes all the same, with {@link #refusing} if it knows before it
 * calls: then nobody waits for it.
 *
 * <p>A value: each method returns another one. May be used by several threads, but for accesses at
 * the pointer; collective calls meet in the order in which they are made.
 */
public final class FileAccess implements DataAccess {

  private static final long POINTER = Long.MIN_VALUE;

  // constant after construction
  private final OpenFile file;
  private final long position;
  private final boolean all;
  private final @Nullable View view;
  private final @Nullable Geometry array;
  private final @Nullable HintsInUse hints;
  private final @Nullable RuntimeException refusal;

  private FileAccess(
      OpenFile file,
      long position,
      boolean all,
      @Nullable View view,
      @Nullable Geometry array,
      @Nullable HintsInUse hints,
      @Nullable RuntimeException refusal) {
    this.file = file;
    this.position = position;
    this.all = all;
    this.view = view;
    this.array = array;
    this.hints = hints;
    this.refusal = refusal;
  }

  static FileAccess at(OpenFile file, long position) {
    return new FileAccess(file, position, false, null, null, null, null);
  }

  static FileAccess all(OpenFile file) {
    return new FileAccess(file, POINTER, true, null, null, null, null);
  }

  static FileAccess through(OpenFile file, View view, @Nullable Geometry array) {
    return new FileAccess(file, 0, false, view, array, null, null);
  }

  /** The same at a position of the view; no pointer moves. Checked when something is moved. */
  public FileAccess at(long newPosition) {
    return new FileAccess(file, newPosition, all, view, array, hints, refusal);
  }

  /**
   * The same through a view of its own instead of the rank's, which stays as it is; from the view's
   * first byte on unless a position is given.
   */
  public FileAccess through(View newView) {
    return new FileAccess(file, start(), all, newView, null, hints, refusal);
  }

  /**
   * The same to a part of an array that the file holds. Where all ranks of a collective access name
   * the same array, file domains are whole columns of it.
   *
   * @param part its bytes, relative to the first element
   */
  public FileAccess through(Geometry newArray, Pattern part) {
    return new FileAccess(file, start(), all, newArray.view(part), newArray, hints, refusal);
  }

  /**
   * The same by all ranks of the group together: a collective access. Each rank may have another
   * position, view and memory.
   */
  public FileAccess all() {
    return new FileAccess(file, position, true, view, array, hints, refusal);
  }

  /**
   * The same, carried out as these hints say instead of the file's own. In a collective access all
   * ranks must give equal ones.
   */
  public FileAccess withHints(Hints newHints) {
    HintsInUse own = file.hints();
    HintsInUse inUse = own.hints().equals(newHints) ? own : HintsInUse.of(newHints);
    return new FileAccess(file, position, all, view, array, inUse, refusal);
  }

  /**
   * The part of a rank that cannot do its part: a collective access then fails on all ranks with
   * INVALID and the reason, and no byte moves.
   */
  public FileAccess refusing(RuntimeException reason) {
    return new FileAccess(file, start(), all, View.EMPTY, null, hints, reason);
  }

  /**
   * The same as part of a transaction: others see what it writes when the transaction is committed,
   * or never. By this rank alone, and blocking.
   */
  public DataAccess in(Transaction transaction) {
    if (all) {
      throw new IllegalStateException(
          "an access of all ranks together cannot be part of a transaction");
    }
    return new TransactionAccess(transaction, this);
  }

  OpenFile file() {
    return file;
  }

  long position() {
    return position;
  }

  private long start() {
    return position == POINTER ? 0 : position;
  }

  @Override
  public long read(MemorySegment into) throws IOException {
    return isPlain() ? moveAt(false, into) : read(Memory.of(into));
  }

  @Override
  public long write(MemorySegment from) throws IOException {
    return isPlain() ? moveAt(true, from) : write(Memory.of(from));
  }

  @Override
  public long read(Memory into) throws IOException {
    return begin(false, into, false).run();
  }

  @Override
  public long write(Memory from) throws IOException {
    return begin(true, from, false).run();
  }

  @Override
  public CompletableFuture<Long> readAsync(Memory into) throws IOException {
    return file.start(begin(false, into, true));
  }

  @Override
  public CompletableFuture<Long> writeAsync(Memory from) throws IOException {
    return file.start(begin(true, from, true));
  }

  /**
   * How {@link #read(Memory)} of {@code bytes} bytes would be carried out by all ranks, and what
   * other strategies would cost. Moves nothing. Collective.
   */
  public StrategyChoice planRead(long bytes) throws IOException {
    return plan(false, bytes);
  }

  /** As {@link #planRead}, of a write. */
  public StrategyChoice planWrite(long bytes) throws IOException {
    return plan(true, bytes);
  }

  private StrategyChoice plan(boolean write, long bytes) throws IOException {
    if (!all || position == POINTER || view != null) {
      throw new IllegalStateException(
          "only collective accesses at a position, through the rank's own view, can be planned: "
              + "file.at(position).all()");
    }
    file.checkOpen();
    return file.collectives().explain(write, position, bytes).choice();
  }

  /** Whether it is the shortest kind of all: one rank, at a position, through its own view. */
  private boolean isPlain() {
    return view == null && !all && hints == null;
  }

  private long moveAt(boolean write, MemorySegment segment) throws IOException {
    if (write) {
      file.checkWrite();
      Memory.requireSource(segment, false);
    } else {
      file.checkRead();
      Memory.requireTarget(segment, false);
    }
    long length = segment.byteSize();
    OpenFile.checkRange(position, length);
    View own = file.view();
    if (length == 0) {
      return 0;
    }
    if (file.isAtomic() || !own.isContiguous()) {
      return file.mover().move(file.job(write), position, Memory.of(segment), length);
    }
    try {
      return file.mover().moveContiguous(write, own, position, segment, length);
    } catch (MillraceException e) {
      throw file.mover().withContext(e, write, position, length);
    }
  }

  /** Takes its place, or comes to the meeting, now; the result does the rest, on any thread. */
  private Operations.Body begin(boolean write, Memory memory, boolean async) throws IOException {
    if (!all) {
      return alone(write, memory, async);
    }
    if (view != null) {
      return throughAll(write, memory, async);
    }
    return new CollectiveAccess(file, write, memory, async, job(write))
        .start(position == POINTER ? Optional.empty() : Optional.of(position));
  }

  private Operations.Body alone(boolean write, Memory memory, boolean async) throws IOException {
    Job job = job(write);
    checkAlone(write, memory, async);
    return () -> file.mover().move(job, position, memory, memory.length());
  }

  /** Checks an access by this rank alone. */
  void checkAlone(boolean write, Memory memory, boolean async) throws IOException {
    if (view == null) {
      file.memory(write, memory, async);
      OpenFile.checkRange(position, memory.length());
    } else {
      checkOpened(write);
      if (refusal != null) {
        throw refusal;
      }
      check(view, write, memory, async);
    }
  }

  private Operations.Body throughAll(boolean write, Memory memory, boolean async)
      throws IOException {
    checkOpened(write); // the same on all ranks
    String call = write ? "writeThroughAll" : "readThroughAll";
    RuntimeException wrong = refusal;
    if (wrong == null) {
      try {
        check(requireNonNull(view), write, memory, async);
      } catch (RuntimeException e) {
        wrong = e;
      }
    }
    if (wrong != null) {
      var reason =
          new MillraceException(ErrorCode.INVALID, String.valueOf(wrong.getMessage()), wrong);
      return file.collectives().refuse(call, job(write), reason, async);
    }
    Range range = new Range(position, memory.length());
    return file.collectives()
        .startOfArray(call, job(write), range, memory, async, Optional.ofNullable(array));
  }

  /** One direction of it, as the file is now. */
  Job job(boolean write) {
    View seen = view == null ? file.view() : view;
    ViewEnd end = view == null ? file.end() : null;
    return new Job(write, seen, end, file.isAtomic(), hints == null ? file.hints() : hints);
  }

  private void checkOpened(boolean write) throws IOException {
    if (write) {
      file.checkWritable();
    } else {
      file.checkRead();
    }
  }

  private void check(View seen, boolean write, Memory memory, boolean async) {
    if (write && !seen.isDisjoint()) {
      throw file.notWritable(seen);
    }
    OpenFile.checkRange(position, memory.length());
    new Access(seen, position, position + memory.length()); // checks that it reaches so far
    memory.require(write, async);
  }
}
