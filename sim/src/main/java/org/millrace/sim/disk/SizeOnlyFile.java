package org.millrace.sim.disk;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.disk.DiskFile;

/**
 * A strand that keeps nothing but its size. It reads as zero, so a reader of anything else is told
 * of a damaged block. It stands for a strand with the same calls and the same course, as {@code
 * TrialTest} shows, but not for what is in it: thousands of disks of these fit into memory.
 *
 * <p>For threads of one seeded environment, which run one at a time. Closing does nothing.
 */
public final class SizeOnlyFile implements DiskFile {

  private final String name;
  private long size;

  /** An empty one. */
  public SizeOnlyFile(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long read(long position, MemorySegment into) {
    long count = Math.clamp(size - position, 0, into.byteSize());
    into.asSlice(0, count).fill((byte) 0);
    return count;
  }

  @Override
  public long read(long position, List<MemorySegment> into) {
    long count = 0;
    for (MemorySegment one : into) {
      count += read(position + count, one);
    }
    return count;
  }

  @Override
  public void write(long position, MemorySegment from) {
    size = Math.max(size, position + from.byteSize());
  }

  @Override
  public void resize(long newSize) {
    size = newSize;
  }

  @Override
  public void preallocate(long newSize) {}

  @Override
  public void force() {}

  @Override
  public void close() {}
}
