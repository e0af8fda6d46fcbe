package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Payload;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.Seeds;

/** Small reads, and questions for the size, of blocks that a node pinned for them before. */
final class RepeatedReadsTest {

  private static final int BLOCK = 4096;
  private static final int BLOCKS = 16;
  private static final int SIZE = BLOCKS * BLOCK - 100;
  private static final long MINUTE = 60_000_000_000L;

  /** Pins that it may take until all is known. */
  private static final int FEW = 8;

  private static final Layout LAYOUT = new Layout(2 * BLOCK, BLOCK, List.of(0, 0));

  @TempDir private Path directory;

  private static byte[] some() {
    byte[] bytes = new byte[SIZE];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  private static Strands written(NodeInReach there, byte[] bytes) throws IOException {
    Strands file = there.open();
    file.write(0, MemorySegment.ofArray(bytes), 0, bytes.length);
    return file;
  }

  /** Sixteen bytes of every kibibyte, which are few of each strand. */
  private static void checkSome(Strands file, byte[] bytes, int first, int count)
      throws IOException {
    Access access = new Access(new View(first, Pattern.run(16), 1024), 0, 16L * count);
    byte[] got = new byte[16 * count];
    file.move(false, access, Payload.of(MemorySegment.ofArray(got)));
    for (int i = 0; i < got.length; i++) {
      assertThat(got[i]).isEqualTo(bytes[first + i / 16 * 1024 + i % 16]);
    }
  }

  @Test
  void smallReadsOfTheSameBlocksSoonNeedNoRequest() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      byte[] bytes = some();
      Strands file = written(there, bytes);
      for (int i = 0; i < FEW; i++) {
        checkSome(file, bytes, 3, 40);
      }
      int before = there.asked().size();
      checkSome(file, bytes, 3, 40);
      checkSome(file, bytes, 7, 40);
      bytes[3 + 1024] = 99;
      file.write(3 + 1024, MemorySegment.ofArray(bytes), 3 + 1024, 1);
      checkSome(file, bytes, 3, 40);
      assertThat(there.asked()).hasSize(before);
      file.close();
    }
  }

  @Test
  void smallReadsThatDoNotComeBackPinEverMoreRarely() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      byte[] bytes = some();
      Strands file = written(there, bytes);
      long pins = there.counter("pin.count");
      file.resize(0);
      bytes = new byte[SIZE];
      file.extend(SIZE); // holes lie nowhere, so they are never known
      for (int i = 0; i < 500; i++) {
        checkSome(file, bytes, 3, 40);
      }
      assertThat(there.counter("pin.count") - pins).isBetween(2L, 2L * 2 * 12);
      file.close();
    }
  }

  @Test
  void theSizeIsKnownAsLongAsTheBlockOfTheLastByteIs() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      Strands file = written(there, some());
      for (int i = 0; i < FEW; i++) {
        assertThat(file.sizeUpTo(SIZE)).isEqualTo(SIZE);
      }
      int before = there.asked().size();
      assertThat(file.sizeUpTo(SIZE)).isEqualTo(SIZE);
      assertThat(there.asked()).hasSize(before);
      assertThat(file.sizeUpTo(SIZE + 1)).as("further than was known").isEqualTo(SIZE);
      there.ask(new NodeRequest.Resize(NodeInReach.strand(1), LAYOUT.strandSize(1, SIZE - 1)));
      assertThat(file.sizeUpTo(SIZE)).as("cut within the block").isEqualTo(SIZE - 1);
      file.extend(SIZE);
      assertThat(file.sizeUpTo(SIZE)).isEqualTo(SIZE);
      file.close();
    }
  }

  @Test
  void aSizeThatNoBlockShowsIsAskedForAndBlocksAreRarelyPinned() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      Strands file = there.open();
      file.extend(SIZE);
      for (int i = 0; i < 500; i++) {
        assertThat(file.sizeUpTo(SIZE)).isEqualTo(SIZE);
      }
      assertThat(there.asked()).filteredOn(NodeRequest.Size.class::isInstance).hasSize(500);
      assertThat(there.counter("pin.count")).isBetween(1L, 12L);
      file.close();
    }
  }

  @Test
  void pinsThatWereNeverOfUseAreTriedAgainEverMoreRarelyAndNeverGivenUp() throws IOException {
    KnownBlocks blocks = new KnownBlocks(BLOCK, () -> true);
    List<Integer> pauses = new ArrayList<>();
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      MappedSlabs slabs = Objects.requireNonNull(there.link().reached());
      for (int read = 1, last = 0; read < 30_000; read++) {
        if (blocks.isWorthPinning()) {
          blocks.note(slabs, List.of(), List.of(), 0, 0);
          pauses.add(read - last);
          last = read;
        }
      }
    }
    assertThat(pauses).startsWith(3, 1, 5, 9, 17).endsWith(4097, 4097);
    List<Integer> asked = new ArrayList<>();
    for (int question = 0; question < 30_000; question++) {
      if (blocks.isAskedAgain(BLOCK)) {
        asked.add(question);
      }
    }
    assertThat(asked).startsWith(1, 2, 4, 8).endsWith(4096, 8192, 16_384);
  }

  /** The last byte that a file could have lies in a block that cannot be pinned. */
  @Test
  void aSizeFarBeyondTheEndIsTheSize() throws IOException {
    Layout one = new Layout(BLOCK, BLOCK, List.of(0));
    try (NodeInReach there = new NodeInReach(directory, one, MINUTE)) {
      Strands file = there.open();
      file.extend(SIZE);
      for (int i = 0; i < FEW; i++) {
        assertThat(file.sizeUpTo(Long.MAX_VALUE)).isEqualTo(SIZE);
      }
      file.close();
    }
  }

  @Test
  void whatIsReadAndHowMuchThereIsAreRightWhateverHappensBetween() throws IOException {
    for (long seed : Seeds.of(8)) {
      Random random = new Random(seed);
      try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
        Strands writer = there.open();
        Strands reader = there.open();
        byte[] model = new byte[0];
        for (int i = 0; i < 400; i++) {
          switch (random.nextInt(8)) {
            case 0 -> {
              int size = random.nextInt(SIZE);
              writer.resize(size);
              model = Arrays.copyOf(model, size);
            }
            case 1 -> {
              int at = random.nextInt(SIZE);
              byte[] some = new byte[random.nextInt(SIZE - at) + 1];
              random.nextBytes(some);
              writer.write(at, MemorySegment.ofArray(some), 0, some.length);
              model = Arrays.copyOf(model, Math.max(model.length, at + some.length));
              System.arraycopy(some, 0, model, at, some.length);
            }
            case 2 -> writer.flush();
            default -> {
              int enough = Math.max(1, model.length - random.nextInt(3) + 1);
              assertThat(reader.sizeUpTo(enough)).isEqualTo(Math.min(enough, model.length));
              int count = (model.length - 40) / 1024;
              if (count > 0) {
                checkSome(reader, model, random.nextInt(16), count);
              }
            }
          }
        }
        writer.close();
        reader.close();
      }
    }
  }
}
