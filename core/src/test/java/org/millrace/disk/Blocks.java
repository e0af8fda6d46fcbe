package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;

/** Short forms for tests that work with blocks. */
final class Blocks {

  static final int SIZE = BlockSize.DEFAULT_BYTES;

  private Blocks() {}

  static byte[] random(long seed) {
    byte[] bytes = new byte[SIZE];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  static byte[] read(BlockStore store, long block) throws IOException {
    MemorySegment into = MemorySegment.ofArray(new byte[store.blockBytes()]).fill((byte) 99);
    store.read(block, List.of(into));
    return into.toArray(ValueLayout.JAVA_BYTE);
  }

  static void write(BlockStore store, long block, byte[] content) throws IOException {
    store.write(block, MemorySegment.ofArray(content));
  }

  static byte[] file(Disk disk, String name) throws IOException {
    try (DiskFile file = disk.open(name)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  static void overwrite(Disk disk, String name, long at, byte[] bytes) throws IOException {
    try (DiskFile file = disk.open(name)) {
      file.write(at, MemorySegment.ofArray(bytes));
    }
  }
}
