package org.millrace.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Memory of a cache that tests reach as another process would, by the names of its pieces. */
final class TestSlabs implements SlabMemory {

  /** Where a block is, and which version of the place says so. */
  record Known(MemorySegment memory, AtomicLong word, long version, AtomicBoolean read) {

    /** Whether the block has been there since. */
    boolean isUnchanged() {
      return word.get() == version;
    }

    /** Says that the block has been read. */
    void mark() {
      read.set(true);
    }
  }

  private final boolean withdrawing;
  private final Map<String, MemorySegment> pieces = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong[]> versions = new ConcurrentHashMap<>();
  private final Map<String, AtomicBoolean[]> marks = new ConcurrentHashMap<>();
  private final AtomicInteger last = new AtomicInteger();

  TestSlabs() {
    this(true);
  }

  /** {@code withdrawing} is false for a control: nobody hears that a frame is used otherwise. */
  TestSlabs(boolean withdrawing) {
    this.withdrawing = withdrawing;
  }

  @Override
  public Piece take(long bytes, int frames) {
    String name = "piece " + last.incrementAndGet();
    MemorySegment memory = Arena.ofAuto().allocate(bytes, 4096);
    AtomicLong[] words = Stream.generate(AtomicLong::new).limit(frames).toArray(AtomicLong[]::new);
    pieces.put(name, memory);
    AtomicBoolean[] read =
        Stream.generate(AtomicBoolean::new).limit(frames).toArray(AtomicBoolean[]::new);
    versions.put(name, words);
    marks.put(name, read);
    return new Piece() {
      @Override
      public void publish(int frame) {
        words[frame].updateAndGet(word -> word | 1);
      }

      @Override
      public void withdraw(int frame) {
        words[frame].updateAndGet(word -> withdrawing ? word + (word & 1) : word);
      }

      @Override
      public boolean takeMark(int frame) {
        return read[frame].getAndSet(false);
      }

      @Override
      public boolean isPublished(int frame) {
        return withdrawing && (words[frame].get() & 1) != 0;
      }

      @Override
      public MemorySegment memory() {
        return memory;
      }

      @Override
      public String name() {
        return name;
      }

      @Override
      public void giveBack() {
        pieces.remove(name);
        versions.remove(name);
        marks.remove(name);
        for (int i = 0; i < frames; i++) {
          withdraw(i);
        }
        memory.fill((byte) 0xEE); // a late reader is to notice
      }
    };
  }

  /** How many pieces there are. */
  int count() {
    return pieces.size();
  }

  /** The memory of each block of a pin, in their order; empty for holes. */
  List<MemorySegment> blocks(BlockCache cache, Pin pin, int blockBytes) {
    List<MemorySegment> blocks = new ArrayList<>();
    for (Pin.Place place : pin.places()) {
      BlockCache.SlabName slab = cache.slab(place.slab(), place.generation());
      for (int i = 0; i < place.blocks(); i++) {
        long at = place.offset() + (long) i * blockBytes;
        blocks.add(slab == null ? MemorySegment.NULL : piece(slab.name()).asSlice(at, blockBytes));
      }
    }
    return blocks;
  }

  /** Where the first block of a pin is. */
  Known known(BlockCache cache, Pin pin, int blockBytes) {
    Pin.Place place = pin.places().getFirst();
    BlockCache.SlabName slab = Objects.requireNonNull(cache.slab(place.slab(), place.generation()));
    AtomicLong[] words = Objects.requireNonNull(versions.get(slab.name()));
    int index = (int) (place.offset() / blockBytes);
    MemorySegment memory = piece(slab.name()).asSlice(place.offset(), blockBytes);
    AtomicBoolean read = Objects.requireNonNull(marks.get(slab.name()))[index];
    return new Known(memory, words[index], words[index].get(), read);
  }

  private MemorySegment piece(String name) {
    return Objects.requireNonNull(pieces.get(name), name);
  }
}
