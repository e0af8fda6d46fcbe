package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Memory of another process that this one maps. */
final class MappedSlabsTest {

  private static final Path SHARED = Path.of("/dev/shm");
  private static final int PAGE = 4096;
  private static final int PAGES = 4096;

  /** Page faults of this thread while new mappings of memory that is there are used. */
  private static long faults(FileChannel memory, Consumer<MemorySegment> use) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mapped =
          memory.map(FileChannel.MapMode.READ_WRITE, 0, (long) PAGES * PAGE, arena);
      long before = faults();
      use.accept(mapped);
      return faults() - before;
    }
  }

  private static long faults() throws IOException {
    String said = Files.readString(Path.of("/proc/thread-self/stat"));
    String[] fields = said.substring(said.lastIndexOf(')') + 2).split(" ", -1); // from the third on
    return Long.parseLong(fields[7]); // the tenth: faults without I/O
  }

  private static void write(MemorySegment memory) {
    for (long page = 0; page < PAGES; page++) {
      memory.set(ValueLayout.JAVA_BYTE, page * PAGE, (byte) 1);
    }
  }

  @Test
  void memoryThatWasTouchedIsWrittenWithFewPageFaults() throws IOException {
    assumeTrue(Files.isWritable(SHARED), "no memory to map");
    Path file = Files.createTempFile(SHARED, "millrace-test", "");
    try (FileChannel memory =
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE)) {
      long _ = faults(memory, MappedSlabsTest::write); // now the kernel has all pages
      long untouched = faults(memory, MappedSlabsTest::write);
      assumeTrue(untouched >= PAGES, "the kernel maps more than a page at a time by itself");
      long touched =
          faults(
              memory,
              mapped -> {
                MappedSlabs.touch(mapped, 0, mapped.byteSize());
                write(mapped);
              });
      assertThat(touched).isLessThan(PAGES / 8);
    }
  }
}
