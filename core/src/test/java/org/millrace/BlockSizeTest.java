package org.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.BlockFile;
import org.millrace.disk.BlockSize;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.MemoryDisk;
import org.millrace.disk.RecordingDisk;
import org.millrace.disk.RecordingDisk.Transfer;
import org.millrace.disk.StrandKey;
import org.millrace.disk.StrandLog;
import org.millrace.env.Env;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.Striping;

/**
 * The block size of a file is what its disk is asked for, and what a checksum covers; bad sizes
 * leave nothing behind.
 */
final class BlockSizeTest {

  private static final int MOST = 4 << 20;

  private final MemoryDisk names = new MemoryDisk("names");
  private final MemoryDisk memory = new MemoryDisk("memory");
  private final RecordingDisk disk = new RecordingDisk(memory);

  private void run(Program program) throws IOException {
    run(16 << 20, program);
  }

  /** In a cluster that knows nothing but what lies on the disks. */
  private void run(long cacheBytes, Program program) throws IOException {
    ClusterOptions options = ClusterOptions.DEFAULT.withCacheBytesPerNode(cacheBytes);
    try (RunningCluster cluster =
        RunningCluster.over(Env.real(), names, List.<Disk>of(disk), options)) {
      cluster.run(1, program);
    }
  }

  private byte[] make(int blockBytes, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new Random(blockBytes).nextBytes(content);
    run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create().withBlockSize(blockBytes))) {
            assertThat(file.at(0).write(Memory.of(content))).isEqualTo(bytes);
          }
        });
    disk.take();
    return content;
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 8 << 10, 64 << 10, 1 << 20, 4 << 20})
  void aByteMakesTheDiskReadOneBlockOfTheFile(int blockBytes) throws IOException {
    byte[] content = make(blockBytes, 3 * blockBytes);
    run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.read())) {
            byte[] one = new byte[1];
            file.at(2L * blockBytes - 1).read(Memory.of(one));
            assertThat(one[0]).isEqualTo(content[2 * blockBytes - 1]);
            assertThat(disk.take()).containsExactly(new Transfer(false, blockBytes, blockBytes));
            file.at(blockBytes).read(Memory.of(one));
            assertThat(disk.take()).isEmpty();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 8 << 10, 64 << 10, 1 << 20, 4 << 20})
  void aWriteOfAByteReadsAndWritesOneBlockOfTheFile(int blockBytes) throws IOException {
    byte[] content = make(blockBytes, 3 * blockBytes);
    run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.readWrite())) {
            file.at(blockBytes + 5L).write(Memory.of(new byte[] {1}));
            file.flush();
          }
        });
    assertThat(disk.take())
        .containsExactly(
            new Transfer(false, blockBytes, blockBytes),
            new Transfer(true, blockBytes, blockBytes));
    content[blockBytes + 5] = 1;
    run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.read())) {
            byte[] all = new byte[content.length];
            file.at(0).read(Memory.of(all));
            assertThat(all).isEqualTo(content);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 8 << 10, 64 << 10, 1 << 20, 4 << 20})
  void rotOfOneByteSpoilsItsBlockAndNoOther(int blockBytes) throws IOException {
    make(blockBytes, 3 * blockBytes);
    String data = memory.list().stream().filter(f -> f.endsWith(".strand")).findFirst().get();
    try (DiskFile file = memory.open(data)) {
      byte[] last = new byte[1];
      file.read(2L * blockBytes - 1, MemorySegment.ofArray(last));
      last[0] ^= 1;
      file.write(2L * blockBytes - 1, MemorySegment.ofArray(last));
    }
    run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.read())) {
            byte[] one = new byte[1];
            assertThat(file.at(blockBytes - 1L).read(Memory.of(one))).isEqualTo(1);
            assertThat(file.at(2L * blockBytes).read(Memory.of(one))).isEqualTo(1);
            assertThatThrownBy(() -> file.at(blockBytes).read(Memory.of(one)))
                .isInstanceOf(CorruptBlockException.class)
                .hasMessageContaining("block 1");
          }
        });
  }

  /** The control: the transfers above are the block size's doing. */
  @Test
  void filesOfDifferentBlocksAskTheDiskForDifferentBytes() throws IOException {
    make(8 << 10, 3 << 16);
    run(
        rank -> {
          try (SharedFile small = rank.open("f", OpenOptions.read());
              SharedFile usual = rank.open("g", OpenOptions.create())) {
            byte[] one = new byte[1];
            small.at(70_000).read(Memory.of(one));
            assertThat(disk.take()).containsExactly(new Transfer(false, 65_536, 8192));
            assertThat(usual.layout().blockBytes()).isEqualTo(Layout.DEFAULT_BLOCK_BYTES);
            usual.at(0).write(Memory.of(new byte[3 << 16]));
          }
        });
    disk.take();
    run(
        rank -> {
          try (SharedFile usual = rank.open("g", OpenOptions.read())) {
            usual.at(70_000).read(Memory.of(new byte[1]));
            assertThat(disk.take()).containsExactly(new Transfer(false, 65_536, 65_536));
          }
        });
  }

  @Test
  void aHintSaysItWhereTheOptionsDoNot() throws IOException {
    Hints hints = Hints.DEFAULT.withStriping(Striping.DEFAULT.withBlockBytes(8192));
    run(
        rank -> {
          try (SharedFile hinted = rank.open("a", OpenOptions.create().withHints(hints));
              SharedFile said =
                  rank.open("b", OpenOptions.create().withBlockSize(MOST).withHints(hints))) {
            assertThat(hinted.layout().blockBytes()).isEqualTo(8192);
            assertThat(said.layout().blockBytes()).isEqualTo(MOST);
          }
          try (SharedFile again = rank.open("a", OpenOptions.create().withBlockSize(MOST))) {
            assertThat(again.layout().blockBytes()).isEqualTo(8192); // made is made
          }
        });
  }

  @Test
  void badSizesAreRefusedAtOnce() {
    for (int bad : new int[] {Integer.MIN_VALUE, -4096, 0, 1, 2048, 4095, 6144, 8 << 20}) {
      assertThatThrownBy(() -> OpenOptions.create().withBlockSize(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("blocks of " + bad + " bytes, must be a power of two from 4096 to 4194304");
    }
  }

  @Test
  void aFileWhoseBlocksNoCacheCanHoldIsRefusedAndLeavesNothing() throws IOException {
    run(
        1 << 20,
        rank -> {
          assertThatThrownBy(() -> rank.open("f", OpenOptions.create().withBlockSize(MOST)))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("a cache of 1048576 bytes cannot hold a block of 4194304");
          assertThat(rank.names().list("")).isEmpty();
          rank.open("f", OpenOptions.create().withBlockSize(1 << 20)).close();
        });
    assertThat(StrandLog.peek(memory)).hasSize(1);
  }

  @Test
  void aFileIsRefusedWhileTheCacheIsTooSmallForItAndServedAgainAfterwards() throws IOException {
    byte[] content = make(MOST, MOST + 10);
    run(
        1 << 20,
        rank ->
            assertThatThrownBy(
                    () -> {
                      try (SharedFile file = rank.open("f", OpenOptions.read())) {
                        file.at(0).read(Memory.of(new byte[1]));
                      }
                    })
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("cannot hold a block of 4194304"));
    run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.read())) {
            byte[] all = new byte[content.length];
            assertThat(file.at(0).read(Memory.of(all))).isEqualTo(all.length);
            assertThat(all).isEqualTo(content);
          }
        });
  }

  @Test
  void aStrandOfOtherBlocksThanItsFileIsAnErrorThatNamesBoth() throws IOException {
    make(8 << 10, 100_000);
    StrandKey id = BlockFile.listStrands(memory).getFirst();
    BlockFile.remove(memory, id.fileId(), id.strand());
    BlockFile.create(memory, id.fileId(), id.strand(), 64 << 10).close();
    memory.delete("epochs"); // which would know that they are not the last
    run(
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.readWrite())) {
            for (Strategy strategy : List.of(Strategy.SIEVED, Strategy.DISK_DIRECTED)) {
              file.setHints(Hints.DEFAULT.withStrategy(strategy));
              assertThatThrownBy(() -> file.at(0).all().write(Memory.of(new byte[100_000])))
                  .isInstanceOfSatisfying(
                      MillraceException.class,
                      e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT))
                  .hasMessageContaining("has blocks of 65536 bytes, the request assumes 8192");
            }
          }
        });
  }

  @Test
  void layoutAndFormatAllowTheSameSizes() {
    assertThat(Layout.MIN_BLOCK_BYTES).isEqualTo(BlockSize.MIN_BYTES);
    assertThat(Layout.DEFAULT_BLOCK_BYTES).isEqualTo(BlockSize.DEFAULT_BYTES);
    assertThat(Layout.MAX_BLOCK_BYTES).isEqualTo(BlockSize.MAX_BYTES);
  }
}
