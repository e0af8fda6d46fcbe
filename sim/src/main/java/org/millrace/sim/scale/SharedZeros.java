package org.millrace.sim.scale;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An arena that hands out one and the same memory again and again, for runs in which all bytes are
 * zero: so the caches of thousands of nodes take as much memory as one. Closing does nothing.
 *
 * <p>For threads of one seeded environment, which run one at a time.
 */
final class SharedZeros implements Arena {

  private static final long ALIGNMENT = 4096;

  private MemorySegment memory = Arena.ofAuto().allocate(1 << 20, ALIGNMENT);

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    if (byteAlignment > ALIGNMENT) {
      throw new IllegalArgumentException(byteAlignment + " is more than " + ALIGNMENT);
    }
    if (byteSize > memory.byteSize()) { // what was handed out before stays what it is
      memory = Arena.ofAuto().allocate(byteSize, ALIGNMENT);
    }
    return memory.asSlice(0, byteSize);
  }

  @Override
  public MemorySegment.Scope scope() {
    return memory.scope();
  }

  @Override
  public void close() {}
}
