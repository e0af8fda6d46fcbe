package org.millrace.testing.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The bytes of a file, with holes. Guarded by the lock of the tree. */
final class MemoryBytes {

  private static final int CHUNK = 1 << 16;

  private final TreeMap<Long, byte[]> chunks = new TreeMap<>();
  private long size;

  long size() {
    return size;
  }

  long read(long position, MemorySegment into) {
    long length = Math.max(0, Math.min(into.byteSize(), size - position));
    for (long done = 0; done < length; ) {
      int start = (int) ((position + done) % CHUNK);
      int part = (int) Math.min(CHUNK - start, length - done);
      byte[] chunk = chunks.get((position + done) / CHUNK);
      if (chunk == null) {
        into.asSlice(done, part).fill((byte) 0);
      } else {
        MemorySegment.copy(chunk, start, into, ValueLayout.JAVA_BYTE, done, part);
      }
      done += part;
    }
    return length;
  }

  void write(long position, MemorySegment from) {
    long length = from.byteSize();
    for (long done = 0; done < length; ) {
      int start = (int) ((position + done) % CHUNK);
      int part = (int) Math.min(CHUNK - start, length - done);
      byte[] chunk = chunks.computeIfAbsent((position + done) / CHUNK, at -> new byte[CHUNK]);
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, done, chunk, start, part);
      done += part;
    }
    if (length > 0) {
      size = Math.max(size, position + length);
    }
  }

  /** Cuts or lengthens; what is cut reads as zero should the file grow again. */
  void resize(long bytes) {
    if (bytes < size) {
      chunks.tailMap(Math.ceilDiv(bytes, CHUNK)).clear();
      byte[] last = chunks.get(bytes / CHUNK);
      if (last != null) {
        Arrays.fill(last, (int) (bytes % CHUNK), CHUNK, (byte) 0);
      }
    }
    size = bytes;
  }

  OptionalLong nextData(long position) {
    Map.Entry<Long, byte[]> chunk = chunks.ceilingEntry(position / CHUNK);
    if (position >= size || chunk == null) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(Math.max(position, chunk.getKey() * CHUNK));
  }
}
