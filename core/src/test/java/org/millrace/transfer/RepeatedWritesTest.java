package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.layout.Layout;
import org.millrace.message.Payload;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;

/** Scattered writes of the same blocks, which a real node keeps for them. */
final class RepeatedWritesTest {

  private static final int BLOCK = 4096;
  private static final int BLOCKS = 64;
  private static final int SIZE = BLOCKS * BLOCK;
  private static final int RUN = 16;
  private static final long MINUTE = 60_000_000_000L;

  /** Writes that it may take until the blocks are kept. */
  private static final int FEW = 8;

  private static final Layout LAYOUT = new Layout(2 * BLOCK, BLOCK, List.of(0, 0));

  @TempDir private Path directory;

  /** Sixteen bytes of some blocks. */
  private static Access some(int first, int count, int stride) {
    return new Access(new View(first, Pattern.run(RUN), stride), 0, (long) RUN * count);
  }

  private static void write(Strands file, byte[] model, Access access, int value)
      throws IOException {
    byte[] bytes = new byte[(int) access.size()];
    Arrays.fill(bytes, (byte) value);
    file.move(true, access, Payload.of(MemorySegment.ofArray(bytes)));
    for (long i = 0; i < bytes.length; i++) {
      model[(int) access.view().offsetOf(i)] = (byte) value;
    }
  }

  private static byte[] read(Strands file, int size) throws IOException {
    byte[] bytes = new byte[size];
    assertThat(file.read(0, MemorySegment.ofArray(bytes), 0, size)).isEqualTo(size);
    return bytes;
  }

  private static Strands filled(NodeInReach there, byte[] model) throws IOException {
    Strands file = there.open();
    new Random(1).nextBytes(model);
    file.write(0, MemorySegment.ofArray(model), 0, model.length);
    return file;
  }

  @Test
  void writesOfTheSameBlocksSoonNeedNoRequest() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      byte[] model = new byte[SIZE];
      Strands file = filled(there, model);
      for (int i = 0; i < FEW; i++) {
        write(file, model, some(3, 20, 3 * BLOCK), i);
      }
      int before = there.asked().size();
      write(file, model, some(3, 20, 3 * BLOCK), 100);
      write(file, model, some(700, 20, 3 * BLOCK), 101); // other bytes of the same blocks
      assertThat(there.asked()).hasSize(before);
      assertThat(read(there.open(), SIZE)).isEqualTo(model);
      file.close();
    }
  }

  @Test
  void aWriteThatTouchesFewerOfTheBlocksIsSent() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      byte[] model = new byte[SIZE];
      Strands file = filled(there, model);
      for (int i = 0; i < FEW; i++) {
        write(file, model, some(3, 20, 3 * BLOCK), i);
      }
      file.flush();
      long written = there.counter("bytesWritten");
      int before = there.asked().size();
      write(file, model, some(3, 2, 3 * BLOCK), 100);
      assertThat(there.asked().size()).isGreaterThan(before);
      file.flush();
      assertThat(there.counter("bytesWritten") - written).as("touched").isEqualTo(2 * BLOCK);
      assertThat(read(file, SIZE)).isEqualTo(model);
      file.close();
    }
  }

  @Test
  void aFlushMakesWhatWasWrittenWithoutARequestDurable() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      byte[] model = new byte[SIZE];
      Strands file = filled(there, model);
      for (int i = 0; i < FEW; i++) {
        write(file, model, some(3, 20, 3 * BLOCK), i);
      }
      file.flush();
      long written = there.counter("bytesWritten");
      write(file, model, some(3, 20, 3 * BLOCK), 100);
      file.flush();
      assertThat(there.counter("bytesWritten") - written).as("touched").isEqualTo(20 * BLOCK);
      file.close();
    }
  }

  @Test
  void afterACutTheWriteExtendsTheFileAgain() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      byte[] model = new byte[SIZE];
      Strands file = filled(there, model);
      Access access = some(3, 20, 3 * BLOCK);
      for (int i = 0; i < FEW; i++) {
        write(file, model, access, i);
      }
      file.resize(10 * BLOCK);
      Arrays.fill(model, 10 * BLOCK, SIZE, (byte) 0);
      write(file, model, access, 100);
      int end = (int) access.span().end();
      assertThat(file.size()).isEqualTo(end);
      assertThat(read(file, end)).isEqualTo(Arrays.copyOf(model, end));
      file.close();
    }
  }

  @Test
  void blocksThatAreTakenBackAreKeptAgain() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, 20_000_000)) {
      byte[] model = new byte[SIZE];
      Strands file = filled(there, model);
      int value = 0;
      for (int lap = 0; lap < 3; lap++) {
        for (int i = 0; i < FEW; i++) {
          write(file, model, some(3, 20, 3 * BLOCK), ++value);
        }
        Eventually.holds("taken back", () -> there.counter("pinnedBytes") == 0);
      }
      assertThat(read(file, SIZE)).isEqualTo(model);
      file.close();
    }
  }

  @Test
  void aNodeThatCannotKeepIsAskedEverMoreRarely() throws IOException {
    try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
      byte[] model = new byte[SIZE];
      Strands other = filled(there, model);
      for (int s = 0; s < 2; s++) { // a quarter of the cache is 1,024 blocks
        for (int i = 0; i < 16; i++) {
          there.keep(s, 1000 + 32 * i, 32);
        }
      }
      int before = there.asked().size();
      Strands file = there.open();
      for (int i = 0; i < 200; i++) {
        write(file, model, some(3, 20, 3 * BLOCK), i);
      }
      List<NodeRequest> asked = there.asked();
      assertThat(asked.subList(before, asked.size()))
          .filteredOn(NodeRequest.Keep.class::isInstance)
          .hasSizeBetween(1, 2 * 8);
      assertThat(file.isKeeping()).isFalse();
      assertThat(read(file, SIZE)).isEqualTo(model);
      file.close();
      other.close();
    }
  }

  @Test
  void whatIsReadIsRightWhateverHappensBetween() throws IOException {
    for (long seed : Seeds.of(8)) {
      Random random = new Random(seed);
      try (NodeInReach there = new NodeInReach(directory, LAYOUT, MINUTE)) {
        List<Strands> files = List.of(there.open(), there.open(), there.open());
        byte[] model = new byte[SIZE];
        int size = 0;
        for (int i = 0; i < 600; i++) {
          Strands file = files.get(random.nextInt(files.size()));
          switch (random.nextInt(24)) {
            case 0 -> {
              size = random.nextInt(SIZE);
              file.resize(size);
              Arrays.fill(model, size, SIZE, (byte) 0);
            }
            case 1 -> {
              int at = random.nextInt(SIZE);
              byte[] bytes = new byte[random.nextInt(Math.min(3 * BLOCK, SIZE - at)) + 1];
              random.nextBytes(bytes);
              file.write(at, MemorySegment.ofArray(bytes), 0, bytes.length);
              System.arraycopy(bytes, 0, model, at, bytes.length);
              size = Math.max(size, at + bytes.length);
            }
            case 2 -> file.flush();
            case 3 -> file.close();
            case 4, 5, 6 -> {
              assertThat(file.size()).as(Seeds.replay(seed)).isEqualTo(size);
              assertThat(read(file, size))
                  .as(Seeds.replay(seed))
                  .isEqualTo(Arrays.copyOf(model, size));
            }
            default -> {
              int which = random.nextInt(3);
              Access access = some(100 * which + random.nextInt(50), 8 + which, 5 * BLOCK);
              write(file, model, access, random.nextInt(100));
              size = Math.max(size, (int) access.span().end());
            }
          }
        }
        files.forEach(Strands::close);
      }
    }
  }
}
