package org.millrace.heritage.kotz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Buffers;
import org.millrace.client.Memory;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Moves logical records between memory and the places that a mapping function gives them. A mapping
 * that the library knows is one access through a view; one's own is taken in windows of a bounded
 * number of records, each one access through a list.
 *
 * <p>Belongs to the process's thread.
 */
final class RecordMover {

  private static final int WINDOW = 4096;
  private static final Memory NONE = Memory.of(MemorySegment.NULL);

  // constant after construction
  private final Rank rank;
  private final SharedFile file;
  private final int recordBytes;

  RecordMover(Rank rank, SharedFile file, int recordBytes) {
    this.rank = rank;
    this.file = file;
    this.recordBytes = recordBytes;
  }

  /** How many whole records the file has. */
  long records() throws IOException {
    return file.size() / recordBytes;
  }

  /** How many records memory holds. */
  long recordsIn(MemorySegment memory) {
    if (memory.byteSize() % recordBytes != 0) {
      throw new IllegalArgumentException(
          "memory of %s bytes is no number of records of %s bytes"
              .formatted(memory.byteSize(), recordBytes));
    }
    return memory.byteSize() / recordBytes;
  }

  /** What a mapping that the library knows shows. */
  View view(Mapping mapping) {
    return switch (mapping) {
      case Mapping.Interleaved one -> one.view(rank.number(), rank.size(), recordBytes);
      case Mapping.Part part -> part.view(rank.number(), rank.size(), recordBytes);
      case Mapping.Own _ -> throw new IllegalArgumentException("one's own mapping has no view");
    };
  }

  /** How many pointers from 0 on point at whole records of the file as it is. */
  long end(View view) throws IOException {
    return view.isEmpty() ? 0 : view.positionOf(records() * recordBytes) / recordBytes;
  }

  /** Moves records from a pointer on; returns how many: reads stop at the end of the file. */
  long move(boolean write, Mapping mapping, long pointer, MemorySegment memory) throws IOException {
    long wanted = recordsIn(memory);
    if (mapping instanceof Mapping.Own own) {
      return moveOwn(write, own, pointer, memory, wanted);
    }
    View view = view(mapping);
    long count = write ? wanted : Math.clamp(end(view) - pointer, 0, wanted);
    var through = file.through(view).at(Math.multiplyExact(pointer, recordBytes));
    Memory part = Memory.of(memory.asSlice(0, count * recordBytes));
    return (write ? through.write(part) : through.read(part)) / recordBytes;
  }

  private long moveOwn(
      boolean write, Mapping.Own own, long pointer, MemorySegment memory, long wanted)
      throws IOException {
    long count = reach(write, own, pointer, wanted);
    for (long done = 0; done < count; ) {
      int now = (int) Math.min(WINDOW, count - done);
      View view = window(own, pointer + done, now);
      if (write && !view.isDisjoint()) { // what comes later stays, as if written one by one
        now = 1;
        view = window(own, pointer + done, 1);
      }
      Memory part = Memory.of(slice(memory, done, now));
      long _ = write ? file.through(view).write(part) : file.through(view).read(part);
      done += now;
    }
    return count;
  }

  /** How many records can be moved; asks for all places before any byte moves. */
  private long reach(boolean write, Mapping.Own own, long pointer, long wanted) throws IOException {
    long records = write ? Long.MAX_VALUE / recordBytes : records();
    for (long i = 0; i < wanted; i++) {
      if (own.place(Math.addExact(pointer, i)) >= records) {
        if (write) {
          throw new IndexOutOfBoundsException("mapping %s leaves the file".formatted(own.name()));
        }
        return i;
      }
    }
    return wanted;
  }

  private View window(Mapping.Own own, long pointer, int count) {
    long[] offsets = new long[count];
    long[] lengths = new long[count];
    Arrays.setAll(offsets, i -> own.place(pointer + i) * recordBytes);
    Arrays.fill(lengths, recordBytes);
    Pattern places = Pattern.indexed(offsets, lengths);
    return places.size() == 0 ? View.EMPTY : new View(0, places, places.end());
  }

  private MemorySegment slice(MemorySegment memory, long from, long count) {
    return memory.asSlice(from * recordBytes, count * recordBytes);
  }

  /** As {@link #move}, all processes together; what is wrong with one fails on all. */
  long moveTogether(boolean write, Mapping mapping, long pointer, MemorySegment given)
      throws IOException {
    MemorySegment memory = Buffers.of(given);
    long count = 0;
    RuntimeException wrong = null;
    try {
      long wanted = recordsIn(memory);
      count =
          mapping instanceof Mapping.Own own
              ? reach(write, own, pointer, wanted)
              : write ? wanted : Math.clamp(end(view(mapping)) - pointer, 0, wanted);
    } catch (RuntimeException e) {
      wrong = e;
    } catch (IOException e) { // comes all the same, or the others would wait
      wrong = new UncheckedIOException(e);
    }
    long windows = mapping instanceof Mapping.Own ? Math.ceilDiv(count, WINDOW) : 1;
    long rounds = rank.allReduceLong(wrong == null ? windows : Long.MAX_VALUE, Math::max);
    if (rounds == Long.MAX_VALUE) {
      RuntimeException mine = wrong;
      var through = mine == null ? file.through(View.EMPTY) : file.all().refusing(mine);
      long _ = write ? through.all().write(NONE) : through.all().read(NONE); // throws on all
    }
    for (long round = 0; round < rounds; round++) {
      round(write, mapping, pointer, memory, count, round);
    }
    return count;
  }

  private void round(
      boolean write, Mapping mapping, long pointer, MemorySegment memory, long count, long round)
      throws IOException {
    View view;
    long position = 0;
    long from = 0;
    long now = count;
    if (mapping instanceof Mapping.Own own) {
      from = Math.min(count, round * WINDOW);
      now = Math.min(WINDOW, count - from);
      view = window(own, pointer + from, (int) now);
    } else {
      view = view(mapping);
      position = Math.multiplyExact(pointer, recordBytes);
    }
    Memory part = Memory.of(slice(memory, from, now));
    var through = file.through(view).at(position);
    long _ = write ? through.all().write(part) : through.all().read(part);
  }
}
