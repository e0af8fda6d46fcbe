package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.millrace.access.View;
import org.millrace.client.FilePointer.Place;
import org.millrace.client.FilePointer.Range;
import org.millrace.client.FilePointer.Turn;
import org.millrace.client.Mover.Job;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The verbs that move bytes, over an open file. Each takes its place first and then carries the
 * move out, on the caller's thread or on one of its own.
 */
abstract sealed class FileVerbs implements BlockingAccess, AsyncAccess, SplitAccess
    permits SharedFile {

  private final OpenFile file;
  private final SplitCall split = new SplitCall();

  FileVerbs(OpenFile file) {
    this.file = file;
  }

  @Override
  public long readAt(long position, MemorySegment into) throws IOException {
    file.checkRead();
    return moveAt(false, position, Memory.requireTarget(into, false));
  }

  @Override
  public long writeAt(long position, MemorySegment from) throws IOException {
    file.checkWrite();
    return moveAt(true, position, Memory.requireSource(from, false));
  }

  private long moveAt(boolean write, long position, MemorySegment segment) throws IOException {
    long length = segment.byteSize();
    OpenFile.checkRange(position, length);
    View view = file.view();
    if (length == 0) {
      return 0;
    }
    if (file.isAtomic() || !view.isContiguous()) {
      return file.mover().move(file.job(write), position, Memory.of(segment), length);
    }
    try {
      return file.mover().moveContiguous(write, view, position, segment, length);
    } catch (MillraceException e) {
      throw file.mover().told(e, write, position, length);
    }
  }

  @Override
  public long readAt(long position, Memory into) throws IOException {
    return moveAt(false, position, file.memory(false, into, false));
  }

  @Override
  public long writeAt(long position, Memory from) throws IOException {
    return moveAt(true, position, file.memory(true, from, false));
  }

  private long moveAt(boolean write, long position, Memory memory) throws IOException {
    OpenFile.checkRange(position, memory.length());
    return file.mover().move(file.job(write), position, memory, memory.length());
  }

  @Override
  public long read(MemorySegment into) throws IOException {
    if (file.mode().pointing() != Pointing.PRIVATE) {
      return move(file.mode().pointing(), false, file.memory(false, Memory.of(into), false));
    }
    long moved = readAt(file.pointer().position(), into); // moves on by what was really there
    file.pointer().moveTo(file.pointer().position() + moved);
    return moved;
  }

  @Override
  public long read(Memory into) throws IOException {
    return move(file.mode().pointing(), false, file.memory(false, into, false));
  }

  @Override
  public long write(MemorySegment from) throws IOException {
    return move(file.mode().pointing(), true, file.memory(true, Memory.of(from), false));
  }

  @Override
  public long write(Memory from) throws IOException {
    return move(file.mode().pointing(), true, file.memory(true, from, false));
  }

  @Override
  public long readShared(Memory into) throws IOException {
    return move(file.checkAllowed(Pointing.SHARED), false, file.memory(false, into, false));
  }

  @Override
  public long writeShared(Memory from) throws IOException {
    return move(file.checkAllowed(Pointing.SHARED), true, file.memory(true, from, false));
  }

  @Override
  public long readOrdered(Memory into) throws IOException {
    return move(file.checkAllowed(Pointing.ORDERED), false, file.memory(false, into, false));
  }

  @Override
  public long writeOrdered(Memory from) throws IOException {
    return move(file.checkAllowed(Pointing.ORDERED), true, file.memory(true, from, false));
  }

  private long move(Pointing pointing, boolean write, Memory memory) throws IOException {
    return taken(pointing, write, memory, false).run();
  }

  private CompletableFuture<Long> moveAsync(Pointing pointing, boolean write, Memory memory)
      throws IOException {
    return file.start(taken(pointing, write, memory, true));
  }

  /** Takes the place of an access now; the result carries it out, on any thread. */
  private Operations.Body taken(Pointing pointing, boolean write, Memory memory, boolean async)
      throws IOException {
    Job job = file.job(write);
    Place place = file.pointer().take(pointing, write, memory.length(), async);
    if (write && pointing == Pointing.GLOBAL && place instanceof Turn turn) {
      return () -> writeForAll(turn, job, memory);
    }
    return () -> moveTo(place.range(), job, memory);
  }

  /** One rank writes, all wait for it and fail if it fails. */
  private long writeForAll(Turn turn, Job job, Memory memory) throws IOException {
    return file.channel()
        .finish(
            turn.meeting(),
            "write",
            () -> {
              Range range = turn.range();
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

  @Override
  public long readAtAll(long position, Memory into) throws IOException {
    return allAt("readAtAll", false, position, into, false).run();
  }

  @Override
  public long writeAtAll(long position, Memory from) throws IOException {
    return allAt("writeAtAll", true, position, from, false).run();
  }

  @Override
  public long readAll(Memory into) throws IOException {
    return all("readAll", false, into);
  }

  @Override
  public long writeAll(Memory from) throws IOException {
    return all("writeAll", true, from);
  }

  /** The pointer moves on only when the call has succeeded. */
  private long all(String call, boolean write, Memory memory) throws IOException {
    if (write && file.options().flags().append()) {
      file.checkOpen();
      // where the end is each rank may ask only when all have come
      file.channel().meet(call + ": append", 0, "", 0);
      return together(call, true, memory, false, () -> taken(true, memory, false), _ -> {}).run();
    }
    return together(
            call,
            write,
            memory,
            false,
            () -> {
              file.checkAllowed(Pointing.PRIVATE);
              return checked(write, file.pointer().position(), memory, false);
            },
            count -> file.pointer().moveTo(file.pointer().position() + count))
        .run();
  }

  private Operations.Body allAt(
      String call, boolean write, long position, Memory memory, boolean async) throws IOException {
    return together(
        call, write, memory, async, () -> checked(write, position, memory, async), _ -> {});
  }

  /** Takes its place now, since the rank's next call may come before all ranks have. */
  private Operations.Body allAsync(String call, boolean write, Memory memory) throws IOException {
    return together(call, write, memory, true, () -> taken(write, memory, true), _ -> {});
  }

  private Range taken(boolean write, Memory memory, boolean async) throws IOException {
    file.checkAllowed(Pointing.PRIVATE);
    file.memory(write, memory, async);
    return file.pointer().take(Pointing.PRIVATE, write, memory.length(), async).range();
  }

  private Range checked(boolean write, long position, Memory memory, boolean async)
      throws IOException {
    file.memory(write, memory, async);
    OpenFile.checkRange(position, memory.length());
    return new Range(position, memory.length());
  }

  /** Where this rank's part of a collective call goes. */
  private interface Placing {
    Range place() throws IOException;
  }

  /**
   * Comes to a collective call. A rank whose own part is wrong comes, too, and lets the call fail
   * on all ranks: if it stayed away the others would wait, and its next call would meet theirs of
   * now.
   */
  private Operations.Body together(
      String call,
      boolean write,
      Memory memory,
      boolean async,
      Placing placing,
      CollectiveCalls.Moved moved)
      throws IOException {
    file.checkOpen();
    Range range;
    try {
      range = placing.place();
    } catch (IOException e) {
      throw refused(call, write, e, async);
    } catch (RuntimeException e) {
      throw refused(call, write, e, async);
    }
    return file.collectives().start(call, file.job(write), range, memory, async, moved);
  }

  private <E extends Exception> E refused(String call, boolean write, E wrong, boolean async) {
    MillraceException why =
        wrong instanceof IOException io
            ? MillraceException.wrap(ErrorCode.DISK, io)
            : new MillraceException(ErrorCode.INVALID, wrong.toString(), wrong);
    Operations.Body body = file.collectives().refuse(call, file.job(write), why, async);
    if (async) {
      var _ = file.start(body); // ends when all have come
      return wrong;
    }
    try {
      body.run();
    } catch (IOException e) {
      if (e != wrong) {
        wrong.addSuppressed(e);
      }
    }
    return wrong;
  }

  @Override
  public CompletableFuture<Long> readAtAsync(long position, Memory into) throws IOException {
    return atAsync(false, position, file.memory(false, into, true));
  }

  @Override
  public CompletableFuture<Long> writeAtAsync(long position, Memory from) throws IOException {
    return atAsync(true, position, file.memory(true, from, true));
  }

  private CompletableFuture<Long> atAsync(boolean write, long position, Memory memory) {
    OpenFile.checkRange(position, memory.length());
    Job job = file.job(write);
    return file.start(() -> file.mover().move(job, position, memory, memory.length()));
  }

  @Override
  public CompletableFuture<Long> readAsync(Memory into) throws IOException {
    return moveAsync(file.mode().pointing(), false, file.memory(false, into, true));
  }

  @Override
  public CompletableFuture<Long> writeAsync(Memory from) throws IOException {
    return moveAsync(file.mode().pointing(), true, file.memory(true, from, true));
  }

  @Override
  public CompletableFuture<Long> readSharedAsync(Memory into) throws IOException {
    return moveAsync(file.checkAllowed(Pointing.SHARED), false, file.memory(false, into, true));
  }

  @Override
  public CompletableFuture<Long> writeSharedAsync(Memory from) throws IOException {
    return moveAsync(file.checkAllowed(Pointing.SHARED), true, file.memory(true, from, true));
  }

  @Override
  public CompletableFuture<Long> readOrderedAsync(Memory into) throws IOException {
    return moveAsync(file.checkAllowed(Pointing.ORDERED), false, file.memory(false, into, true));
  }

  @Override
  public CompletableFuture<Long> writeOrderedAsync(Memory from) throws IOException {
    return moveAsync(file.checkAllowed(Pointing.ORDERED), true, file.memory(true, from, true));
  }

  @Override
  public CompletableFuture<Long> readAtAllAsync(long position, Memory into) throws IOException {
    return file.start(allAt("readAtAll", false, position, into, true));
  }

  @Override
  public CompletableFuture<Long> writeAtAllAsync(long position, Memory from) throws IOException {
    return file.start(allAt("writeAtAll", true, position, from, true));
  }

  @Override
  public CompletableFuture<Long> readAllAsync(Memory into) throws IOException {
    return file.start(allAsync("readAll", false, into));
  }

  @Override
  public CompletableFuture<Long> writeAllAsync(Memory from) throws IOException {
    return file.start(allAsync("writeAll", true, from));
  }

  @Override
  public void readAtAllBegin(long position, Memory into) throws IOException {
    split.begin("readAtAll", () -> readAtAllAsync(position, into));
  }

  @Override
  public long readAtAllEnd() throws IOException {
    return split.end("readAtAll");
  }

  @Override
  public void writeAtAllBegin(long position, Memory from) throws IOException {
    split.begin("writeAtAll", () -> writeAtAllAsync(position, from));
  }

  @Override
  public long writeAtAllEnd() throws IOException {
    return split.end("writeAtAll");
  }

  @Override
  public void readAllBegin(Memory into) throws IOException {
    split.begin("readAll", () -> readAllAsync(into));
  }

  @Override
  public long readAllEnd() throws IOException {
    return split.end("readAll");
  }

  @Override
  public void writeAllBegin(Memory from) throws IOException {
    split.begin("writeAll", () -> writeAllAsync(from));
  }

  @Override
  public long writeAllEnd() throws IOException {
    return split.end("writeAll");
  }

  @Override
  public void readOrderedBegin(Memory into) throws IOException {
    split.begin("readOrdered", () -> readOrderedAsync(into));
  }

  @Override
  public long readOrderedEnd() throws IOException {
    return split.end("readOrdered");
  }

  @Override
  public void writeOrderedBegin(Memory from) throws IOException {
    split.begin("writeOrdered", () -> writeOrderedAsync(from));
  }

  @Override
  public long writeOrderedEnd() throws IOException {
    return split.end("writeOrdered");
  }
}
