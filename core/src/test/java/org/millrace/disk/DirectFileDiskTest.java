package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/** A directory as a disk, past the page cache where it can, keeps the contract. */
final class DirectFileDiskTest extends DiskContractTest {

  private static final long BLOCK = 4096;

  @TempDir Path directory;

  @Override
  Disk make() throws IOException {
    return FileDisk.open(directory, new FileDisk.Options(true, true));
  }

  /** Each transfer past the page cache is a request to the disk. */
  @Test
  void readOfSeveralBlocksIsOneTransfer() throws IOException {
    Path calls = Path.of("/proc/thread-self/io"); // how many read calls this thread has made
    assumeThat(calls).isReadable();
    assumeThat(takesDirectTransfers()).isTrue();
    try (Disk disk = make();
        Arena arena = Arena.ofConfined()) {
      DiskFile file = disk.create("blocks");
      MemorySegment all = arena.allocate(16 * BLOCK, BLOCK);
      for (int i = 0; i < 16; i++) {
        all.asSlice(i * BLOCK, BLOCK).fill((byte) (i + 1));
      }
      file.write(0, all);
      file.force();
      List<MemorySegment> reversed = new ArrayList<>(); // no two are neighbours in memory
      for (int i = 15; i >= 0; i--) {
        reversed.add(all.asSlice(i * BLOCK, BLOCK));
      }
      file.read(0, reversed); // opens what has to be opened
      all.fill((byte) 0);
      long none = readCalls(calls, () -> {});
      long one = readCalls(calls, () -> assertThat(file.read(0, reversed)).isEqualTo(16 * BLOCK));
      assertThat(one - none).isEqualTo(1);
      for (int i = 0; i < 16; i++) {
        assertThat(all.get(ValueLayout.JAVA_BYTE, i * BLOCK)).isEqualTo((byte) (16 - i));
        assertThat(all.get(ValueLayout.JAVA_BYTE, (i + 1) * BLOCK - 1)).isEqualTo((byte) (16 - i));
      }
      long each = readCalls(calls, () -> file.read(1, reversed)); // not aligned: piece by piece
      assertThat(each - none).isEqualTo(17); // and once at the end
      file.close();
    }
  }

  /** They have one channel and its pointer between them. */
  @Test
  void readsOfSeveralBlocksByManyThreadsComeFromTheirOwnPlaces() throws Exception {
    int blocks = 64;
    try (Disk disk = make();
        Arena arena = Arena.ofShared()) {
      DiskFile file = disk.create("places");
      MemorySegment all = arena.allocate(blocks * BLOCK, BLOCK);
      for (int i = 0; i < blocks; i++) {
        all.asSlice(i * BLOCK, BLOCK).fill((byte) i);
      }
      file.write(0, all);
      List<FutureTask<Integer>> readers = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        int first = t;
        FutureTask<Integer> reader =
            new FutureTask<>(() -> wrongReads(file, arena.allocate(2 * BLOCK, BLOCK), first));
        readers.add(reader);
        Env.real().start(ThreadKind.DISK, "reader " + t, reader);
      }
      for (FutureTask<Integer> reader : readers) {
        assertThat(reader.get()).isZero();
      }
      file.close();
    }
  }

  private static int wrongReads(DiskFile file, MemorySegment two, int first) throws IOException {
    List<MemorySegment> into = List.of(two.asSlice(BLOCK, BLOCK), two.asSlice(0, BLOCK));
    int wrong = 0;
    for (int i = 0; i < 500; i++) {
      int block = (first * 7 + i * 5) % 63;
      boolean whole = file.read(block * BLOCK, into) == 2 * BLOCK;
      boolean right =
          two.get(ValueLayout.JAVA_BYTE, BLOCK) == block
              && two.get(ValueLayout.JAVA_BYTE, BLOCK - 1) == block + 1;
      wrong += whole && right ? 0 : 1;
    }
    return wrong;
  }

  private interface Reads {
    void run() throws IOException;
  }

  /** The fewest of several times: the JVM reads classes the first time. */
  private static long readCalls(Path calls, Reads reads) throws IOException {
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      long before = readCalls(calls);
      reads.run();
      fewest = Math.min(fewest, readCalls(calls) - before);
    }
    return fewest;
  }

  private static long readCalls(Path calls) throws IOException {
    return Files.readAllLines(calls).stream()
        .filter(line -> line.startsWith("syscr: "))
        .mapToLong(line -> Long.parseLong(line.substring("syscr: ".length())))
        .sum();
  }

  private boolean takesDirectTransfers() throws IOException {
    Path probe = directory.resolve("probe");
    try (Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(
                probe,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                DirectOption.require())) {
      channel.write(arena.allocate(BLOCK, BLOCK).asByteBuffer());
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    } finally {
      Files.deleteIfExists(probe);
    }
  }
}
