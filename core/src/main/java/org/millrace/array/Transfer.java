package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.millrace.access.Pattern;
import org.millrace.access.copy.Packer;
import org.millrace.access.copy.Places;
import org.millrace.array.Placement.Part;
import org.millrace.client.FileAccess;
import org.millrace.client.Memory;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * One transfer of a part of an array between file and memory. The arguments are checked when the
 * transfer is made. A collective transfer announces the result at the meeting, so that a wrong part
 * makes the call fail on all ranks.
 *
 * <p>Immutable; carried out once, by the thread that made it.
 */
final class Transfer {

  // constant after construction
  private final ArrayFile file;
  private final FileAccess through;
  private final Memory memory;
  private final Consumer<MemorySegment> filling;
  private final Runnable after;
  private final boolean refused;

  private Transfer(ArrayFile file, FileAccess through, Memory memory) {
    this(file, through, memory, _ -> {}, () -> {}, false);
  }

  private Transfer(
      ArrayFile file,
      FileAccess through,
      Memory memory,
      Consumer<MemorySegment> filling,
      Runnable after) {
    this(file, through, memory, filling, after, false);
  }

  private Transfer(
      ArrayFile file,
      FileAccess through,
      Memory memory,
      Consumer<MemorySegment> filling,
      Runnable after,
      boolean refused) {
    this.file = file;
    this.through = through;
    this.memory = memory;
    this.filling = filling;
    this.after = after;
    this.refused = refused;
  }

  /** A read of one rank for itself. */
  static Transfer read(ArrayFile file, Placement placement, Supplier<Part> part, Local into) {
    Part wanted = part.get();
    Pattern places = wanted.places(into);
    boolean swaps = into.words().swaps(placement.type());
    int wordBytes = placement.type().wordBytes();
    return new Transfer(
        file,
        wanted.through(file),
        Memory.of(into.segment(), places),
        packed -> copy(packed, into, into.pattern(wanted.counts(), placement.type())),
        () -> {
          if (swaps) {
            Words.swap(into.segment(), places, wordBytes);
          }
        });
  }

  /** A write of one rank for itself. */
  static Transfer write(ArrayFile file, Placement placement, Supplier<Part> part, Local from) {
    Part wanted = part.get();
    Pattern places = wanted.places(from);
    Memory memory = Memory.of(from.segment(), places);
    if (from.words().swaps(placement.type())) { // the caller's own memory stays as it is
      MemorySegment packed = Arena.ofAuto().allocate(places.size());
      Packer.copy(
          from.segment(),
          new Places(places, 0),
          packed,
          Places.packed(places.size()),
          places.size());
      Words.swap(packed, Pattern.run(places.size()), placement.type().wordBytes());
      memory = Memory.of(packed);
    }
    return new Transfer(file, wanted.through(file), memory);
  }

  /** Either of them as part of a collective call. */
  static Transfer together(ArrayFile file, Supplier<Transfer> mine) {
    try {
      return mine.get();
    } catch (RuntimeException e) {
      return new Transfer(
          file, file.refusing(e), Memory.of(MemorySegment.NULL), _ -> {}, () -> {}, true);
    }
  }

  /** A rank that has nothing to move and comes all the same. */
  static Transfer nothing(ArrayFile file) {
    return new Transfer(file, file.nothing(), Memory.of(MemorySegment.NULL));
  }

  /** Refuses memory that bytes cannot be copied into by this thread. */
  Transfer checked() {
    for (Memory.Part part : memory.parts()) {
      MemorySegment segment = part.segment();
      if (segment.isReadOnly()) {
        throw new IllegalArgumentException("cannot read into read-only memory: " + segment);
      }
      if (!segment.scope().isAlive()) {
        throw new IllegalStateException("the memory was already closed: " + segment);
      }
      if (!segment.isAccessibleBy(Thread.currentThread())) {
        throw new WrongThreadException("this memory belongs to another thread's confined arena");
      }
    }
    return this;
  }

  private static void copy(MemorySegment packed, Local into, Pattern places) {
    Packer.copy(
        packed, Places.packed(places.size()), into.segment(), new Places(places, 0), places.size());
  }

  /** Does a read from bytes that are already here, in the array's order; returns how many. */
  long fill(MemorySegment packed) {
    filling.accept(packed);
    after.run();
    return packed.byteSize();
  }

  boolean isRefused() {
    return refused;
  }

  long read() throws IOException {
    return done(through.read(memory));
  }

  long write() throws IOException {
    return done(through.write(memory));
  }

  long readAll() throws IOException {
    return done(through.all().read(memory));
  }

  long writeAll() throws IOException {
    return done(through.all().write(memory));
  }

  CompletableFuture<Long> readAsync() throws IOException {
    return done(through.readAsync(memory));
  }

  CompletableFuture<Long> writeAsync() throws IOException {
    return done(through.writeAsync(memory));
  }

  CompletableFuture<Long> readAllAsync() throws IOException {
    return done(through.all().readAsync(memory));
  }

  CompletableFuture<Long> writeAllAsync() throws IOException {
    return done(through.all().writeAsync(memory));
  }

  private CompletableFuture<Long> done(CompletableFuture<Long> moving) {
    return moving.thenApply(
        moved -> {
          try {
            return done(moved.longValue());
          } catch (MillraceException e) {
            throw new CompletionException(e);
          }
        });
  }

  private long done(long moved) throws MillraceException {
    if (moved < memory.length()) { // the file was truncated since it was opened
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s: %s bytes of the array's file are missing"
              .formatted(file.path(), memory.length() - moved));
    }
    after.run();
    return moved;
  }

  /** The result of a future, its error as it was thrown. */
  static long await(CompletableFuture<Long> future) throws IOException {
    try {
      return future.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case MillraceException cause -> throw cause.again();
        case IOException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw e;
      }
    }
  }
}
