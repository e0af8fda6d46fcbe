package org.millrace.client;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.View;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.Mover.Job;
import org.millrace.client.OpenFile.HintsInUse;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Hints;

/**
 * Accesses of an open file through a view that comes with them, instead of the rank's own: from a
 * position of it on, as many bytes as the memory has. No pointer moves and no meeting is needed to
 * change the view, so that each call may have another one.
 *
 * <p>A rank that finds its part of a collective call to be wrong must not stay away, or the others
 * would wait for it: {@link SharedFile#refusing} gives the same verbs for it. Then the call fails
 * on all ranks with INVALID and the reason, and no byte moves.
 *
 * <p>May be used by several threads; collective calls meet in the order in which they are made.
 * Needs no closing.
 */
public final class Through {

  // constant after construction
  private final OpenFile file;
  private final View view;
  private final long position;
  private final Optional<Geometry> array;
  private final boolean disjoint;
  private final @Nullable RuntimeException refusal;
  private final Supplier<HintsInUse> hints;

  private Through(
      OpenFile file,
      View view,
      long position,
      Optional<Geometry> array,
      @Nullable RuntimeException refusal,
      Supplier<HintsInUse> hints) {
    this.file = file;
    this.view = view;
    this.position = position;
    this.array = array;
    this.disjoint = view.isDisjoint();
    this.refusal = refusal;
    this.hints = hints;
  }

  static Through of(OpenFile file, View view, long position, Optional<Geometry> array) {
    OpenFile.checkRange(position, 0);
    return new Through(file, view, position, array, null, file::hints);
  }

  static Through refusing(OpenFile file, RuntimeException why) {
    return new Through(file, View.EMPTY, 0, Optional.empty(), why, file::hints);
  }

  /**
   * The same accesses, carried out as these hints say instead of the file's own. In a collective
   * call all ranks must give equal ones.
   */
  public Through withHints(Hints newHints) {
    HintsInUse own = file.hints();
    HintsInUse inUse = own.hints().equals(newHints) ? own : HintsInUse.of(newHints);
    return new Through(file, view, position, array, refusal, () -> inUse);
  }

  /** Reads, this rank for itself. Fewer bytes than the memory has where the file ends. */
  public long read(Memory into) throws IOException {
    return alone(false, into, false).run();
  }

  /** Writes, this rank for itself. */
  public long write(Memory from) throws IOException {
    return alone(true, from, false).run();
  }

  /** As {@link #read}; the thread of the operation completes the future. */
  public CompletableFuture<Long> readAsync(Memory into) throws IOException {
    return file.start(alone(false, into, true));
  }

  /** As {@link #write}; the thread of the operation completes the future. */
  public CompletableFuture<Long> writeAsync(Memory from) throws IOException {
    return file.start(alone(true, from, true));
  }

  /** Reads, all ranks together, each through its own view. */
  public long readAll(Memory into) throws IOException {
    return together(false, into, false).run();
  }

  /** Writes, all ranks together, each through its own view. */
  public long writeAll(Memory from) throws IOException {
    return together(true, from, false).run();
  }

  /** As {@link #readAll}; the thread of the operation completes the future. */
  public CompletableFuture<Long> readAllAsync(Memory into) throws IOException {
    return file.start(together(false, into, true));
  }

  /** As {@link #writeAll}; the thread of the operation completes the future. */
  public CompletableFuture<Long> writeAllAsync(Memory from) throws IOException {
    return file.start(together(true, from, true));
  }

  private Operations.Body alone(boolean write, Memory memory, boolean async) throws IOException {
    checkOpened(write);
    if (refusal != null) {
      throw refusal;
    }
    check(write, memory, async);
    Job job = job(write);
    return () -> file.mover().move(job, position, memory, memory.length());
  }

  /** Comes to the meeting now; the result waits for the others and does this rank's part. */
  private Operations.Body together(boolean write, Memory memory, boolean async) throws IOException {
    checkOpened(write); // the same on all ranks
    String call = write ? "writeThroughAll" : "readThroughAll";
    RuntimeException wrong = refusal;
    if (wrong == null) {
      try {
        check(write, memory, async);
      } catch (RuntimeException e) {
        wrong = e;
      }
    }
    if (wrong != null) {
      var why = new MillraceException(ErrorCode.INVALID, String.valueOf(wrong.getMessage()), wrong);
      return file.collectives().refuse(call, job(write), why, async);
    }
    Range range = new Range(position, memory.length());
    return file.collectives().startOfArray(call, job(write), range, memory, async, array);
  }

  private Job job(boolean write) {
    return new Job(write, view, file.isAtomic(), hints.get());
  }

  private void checkOpened(boolean write) throws IOException {
    if (write) {
      file.checkWritable();
    } else {
      file.checkRead();
    }
  }

  private void check(boolean write, Memory memory, boolean async) {
    if (write && !disjoint) {
      throw new IllegalStateException(
          "the view shows some byte of " + file.path() + " twice: it cannot be written through");
    }
    OpenFile.checkRange(position, memory.length());
    new Access(view, position, position + memory.length()); // checks that it reaches so far
    memory.require(write, async);
  }
}
