package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.scenario.BadInputs.BLOCK;
import static org.millrace.scenario.BadInputs.assertFails;
import static org.millrace.scenario.BadInputs.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;

/**
 * Stored blocks that are not what was written: anyone who reads one is told which, all other blocks
 * read right, and writing the block anew heals it.
 */
final class BadInputCorruptionTest {

  private static final int NODES = 3;
  private static final int BLOCKS = 12;
  private static final byte[] CONTENT = BadInputs.content(BLOCKS * BLOCK, 7);

  @TempDir Path directory;

  private RunningCluster open() throws IOException {
    return RunningCluster.embedded(directory, NODES, BadInputs.options());
  }

  /**
   * The file on disk with the strand in which block {@code block} of the file lies: units are
   * blocks.
   */
  private Path strand(RunningCluster cluster, int block) throws IOException {
    int[] place = new int[2];
    cluster.run(
        1,
        rank -> {
          try (var file = rank.open("file", OpenOptions.read())) {
            place[0] = file.layout().strandOf((long) block * BLOCK);
            place[1] = file.layout().nodes().get(place[0]);
          }
        });
    try (var files = Files.list(directory.resolve("node-" + place[1]))) {
      return files
          .filter(f -> f.getFileName().toString().endsWith("-" + place[0] + ".strand"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static long inStrand(int block) {
    return (long) (block / NODES) * BLOCK;
  }

  private static void flip(Path file, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) at] ^= 0x10;
    Files.write(file, bytes);
  }

  private static byte[] block(byte[] all, long at) {
    return Arrays.copyOfRange(all, (int) at, (int) at + BLOCK);
  }

  private static void put(byte[] all, long at, byte[] block) {
    System.arraycopy(block, 0, all, (int) at, BLOCK);
  }

  /** Exactly these blocks of the file must be refused, by name; all others must read right. */
  private static void assertOnlyBad(RunningCluster cluster, Set<Integer> bad) throws IOException {
    cluster.run(
        2,
        rank -> {
          SharedFile file = rank.open("file", OpenOptions.read());
          Set<Integer> found = new TreeSet<>();
          for (int b = 0; b < BLOCKS; b++) {
            long at = (long) b * BLOCK;
            int strand = file.layout().strandOf(at);
            byte[] into = new byte[BLOCK];
            if (!bad.contains(b)) {
              assertThat(file.at(at).read(Memory.of(into))).isEqualTo(BLOCK);
              assertThat(into).isEqualTo(block(CONTENT, at));
              continue;
            }
            for (int again = 0; again < 2; again++) {
              assertFails(
                  ErrorCode.CORRUPT,
                  () -> file.at(at + 100).read(segment(into).asSlice(0, 8)),
                  "rank " + rank.number(),
                  "read of 8 bytes at position " + (at + 100) + " of file",
                  "node " + file.layout().nodes().get(strand),
                  "strand " + strand,
                  "block " + b / NODES);
            }
            assertThat(into).containsOnly(0);
            found.add(b);
          }
          assertThat(found).isEqualTo(bad);
          file.close();
        });
  }

  /**
   * All ranks of a collective read fail if one rank's part is bad; the next, which is good, works.
   */
  private static void assertCollective(RunningCluster cluster, int bad, int good)
      throws IOException {
    cluster.run(
        3,
        rank -> {
          SharedFile file = rank.open("file", OpenOptions.read());
          byte[] into = new byte[BLOCK];
          int mine = rank.number() == 0 ? bad : good;
          assertFails(
              ErrorCode.CORRUPT,
              () -> file.at((long) mine * BLOCK).all().read(segment(into)),
              "rank 0",
              "block " + bad / NODES);
          file.seek((long) mine * BLOCK);
          assertFails(
              ErrorCode.CORRUPT, () -> file.all().read(segment(into)), "block " + bad / NODES);
          file.setMode(Mode.GLOBAL);
          file.seek((long) bad * BLOCK);
          assertFails(ErrorCode.CORRUPT, () -> file.read(Memory.of(into)), "block " + bad / NODES);
          file.setMode(Mode.INDEPENDENT);
          assertThat(file.at((long) good * BLOCK).all().read(segment(into))).isEqualTo(BLOCK);
          assertThat(into).isEqualTo(block(CONTENT, (long) good * BLOCK));
          file.close();
        });
  }

  private static void heal(RunningCluster cluster, Set<Integer> bad) throws IOException {
    cluster.run(
        1,
        rank -> {
          try (var file = rank.open("file", OpenOptions.readWrite())) {
            for (int b : bad) {
              byte[] right = block(CONTENT, (long) b * BLOCK);
              assertThat(file.at((long) b * BLOCK).write(Memory.of(right))).isEqualTo(BLOCK);
            }
          }
        });
    BadInputs.assertContent(cluster, "file", CONTENT);
  }

  interface Damage {
    void run(Path strandOfBlock4, Path strandOfBlock5) throws IOException;
  }

  /** Stores the file, damages it while nobody has it open, and looks at it. */
  private void damaged(Damage damage, Integer... bad) throws IOException {
    Path four;
    Path five;
    try (RunningCluster cluster = open()) {
      BadInputs.store(cluster, "file", CONTENT);
      four = strand(cluster, 4);
      five = strand(cluster, 5);
    }
    assertThat(four).isNotEqualTo(five);
    damage.run(four, five);
    Set<Integer> wrong = new TreeSet<>(Arrays.asList(bad));
    try (RunningCluster cluster = open()) {
      assertOnlyBad(cluster, wrong);
      if (!wrong.isEmpty()) {
        int good = 0;
        while (wrong.contains(good)) {
          good++;
        }
        assertCollective(cluster, bad[0], good);
      }
    }
    try (RunningCluster cluster = open()) {
      assertOnlyBad(cluster, wrong); // nothing was made worse, and nothing was taken for good
      heal(cluster, wrong);
    }
    try (RunningCluster cluster = open()) {
      BadInputs.assertContent(cluster, "file", CONTENT);
    }
  }

  @Test
  void withoutDamageNothingIsRefused() throws Exception {
    damaged((_, _) -> {});
  }

  @Test
  void aFlippedBit() throws Exception {
    damaged((four, _) -> flip(four, inStrand(4) + 77), 4);
  }

  @Test
  void aFlippedBitInTheFirstAndTheLastByteOfAStrand() throws Exception {
    damaged(
        (four, _) -> {
          flip(four, 0);
          flip(four, Files.size(four) - 1);
        },
        1,
        10);
  }

  @Test
  void twoBlocksSwappedWithinAStrand() throws Exception {
    damaged(
        (four, _) -> {
          byte[] all = Files.readAllBytes(four);
          byte[] one = block(all, inStrand(4));
          put(all, inStrand(4), block(all, inStrand(7)));
          put(all, inStrand(7), one);
          Files.write(four, all);
        },
        4,
        7);
  }

  @Test
  void twoBlocksSwappedBetweenStrands() throws Exception {
    damaged(
        (four, five) -> {
          byte[] a = Files.readAllBytes(four);
          byte[] b = Files.readAllBytes(five);
          byte[] one = block(a, inStrand(4));
          put(a, inStrand(4), block(b, inStrand(5)));
          put(b, inStrand(5), one);
          Files.write(four, a);
          Files.write(five, b);
        },
        4,
        5);
  }

  @Test
  void aStrandThatWasCutShort() throws Exception {
    damaged(
        (four, _) -> {
          byte[] all = Files.readAllBytes(four);
          Files.write(four, Arrays.copyOf(all, (int) inStrand(7) + 10));
        },
        7,
        10);
  }

  @Test
  void blocksThatTurnedIntoZeros() throws Exception {
    damaged(
        (four, _) -> {
          byte[] all = Files.readAllBytes(four);
          put(all, inStrand(4), new byte[BLOCK]);
          Files.write(four, all);
        },
        4);
  }

  @Test
  void anOldCopyOfABlockIsNoticed() throws Exception {
    byte[] old;
    Path four;
    try (RunningCluster cluster = open()) {
      BadInputs.store(cluster, "file", BadInputs.content(CONTENT.length, 8));
      four = strand(cluster, 4);
    }
    old = block(Files.readAllBytes(four), inStrand(4));
    damaged(
        (strand, _) -> {
          assertThat(strand).isEqualTo(four);
          byte[] all = Files.readAllBytes(strand);
          put(all, inStrand(4), old);
          Files.write(strand, all);
        },
        4);
  }

  @Test
  void twoWholeStrandFilesSwappedAreAllRefused() throws Exception {
    damaged(
        (four, five) -> {
          byte[] a = Files.readAllBytes(four);
          Files.write(four, Files.readAllBytes(five));
          Files.write(five, a);
        },
        1,
        2,
        4,
        5,
        7,
        8,
        10,
        11);
  }

  @Test
  void aDamagedHeaderOfSumsIsMadeGoodFromItsOtherCopy() throws Exception {
    Path four;
    try (RunningCluster cluster = open()) {
      BadInputs.store(cluster, "file", CONTENT);
      four = strand(cluster, 4);
    }
    Path sums = Path.of(four.toString().replace(".strand", ".sums"));
    byte[] good = Files.readAllBytes(sums);
    for (int at : new int[] {0, 20, 33, 49, 511, 4096, 4097, 4100, 4096 + 511}) {
      flip(sums, at);
      try (RunningCluster cluster = open()) {
        BadInputs.assertContent(cluster, "file", CONTENT);
      }
      assertThat(Files.readAllBytes(sums)).as("flipped at %d", at).isEqualTo(good);
    }
  }

  @Test
  void damagedSumsAreAnErrorAndNeverWrongBytes() throws Exception {
    Path four;
    try (RunningCluster cluster = open()) {
      BadInputs.store(cluster, "file", CONTENT);
      four = strand(cluster, 4);
    }
    Path sums = Path.of(four.toString().replace(".strand", ".sums"));
    byte[] good = Files.readAllBytes(sums);
    for (int at : new int[] {8192, 8193, 8196, 8192 + 511}) {
      flip(sums, at);
      try (RunningCluster cluster = open()) {
        cluster.run(
            1,
            rank -> {
              byte[] into = new byte[CONTENT.length];
              assertFails(
                  ErrorCode.CORRUPT,
                  () -> {
                    try (var file = rank.open("file", OpenOptions.read())) {
                      file.at(0).read(Memory.of(into));
                    }
                  });
            });
      }
      Files.write(sums, good);
    }
    try (RunningCluster cluster = open()) {
      BadInputs.assertContent(cluster, "file", CONTENT);
    }
  }

  @Test
  void aPartialWriteToABadBlockIsRefusedOrTold() throws Exception {
    Path four;
    try (RunningCluster cluster = open()) {
      BadInputs.store(cluster, "file", CONTENT);
      four = strand(cluster, 4);
    }
    flip(four, inStrand(4) + 5000);
    try (RunningCluster cluster = open()) {
      cluster.run(
          1,
          rank -> {
            SharedFile file = rank.open("file", OpenOptions.readWrite());
            assertFails(
                ErrorCode.CORRUPT,
                () -> {
                  file.at(4L * BLOCK + 10).write(Memory.of(new byte[20]));
                  file.flush();
                },
                "block 1");
            // the rest of the block cannot be known, but the whole of it can be said anew
            byte[] right = block(CONTENT, 4L * BLOCK);
            assertThat(file.at(4L * BLOCK).write(Memory.of(right))).isEqualTo(BLOCK);
            file.flush();
            file.close();
          });
      BadInputs.assertContent(cluster, "file", CONTENT);
    }
  }
}
