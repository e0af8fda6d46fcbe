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
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.StrategyChoice;

/**
 * An access of a shared file with its own {@linkplain #at position}, {@linkplain #through view} and
 * {@linkplain #withHints hints}, by this rank alone or by {@linkplain #all all ranks together}.
 * Positions are bytes of the view. An access without its own view uses that of the rank.
 *
 * <pre>{@code
 * file.at(4096).read(memory);                     // this rank, at a position
 * file.at(4096).all().write(memory);              // all ranks together, each at its own position
 * file.all().read(memory);                        // all ranks together, each at its own pointer
 * file.through(view).all().read(memory);          // each rank through a view of this call alone
 * file.at(4096).in(transaction).write(memory);    // as part of a transaction
 * }</pre>
 *
 * <p>In a collective access all ranks make the same call, and if one fails all fail. A rank whose
 * own arguments are wrong must still make the call, with {@link #refusing} if it knows before, so
 * that the others do not wait for it.
 *
 * <p>A value: each method returns another one. Safe for use by several threads, except for accesses
 * at the pointer; collective calls are matched in the order in which they are made.
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
  private final @Nullable MillraceException refusal;
  private final int strand;

  private FileAccess(
      OpenFile file,
      long position,
      boolean all,
      @Nullable View view,
      @Nullable Geometry array,
      @Nullable HintsInUse hints,
      @Nullable MillraceException refusal,
      int strand) {
    this.file = file;
    this.position = position;
    this.all = all;
    this.view = view;
    this.array = array;
    this.hints = hints;
    this.refusal = refusal;
    this.strand = strand;
  }

  static FileAccess at(OpenFile file, long position) {
    return new FileAccess(file, position, false, null, null, null, null, Job.NO_STRAND);
  }

  static FileAccess all(OpenFile file) {
    return new FileAccess(file, POINTER, true, null, null, null, null, Job.NO_STRAND);
  }

  static FileAccess through(OpenFile file, View view, @Nullable Geometry array) {
    return new FileAccess(file, 0, false, view, array, null, null, Job.NO_STRAND);
  }

  static FileAccess ofStrand(OpenFile file, int strand) {
    Layout layout = file.opened().layout();
    long unit = layout.stripeUnitBytes();
    layout.node(strand); // checks that there is such a strand
    View view =
        layout.strands() == 1
            ? View.WHOLE
            : new View(strand * unit, Pattern.run(unit), layout.roundBytes());
    return new FileAccess(file, 0, false, view, null, null, null, strand);
  }

  /**
   * The same at a position of the view; no pointer moves. The position is checked when bytes are
   * transferred.
   */
  public FileAccess at(long newPosition) {
    return new FileAccess(file, newPosition, all, view, array, hints, refusal, strand);
  }

  /**
   * The same through its own view instead of the rank's, which does not change; from the view's
   * first byte on unless a position is given.
   */
  public FileAccess through(View newView) {
    return new FileAccess(file, start(), all, newView, null, hints, refusal, Job.NO_STRAND);
  }

  /**
   * The same to a part of an array in the file. If all ranks of a collective access name the same
   * array, file domains are whole columns of it.
   *
   * @param part its bytes, relative to the first element
   */
  public FileAccess through(Geometry newArray, Pattern part) {
    return new FileAccess(
        file, start(), all, newArray.view(part), newArray, hints, refusal, Job.NO_STRAND);
  }

  /**
   * The same by all ranks of the group together: a collective access. Each rank may have another
   * position, view and memory.
   */
  public FileAccess all() {
    return new FileAccess(file, position, true, view, array, hints, refusal, strand);
  }

  /**
   * The same with these hints instead of the file's. In a collective access all ranks must pass
   * equal hints.
   */
  public FileAccess withHints(Hints newHints) {
    HintsInUse own = file.hints();
    HintsInUse inUse = own.hints().equals(newHints) ? own : HintsInUse.of(newHints);
    return new FileAccess(file, position, all, view, array, inUse, refusal, strand);
  }

  /**
   * The same, refused by this rank: a collective access then fails on all ranks with INVALID and
   * the reason, and no byte is transferred.
   */
  public FileAccess refusing(RuntimeException reason) {
    return refusing(invalid(reason));
  }

  /** As {@link #refusing(RuntimeException)}, with this error's own code and detail. */
  public FileAccess refusing(MillraceException reason) {
    return new FileAccess(file, start(), all, View.EMPTY, null, hints, reason, Job.NO_STRAND);
  }

  private static MillraceException invalid(RuntimeException reason) {
    return new MillraceException(ErrorCode.INVALID, String.valueOf(reason.getMessage()), reason);
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

  /**
   * Asks the nodes to lend the memory of the next {@code bytes} bytes from the position on, all of
   * which the rank will read, or write. Does not wait. What is read must lie before the end of the
   * file. Only for accesses by one rank through a contiguous view, without atomic mode: for others
   * the result has no segments.
   */
  public PinnedRange pin(long bytes, boolean write) throws IOException {
    if (write) {
      file.checkWrite();
    } else {
      file.checkRead();
    }
    OpenFile.checkRange(start(), bytes);
    boolean possible =
        isPlain()
            && bytes > 0
            && file.view().isContiguous()
            && !file.isAtomic()
            && !file.isCopied();
    return new PinnedRange(
        position,
        bytes,
        possible
            ? file.strands().pin(write, file.view().offsetOf(position), bytes)
            : Optional.empty(),
        file.inPinned(write, position, bytes));
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
    return isPlain() ? file.moveAt(false, position, into) : read(Memory.of(into));
  }

  @Override
  public long write(MemorySegment from) throws IOException {
    return isPlain() ? file.moveAt(true, position, from) : write(Memory.of(from));
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
   * The strategy with which all ranks would carry out {@link #read(Memory)} of {@code bytes} bytes,
   * and the cost of each strategy. Transfers nothing. Collective.
   */
  public StrategyChoice planRead(long bytes) throws IOException {
    return plan(false, bytes);
  }

  /** As {@link #planRead}, for a write. */
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
        if (refusal.getCause() instanceof RuntimeException wrong) {
          throw wrong;
        }
        throw refusal;
      }
      check(view, write, memory, async);
    }
  }

  private Operations.Body throughAll(boolean write, Memory memory, boolean async)
      throws IOException {
    checkOpened(write); // the same on all ranks
    String call = write ? "writeThroughAll" : "readThroughAll";
    MillraceException wrong = refusal;
    if (wrong == null) {
      try {
        check(requireNonNull(view), write, memory, async);
      } catch (RuntimeException e) {
        wrong = invalid(e);
      }
    }
    if (wrong != null) {
      return file.collectives().refuse(call, job(write), wrong, async);
    }
    Range range = new Range(position, memory.length());
    return file.collectives()
        .startOfArray(call, job(write), range, memory, async, Optional.ofNullable(array));
  }

  /** One direction of it, as the file is now. */
  Job job(boolean write) {
    View seen = view == null ? file.view() : view;
    ViewEnd end = view == null ? file.end() : null;
    HintsInUse inUse = hints == null ? file.hints() : hints;
    return new Job(write, seen, end, file.isAtomic(), inUse, strand);
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
