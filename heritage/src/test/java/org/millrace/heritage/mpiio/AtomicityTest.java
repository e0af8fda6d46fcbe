package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.client.Program;
import org.millrace.heritage.testing.Programs;

/** Accesses that are all or nothing, and overlapping writes of all ranks, however long they are. */
final class AtomicityTest {

  private static final Datatype INT = Datatype.INT;
  private static final int MIB = 1 << 20;

  @TempDir private Path directory;

  private void run(int ranks, Program program) throws IOException {
    Programs.run(directory, ranks, 2, program);
  }

  private static int[] filled(int count, int value) {
    int[] ints = new int[count];
    Arrays.fill(ints, value);
    return ints;
  }

  @Test
  void convertedWritesAboveOneMebibyteAreSeenWholeOrNotAtAll() throws IOException {
    int count = 3 * MIB / Integer.BYTES + 5;
    run(
        3,
        rank -> {
          try (File file = File.open(rank, "whole", Ints.CREATE)) {
            file.setView(0, INT, INT, "external32");
            file.setAtomicity(true);
            int[] seen = new int[count];
            for (int round = 1; round <= 8; round++) {
              if (rank.number() == 0) {
                file.writeAt(0, filled(count, round), count, INT);
              } else {
                long got = file.readAt(0, seen, count, INT).getCount(INT);
                assertThat(got).isIn(0L, (long) count);
                for (int i = 1; i < got; i++) {
                  assertThat(seen[i]).isEqualTo(seen[0]);
                }
              }
            }
          }
        });
  }

  /** Each rank's part begins one MiB behind the one before, and is three long. */
  @ParameterizedTest
  @CsvSource({"native,false", "native,true", "external32,false", "external32,true"})
  void overlappingWritesOfAllRanksEndInOrderOfRank(String datarep, boolean atomic)
      throws IOException {
    int unit = MIB / Integer.BYTES;
    run(
        3,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "order", Ints.CREATE)) {
            file.setView(0, INT, INT, datarep);
            file.setAtomicity(atomic);
            for (int round = 0; round < 3; round++) {
              int value = 10 * round + r;
              file.writeAtAll((long) unit * r, filled(3 * unit, value), 3L * unit, INT);
              int[] all = new int[5 * unit];
              file.readAtAll(0, all, all.length, INT);
              for (int i = 0; i < all.length; i++) {
                assertThat(all[i]).isEqualTo(10 * round + Math.min(i / unit, 2));
              }
            }
          }
        });
  }

  @Test
  void nonblockingAtomicWritesOfAllRanksEndInOrderOfRankToo() throws IOException {
    run(
        4,
        rank -> {
          int r = rank.number();
          try (File file = File.open(rank, "pending", Ints.CREATE)) {
            file.setView(0, INT, INT, Ints.NATIVE);
            file.setAtomicity(true);
            for (int round = 0; round < 20; round++) {
              if (r == 0) { // the first comes last
                for (int other = 1; other < 4; other++) {
                  rank.receive(other, 1);
                }
              }
              Request request =
                  file.iWriteAtAll(r, new int[] {10 * round + r, 10 * round + r}, 2, INT);
              if (r > 0) {
                rank.send(0, 1, new byte[0]);
              }
              request.waitStatus();
              rank.barrier();
              int[] all = new int[5];
              file.readAt(0, all, 5, INT);
              int base = 10 * round;
              assertThat(all).containsExactly(base, base + 1, base + 2, base + 3, base + 3);
              rank.barrier();
            }
          }
        });
  }
}
