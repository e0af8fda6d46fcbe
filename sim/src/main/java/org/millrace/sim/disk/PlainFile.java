package org.millrace.sim.disk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.millrace.disk.DiskFile;

/**
 * A strand in memory, in chunks, without a memory of what a crash could leave: it takes little more
 * than its bytes.
 *
 * <p>For threads of one seeded environment, which run one at a time. Closing does nothing.
 */
public final class PlainFile implements DiskFile {

  private static final int CHUNK = 64 << 10;

  private final String name;
  private final Map<Long, byte[]> chunks = new HashMap<>();
  private long size;

  /** An empty file. */
  public PlainFile(String name) {
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
    for (long done = 0; done < count; ) {
      int in = (int) ((position + done) % CHUNK);
      int piece = (int) Math.min(CHUNK - in, count - done);
      byte[] chunk = chunks.get((position + done) / CHUNK);
      if (chunk == null) {
        into.asSlice(done, piece).fill((byte) 0);
      } else {
        MemorySegment.copy(chunk, in, into, ValueLayout.JAVA_BYTE, done, piece);
      }
      done += piece;
    }
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
    for (long done = 0; done < from.byteSize(); ) {
      int in = (int) ((position + done) % CHUNK);
      int piece = (int) Math.min(CHUNK - in, from.byteSize() - done);
      byte[] chunk = chunks.computeIfAbsent((position + done) / CHUNK, _ -> new byte[CHUNK]);
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, done, chunk, in, piece);
      done += piece;
    }
    size = Math.max(size, position + from.byteSize());
  }

  @Override
  public void resize(long newSize) {
    if (newSize < size) {
      long first = Math.ceilDiv(newSize, CHUNK);
      chunks.keySet().removeIf(chunk -> chunk >= first);
      byte[] last = chunks.get(newSize / CHUNK);
      if (last != null) {
        Arrays.fill(last, (int) (newSize % CHUNK), CHUNK, (byte) 0);
      }
    }
    size = newSize;
  }

  @Override
  public void preallocate(long newSize) {}

  @Override
  public void force() {}

  @Override
  public void close() {}
}
