package org.millrace.sim.hunt;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;

/**
 * One rank's reads and writes of one open file, which it also reports to the oracle.
 *
 * <p>Belongs to the rank's thread.
 */
final class Accesses {

  static final int CELL = Content.CELL;

  // constant after construction
  private final Member me;
  private final FileModel model;
  private final SharedFile file;
  private final long open;

  private final boolean locks;

  private boolean collective;

  private Accesses(Member me, FileModel model, SharedFile file, boolean locks) {
    this.locks = locks;
    this.me = me;
    this.model = model;
    this.file = file;
    this.open = me.oracle().nextOpen();
  }

  /** Opens a file with all ranks of the group. */
  static Accesses open(Member me, FileModel model, OpenOptions options) throws IOException {
    me.episode().files().making(model);
    OpenOptions copied =
        options.has(OpenFlag.CREATE) ? options.withCopies(model.copies()) : options;
    SharedFile file =
        me.call(
            "open",
            "%s %s".formatted(model.name(), options.mode()),
            () -> me.rank().open(model.name(), copied));
    me.world().tally().add(Occurrence.MODE, options.mode().toString());
    me.world().tally().add(Occurrence.MODE, model.copies() + " copies");
    me.episode().files().exists(model);
    Layout layout = file.layout();
    model.placed(
        cell -> layout.nodes().get(layout.strandOf(cell * CELL)),
        cell -> layout.strandOf(cell * CELL));
    Accesses made = new Accesses(me, model, file, options.mode() == Mode.ATOMIC);
    me.hasOpen(file, made::close);
    return made;
  }

  SharedFile file() {
    return file;
  }

  /** From now on all ranks make each call together. */
  void collectively() {
    collective = true;
  }

  private long call(String what, String detail, Member.Call<Long> call) throws IOException {
    return collective ? me.together(model, what, detail, call) : me.call(model, what, detail, call);
  }

  /** Cells in a row. */
  static long[] row(long first, long count) {
    return LongStream.range(first, first + count).toArray();
  }

  /** Cells of a view of runs of {@code run} cells every {@code stride}, from a position on. */
  static long[] vector(long displacement, long run, long stride, long position, long count) {
    return LongStream.range(position, position + count)
        .map(p -> displacement + p / run * stride + p % run)
        .toArray();
  }

  /** The view that {@link #vector} speaks of. */
  static View view(long displacement, long run, long stride) {
    return new View(displacement * CELL, Pattern.run(run * CELL), stride * CELL);
  }

  private static MemorySegment memory(long cells) {
    return MemorySegment.ofArray(new byte[Math.toIntExact(cells * CELL)]);
  }

  /** Moves the bytes of a call. */
  interface Move {
    long run(MemorySegment memory) throws IOException;
  }

  /** Writes cells; {@code move} is the call. Returns the write, which is known to be done. */
  Write write(String what, long[] cells, Move move) throws IOException {
    Write write = model.begin(open, cells);
    write.lockedBy = locks ? me.who() : "";
    write.inPieces = collective;
    return write(what, cells, write, move);
  }

  /** As {@link #write(String, long[], Move)}, for a write that others make, too. */
  Write write(String what, long[] cells, Write write, Move move) throws IOException {
    MemorySegment memory = memory(cells.length);
    for (int i = 0; i < cells.length; i++) {
      Content.fill(memory, i, write.id, cells[i]);
    }
    String detail = "%s as write %s".formatted(place(cells), write.id);
    String whole = what + " " + detail;
    long moved = call(what, detail, () -> move.run(memory));
    me.check(moved == memory.byteSize(), whole + " moved " + moved + " bytes");
    model.end(write);
    return write;
  }

  /** Reads cells; {@code move} is the call. Returns what was read. */
  List<Write> read(String what, long[] cells, Move move) throws IOException {
    MemorySegment memory = memory(cells.length);
    String whole = what + " " + place(cells);
    long began = me.oracle().tick();
    long moved = call(what, place(cells), () -> move.run(memory));
    me.check(moved >= 0 && moved <= memory.byteSize(), whole + " moved " + moved + " bytes");
    me.check(moved % CELL == 0, whole + " moved " + moved + " bytes, no file ends there");
    return model.read(began, cells, memory, moved / CELL, me.who() + ": " + whole);
  }

  private String place(long[] cells) {
    return cells.length == 0
        ? "nothing of " + model.name()
        : "cells %s to %s (%s) of %s"
            .formatted(cells[0], cells[cells.length - 1], cells.length, model.name());
  }

  /** A row anywhere: mostly short, now and then over several blocks. */
  long[] anyRow(RandomGenerator random) {
    long count =
        switch (random.nextInt(6)) {
          case 0 -> 1 + random.nextInt(1500);
          case 1, 2 -> 1 + random.nextInt(200);
          default -> 1 + random.nextInt(12);
        };
    long most = Math.min(count, model.most() / 2);
    return row(random.nextInt((int) (model.most() - most)), most);
  }

  void writeAt(long[] row) throws IOException {
    write("write", row, memory -> file.at(row[0] * CELL).write(memory));
  }

  List<Write> readAt(long[] row) throws IOException {
    return read("read", row, memory -> file.at(row[0] * CELL).read(memory));
  }

  /** A strided access of its own, in one call. */
  void throughVector(RandomGenerator random, boolean writes) throws IOException {
    long run = 1L + random.nextInt(4);
    long stride = run + random.nextInt(8);
    long count = 1L + random.nextInt(60);
    long first = random.nextInt((int) (model.most() - (count / run + 2) * stride));
    long[] cells = vector(first, run, stride, 0, count);
    View view = view(first, run, stride);
    if (writes) {
      write("strided write", cells, memory -> file.through(view).write(Memory.of(memory)));
    } else {
      read("strided read", cells, memory -> file.through(view).read(Memory.of(memory)));
    }
  }

  /** Several writes under way at once, that do not touch each other. */
  void writeAsync(RandomGenerator random) throws IOException {
    long first = random.nextInt(model.most() - 100);
    long[] left = row(first, 1 + random.nextInt(50));
    long[] right = row(first + 50, 1 + random.nextInt(50));
    write(
        "asynchronous write",
        left,
        memory -> {
          var under = file.at(left[0] * CELL).writeAsync(Memory.of(memory));
          try {
            writeAt(right);
          } catch (IOException e) {
            awaitQuietly(under);
            throw e;
          }
          return await(under);
        });
  }

  private static long await(CompletableFuture<Long> call) throws IOException {
    try {
      return call.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      throw MillraceException.wrap(ErrorCode.INVALID, cause == null ? e : cause);
    }
  }

  private static void awaitQuietly(CompletableFuture<Long> call) {
    try {
      await(call);
    } catch (IOException e) {
      // the other one's failure is told
    }
  }

  void checkSize() throws IOException {
    long began = me.oracle().tick();
    long bytes = me.call(model, "size", model.name(), file::size);
    model.checkSize(began, bytes, me.who());
  }

  /** All ranks cut the file, or make it longer. */
  void resize(long cells) throws IOException {
    Write cut = me.shared(Write.class, () -> model.beginCut(open, cells));
    me.act(
        "resize", "%s to %s cells".formatted(model.name(), cells), () -> file.resize(cells * CELL));
    model.end(cut);
  }

  /** Begins a write that all ranks make as one. */
  Write beginShared(long[] cells) {
    return me.shared(Write.class, () -> model.begin(open, cells));
  }

  void flush() throws IOException {
    me.flush(model, file, open);
  }

  void flushAll() throws IOException {
    me.flushAll(model, file, open);
  }

  void close() throws IOException {
    me.close(model, file, open);
  }

  void closeAll() throws IOException {
    me.closeAll(model, file, open);
  }
}
