package org.millrace.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory of a cache that tests reach as another process would, by the names of its pieces. */
final class TestSlabs implements SlabMemory {

  private final Map<String, MemorySegment> pieces = new ConcurrentHashMap<>();
  private final AtomicInteger last = new AtomicInteger();

  @Override
  public Piece take(long bytes) {
    String name = "piece " + last.incrementAndGet();
    MemorySegment memory = Arena.ofAuto().allocate(bytes, 4096);
    pieces.put(name, memory);
    return new Piece() {
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

  private MemorySegment piece(String name) {
    return Objects.requireNonNull(pieces.get(name), name);
  }
}
