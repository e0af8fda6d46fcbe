package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The bytes of a strand for each block size, as {@code docs/formats.md} draws them. Sums and
 * headers were computed by another program.
 */
final class BlockFormatTest {

  private static final StrandKey ID = new StrandKey(42, 3);

  /** Of a strand with so large blocks, end 5000, epoch 7, generation 11, pages 0 and 5 to 8. */
  private static byte[] header(String blockBytes, String sum) {
    String fields =
        "4d494c4c53554d53"
            + "02000000"
            + blockBytes
            + "2a00000000000000"
            + "0300000002000000"
            + "8813000000000000"
            + "0700000000000000"
            + "0b00000000000000"
            + "0000000000000000"
            + "0100000000000000"
            + "0500000000000000"
            + "0900000000000000";
    byte[] bytes = Arrays.copyOf(HexFormat.of().parseHex(fields), SumsHeader.BYTES);
    System.arraycopy(HexFormat.of().parseHex(sum), 0, bytes, 508, 4);
    return bytes;
  }

  private static MemoryDisk sums(byte[] header) throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    try (DiskFile file = disk.create("sums")) {
      file.write(0, MemorySegment.ofArray(header));
      file.write(4096, MemorySegment.ofArray(header));
    }
    return disk;
  }

  @ParameterizedTest
  @CsvSource({
    "4096, 00100000, b8bef3b3",
    "8192, 00200000, 20db504d",
    "65536, 00000100, 8507ddad",
    "4194304, 00004000, 828d6b5f",
  })
  void headersHaveTheBlockSizeAndFrozenBytesAndStandTwice(
      int blockBytes, String inHeader, String sum) throws IOException {
    byte[] expected = header(inHeader, sum);
    PageRuns pages = new PageRuns(List.of(new PageRuns.Run(0, 1), new PageRuns.Run(5, 9)));
    SumsHeader header = new SumsHeader(ID, blockBytes, 5000, 7, 11, pages, Settled.NONE, 0);
    MemoryDisk disk = sums(expected);
    try (DiskFile file = disk.open("sums")) {
      assertThat(SumsHeader.readFrom(file, ID, "sums")).isEqualTo(header);
    }
    MemoryDisk fresh = new MemoryDisk("fresh");
    try (DiskFile file = fresh.create("sums")) {
      header.writeTo(file);
    }
    byte[] written = Blocks.file(fresh, "sums");
    assertThat(written).hasSize(4096 + SumsHeader.BYTES);
    assertThat(Arrays.copyOf(written, SumsHeader.BYTES)).isEqualTo(expected);
    assertThat(Arrays.copyOfRange(written, 4096, written.length)).isEqualTo(expected);
    assertThat(Arrays.copyOfRange(written, SumsHeader.BYTES, 4096)).containsOnly(0);
  }

  @Test
  void aHeaderSaysWhenTheStrandWasModified() throws IOException {
    PageRuns pages = new PageRuns(List.of(new PageRuns.Run(0, 1)));
    SumsHeader header = new SumsHeader(ID, 4096, 5000, 7, 11, pages, Settled.NONE, 0x0a0b);
    MemoryDisk disk = new MemoryDisk("fresh");
    try (DiskFile file = disk.create("sums")) {
      header.writeTo(file);
      assertThat(SumsHeader.readFrom(file, ID, "sums")).isEqualTo(header);
    }
    assertThat(Arrays.copyOfRange(Blocks.file(disk, "sums"), 452, 508))
        .startsWith(0, 0, 0, 0, 0x0b, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  @Test
  void aHeaderSaysWhichIntentsItSettles() throws IOException {
    byte[] expected = header("00100000", "cc5ca96d");
    System.arraycopy(HexFormat.of().parseHex("0800000000000000fecaad0b"), 0, expected, 440, 12);
    PageRuns pages = new PageRuns(List.of(new PageRuns.Run(0, 1), new PageRuns.Run(5, 9)));
    SumsHeader header = new SumsHeader(ID, 4096, 5000, 7, 11, pages, new Settled(7, 0x0badcafe), 0);
    try (DiskFile file = sums(expected).open("sums")) {
      assertThat(SumsHeader.readFrom(file, ID, "sums")).isEqualTo(header);
    }
    MemoryDisk fresh = new MemoryDisk("fresh");
    try (DiskFile file = fresh.create("sums")) {
      header.writeTo(file);
    }
    assertThat(Arrays.copyOf(Blocks.file(fresh, "sums"), SumsHeader.BYTES)).isEqualTo(expected);
    assertThat(Settled.of(6, new TreeMap<>(Map.of(9L, -2, 5L, 0x11223344))))
        .isEqualTo(new Settled(6, 0x3ebb17b8));
  }

  @Test
  void intentsHaveFrozenBytes() throws IOException {
    byte[] content = new byte[4096];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (7 * i);
    }
    MemoryDisk disk = new MemoryDisk("memory");
    try (BlockFile file = BlockFile.create(disk, ID.fileId(), ID.strand(), 4096)) {
      file.write(5, MemorySegment.ofArray(content));
      file.flush(6L * 4096);
      Arrays.fill(content, 100, 200, (byte) 9);
      BlockChanges changes = new BlockChanges(4096);
      changes.add(100, 200);
      file.write(5, MemorySegment.ofArray(content), List.of(changes));
    }
    byte[] frames = Blocks.file(disk, ID.intentsFile());
    String expected =
        "4d494e330a230b8d" // the second lane: the epoch is 1
            + "01000000000000002a00000000000000"
            + "0300000024000000"
            + "05000000000000006e14a985364db79d"
            + "3b1f30c80010000001000000"
            + "64000000c8000000";
    int length = expected.length() / 2;
    assertThat(HexFormat.of().formatHex(frames, 4096, 4096 + length)).isEqualTo(expected);
    assertThat(Arrays.copyOfRange(frames, 4096 + length, frames.length)).containsOnly(0);
  }

  @ParameterizedTest
  @CsvSource({
    "2048, 00080000, 740ca2cc",
    "12288, 00300000, 072a6ae4",
    "8388608, 00008000, a5cb8c91",
  })
  void headersWithBlocksThatNoStrandMayHaveAreRefused(int blockBytes, String inHeader, String sum)
      throws IOException {
    MemoryDisk disk = sums(header(inHeader, sum));
    try (DiskFile file = disk.open("sums")) {
      assertThatThrownBy(() -> SumsHeader.readFrom(file, ID, "sums"))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT))
          .hasMessage(
              "sums: blocks of %d bytes, this program knows powers of two from 4096 to 4194304"
                  .formatted(blockBytes));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "4096, 9db74d36",
    "8192, d108dbed",
    "65536, 8402be63",
    "1048576, a7e4be55",
    "4194304, 81adf8cb",
  })
  void sumsCoverTheWholeBlockAndItsPlace(int blockBytes, String sum) throws IOException {
    byte[] content = new byte[blockBytes];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (7 * i);
    }
    MemoryDisk disk = new MemoryDisk("memory");
    try (BlockFile file = BlockFile.create(disk, ID.fileId(), ID.strand(), blockBytes)) {
      file.write(5, MemorySegment.ofArray(content));
      file.flush(6L * blockBytes);
    }
    byte[] data = Blocks.file(disk, ID.dataFile());
    assertThat(Arrays.copyOfRange(data, 5 * blockBytes, data.length)).isEqualTo(content);
    byte[] sums = Blocks.file(disk, ID.sumsFile());
    int found = 0;
    for (int i = 3; i >= 0; i--) {
      found = found << 8 | sums[8192 + 5 * 4 + i] & 0xff; // block 5 of page 0, little-endian
    }
    assertThat(Integer.toHexString(found)).isEqualTo(sum);
  }

  @Test
  void aStrandOfBadBlocksIsNotMade() throws IOException {
    MemoryDisk disk = new MemoryDisk("memory");
    for (int bad : new int[] {0, -1, 100, 2048, 5000, 8 << 20}) {
      assertThatThrownBy(() -> BlockFile.create(disk, 1, 0, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("power of two from 4096 to 4194304");
    }
    assertThat(disk.list()).isEqualTo(List.of());
  }
}
