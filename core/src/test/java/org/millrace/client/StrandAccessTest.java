package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.access.Pattern;
import org.millrace.testing.Seeds;

/** A strand as a file of its own: places in it, and its own end. */
final class StrandAccessTest {

  @TempDir private Path dir;

  private interface Body {
    void run(Rank rank, SharedFile file) throws IOException;
  }

  private void onFile(int strands, int unit, Body body) throws IOException {
    try (Cluster cluster = Cluster.embedded(dir, 3, ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            OpenOptions options =
                OpenOptions.create().withTruncate().withStrands(strands).withStripeUnit(unit);
            try (SharedFile file = rank.open("f" + strands + "." + unit, options)) {
              body.run(rank, file);
            }
          });
    }
  }

  @Test
  void writingOneStrandLeavesTheEndsOfTheOthers() throws IOException {
    onFile(
        3,
        10,
        (rank, file) -> {
          assertThat(file.strand(1).at(0).write(Memory.of(new byte[25]))).isEqualTo(25);
          assertThat(file.strandEnd(1)).isEqualTo(25);
          assertThat(file.strandEnd(0)).isZero();
          assertThat(file.strandEnd(2)).isZero();
          assertThat(file.size()).as("the file's end is strand 1's").isEqualTo(75);
          assertThat(file.strand(2).at(0).read(Memory.of(new byte[5])))
              .as("within the file, beyond the strand")
              .isZero();
          file.extend(file.layout().fileSize(2, 7));
          assertThat(file.strandEnd(2)).isEqualTo(7);
          assertThat(file.strandEnd(1)).isEqualTo(25);
          byte[] read = {1, 1, 1, 1, 1, 1, 1, 1, 1};
          assertThat(file.strand(2).at(0).read(Memory.of(read))).isEqualTo(7);
          assertThat(read).containsExactly(0, 0, 0, 0, 0, 0, 0, 1, 1);
        });
  }

  @Test
  void aStrandIsAPlainArrayWhoseBytesAreTheLayoutsOnes() throws IOException {
    for (long seed : Seeds.of(20)) {
      Random random = new Random(seed);
      int strands = 1 + random.nextInt(3);
      int unit = 1 + random.nextInt(40);
      onFile(strands, unit, (rank, file) -> checkAgainstArrays(file, random, Seeds.replay(seed)));
    }
  }

  private static void checkAgainstArrays(SharedFile file, Random random, String replay)
      throws IOException {
    int strands = file.layout().strands();
    byte[][] model = new byte[strands][0];
    for (int i = 0; i < 30; i++) {
      int s = random.nextInt(strands);
      int at = random.nextInt(200);
      byte[] bytes = new byte[random.nextInt(120)];
      if (random.nextBoolean()) {
        random.nextBytes(bytes);
        file.strand(s).at(at).write(Memory.of(bytes));
        if (bytes.length > 0) {
          model[s] = Arrays.copyOf(model[s], Math.max(model[s].length, at + bytes.length));
          System.arraycopy(bytes, 0, model[s], at, bytes.length);
        }
      } else {
        int there = Math.clamp(model[s].length - at, 0, bytes.length);
        assertThat(file.strand(s).at(at).read(Memory.of(bytes))).as(replay).isEqualTo(there);
        byte[] want = there == 0 ? new byte[0] : Arrays.copyOfRange(model[s], at, at + there);
        assertThat(Arrays.copyOf(bytes, there)).as(replay).isEqualTo(want);
      }
      assertThat(file.strandEnd(s)).as(replay).isEqualTo(model[s].length);
    }
    byte[] plain = new byte[(int) file.size()];
    file.at(0).read(Memory.of(plain));
    for (int i = 0; i < plain.length; i++) {
      byte[] strand = model[file.layout().strandOf(i)];
      long at = file.layout().strandOffset(i);
      assertThat(plain[i]).as(replay).isEqualTo(at < strand.length ? strand[(int) at] : 0);
    }
  }

  @Test
  void memoryWithHolesAndAsynchronousReadsEndWithTheStrand() throws IOException {
    onFile(
        3,
        4,
        (rank, file) -> {
          file.strand(0).at(0).write(Memory.of(new byte[] {1, 2, 3, 4, 5, 6}));
          file.strand(1).at(0).write(Memory.of(new byte[100]));
          byte[] holes = new byte[16];
          Memory every2nd =
              Memory.of(MemorySegment.ofArray(holes), Pattern.loop(8, 2, Pattern.run(1)));
          assertThat(file.strand(0).at(2).read(every2nd)).isEqualTo(4);
          assertThat(holes).startsWith(3, 0, 4, 0, 5, 0, 6, 0, 0);
          byte[] later = new byte[8];
          assertThat(rank.await(file.strand(0).at(4).readAsync(Memory.of(later)))).isEqualTo(2);
          assertThat(later).startsWith(5, 6, 0);
        });
  }

  @Test
  void thereAreOnlyTheLayoutsStrands() throws IOException {
    onFile(
        2,
        4,
        (rank, file) -> {
          for (int wrong : new int[] {-1, 2}) {
            assertThatThrownBy(() -> file.strand(wrong))
                .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.strandEnd(wrong))
                .isInstanceOf(IndexOutOfBoundsException.class);
          }
          assertThatThrownBy(() -> file.strand(0).at(-1).read(Memory.of(new byte[1])))
              .isInstanceOf(IllegalArgumentException.class);
        });
  }
}
