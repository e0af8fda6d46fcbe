package org.millrace.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.millrace.client.FilePointer.Place;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.FilePointer.Turn;
import org.millrace.client.Mover.Job;

/**
 * Accesses at a pointer: the rank's, the group's, or that of the mode. Each takes its place first
 * and then transfers the bytes, on the caller's thread or on a thread of the operation.
 *
 * <p>Belongs to the rank's thread.
 */
final class PointerAccess implements DataAccess {

  // constant after construction
  private final OpenFile file;
  private final Supplier<PointerKind> pointing;

  PointerAccess(OpenFile file, Supplier<PointerKind> pointing) {
    this.file = file;
    this.pointing = pointing;
  }

  @Override
  public long read(Memory into) throws IOException {
    return taken(false, into, false).run();
  }

  @Override
  public long write(Memory from) throws IOException {
    return taken(true, from, false).run();
  }

  @Override
  public CompletableFuture<Long> readAsync(Memory into) throws IOException {
    return file.start(taken(false, into, true));
  }

  @Override
  public CompletableFuture<Long> writeAsync(Memory from) throws IOException {
    return file.start(taken(true, from, true));
  }

  /** Takes the place of an access now; the result carries it out, on any thread. */
  private Operations.Body taken(boolean write, Memory memory, boolean async) throws IOException {
    PointerKind where = pointing.get();
    try {
      file.memory(write, memory, async);
    } catch (RuntimeException e) {
      boolean othersWait = where == PointerKind.ORDERED || where == PointerKind.GLOBAL;
      throw othersWait ? file.channel().refuse(write ? "write" : "read", e, async) : e;
    }
    Job job = file.job(write);
    if (write && where == PointerKind.PRIVATE && job.atomic() && isAppended(memory)) {
      return appended(job, memory, async);
    }
    Place place =
        file.pointer().take(where, write, memory.length(), async, file.unfinished().areSome());
    if (write && where == PointerKind.GLOBAL && place instanceof Turn turn) {
      return async
          ? unfinished(job, place, _ -> writeForAll(turn, job, memory, async))
          : () -> writeForAll(turn, job, memory, async);
    }
    return async
        ? unfinished(job, place, range -> moveTo(range, job, memory))
        : () -> moveTo(settled(job, place.range()), job, memory);
  }

  private Operations.Body unfinished(Job job, Place place, UnfinishedAccesses.Body body) {
    var one = file.unfinished().begin(job.write(), job.view(), place);
    return () -> one.run(body);
  }

  /** Waits for what this rank has under way at the same place. */
  private Range settled(Job job, Range range) throws IOException {
    file.unfinished().awaitConflicting(job.write(), job.view(), range);
    return range;
  }

  private boolean isAppended(Memory memory) {
    return memory.length() > 0 && file.options().has(OpenFlag.APPEND);
  }

  /**
   * Appends so that nobody who reads atomically sees a place that was taken and not yet written: it
   * is locked before anybody can take the next one.
   */
  private Operations.Body appended(Job job, Memory memory, boolean async) throws IOException {
    Range range;
    HeldLock lock;
    try (HeldLock _ = HeldLock.ofEnd(file)) {
      range = file.pointer().take(PointerKind.PRIVATE, true, memory.length(), async, false).range();
      lock = file.mover().lock(job, range.start(), range.count());
    }
    Job locked = new Job(true, job.view(), job.end(), false, job.hints());
    UnfinishedAccesses.Body body =
        place -> {
          try (lock) {
            return moveTo(place, locked, memory);
          }
        };
    return async ? unfinished(job, range, body) : () -> body.run(range);
  }

  /**
   * One rank writes, all wait for it and fail if it fails. What any of them has under way at that
   * place comes before: an access of its own is one for all.
   */
  private long writeForAll(Turn turn, Job job, Memory memory, boolean async) throws IOException {
    Range range = turn.range(); // if it fails, it fails on all ranks, and there is no end
    if (!async) {
      settled(job, range);
    }
    if (turn.othersAreBusy()) {
      file.channel().finishFirst(turn.meeting(), "write", () -> 0);
    }
    return file.channel()
        .finishBegun(
            turn.meeting(),
            "write",
            () -> {
              if (file.rank().number() == 0) {
                moveTo(range, job, memory);
              }
              return range.count();
            });
  }

  private long moveTo(Range range, Job job, Memory memory) throws IOException {
    OpenFile.checkRange(range.start(), range.count());
    return file.mover().move(job, range.start(), memory, range.count());
  }
}
