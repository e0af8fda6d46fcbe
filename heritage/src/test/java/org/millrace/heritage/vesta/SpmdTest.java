package org.millrace.heritage.vesta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;

/** The modes A to F. */
final class SpmdTest {

  private static final Partition COLUMN = new Partition(2, 1, 1, 2, 1);
  private static final OpenOptions CREATE = Vesta.structure(4, 2);

  @TempDir private Path directory;

  private static Subfile open(Rank rank, Partition partition, SpmdMode mode) throws IOException {
    return new Vesta(rank).open("f", CREATE, partition, mode);
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void modeARefusesOverlapOnAllProcesses() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Partition scheme = new Partition(1, 2, 1, 2, 0);
          assertThatThrownBy(() -> open(rank, scheme.number(rank.number() / 2), SpmdMode.A))
              .isInstanceOf(VestaException.class)
              .hasMessageContaining("processes 0 and 1");
          Partition other =
              rank.number() == 2 ? new Partition(2, 2, 1, 2, 2) : scheme.number(rank.number());
          assertThatThrownBy(() -> open(rank, other, SpmdMode.A))
              .isInstanceOf(VestaException.class)
              .hasMessageContaining("another scheme");
          assertThat(rank.names().list("")).isEmpty(); // refused before it was made
          open(rank, scheme.number(rank.number()), SpmdMode.A).close(); // the next one works
        });
  }

  @Test
  void modesThatDifferAreRefusedOnAllProcesses() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank ->
            assertThatThrownBy(
                    () -> open(rank, COLUMN, rank.number() == 0 ? SpmdMode.C : SpmdMode.D))
                .isInstanceOf(VestaException.class)
                .hasMessageContaining("rank 0 calls open[C], rank 1 calls open[D]"));
  }

  @Test
  void sharedModesNeedOnePartition() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          for (SpmdMode mode : SpmdMode.values()) {
            if (mode.sharesOffset()) {
              assertThatThrownBy(() -> open(rank, COLUMN.number(rank.number()), mode))
                  .isInstanceOf(VestaException.class)
                  .hasMessageContaining("mode " + mode);
            }
          }
          assertThatThrownBy(
                  () -> new Vesta(rank).openShared("f", CREATE, COLUMN.number(rank.number())))
              .isInstanceOf(VestaException.class);
        });
  }

  @Test
  void modeBSharesReadingWithOwnOffsets() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (Subfile file = open(rank, COLUMN, SpmdMode.B)) {
            if (rank.number() == 0) {
              file.write(VestaTest.bytes(32, 0));
            }
            rank.barrier();
            byte[] got = new byte[8];
            file.read(8L * rank.number(), got);
            assertThat(got).isEqualTo(VestaTest.bytes(8, 8 * rank.number()));
            assertThat(file.offset()).isEqualTo(8L * rank.number() + 8);
          }
        });
  }

  @Test
  void modeDReadsOnceForAllAndWritesOneProcessesData() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (Subfile file = open(rank, COLUMN, SpmdMode.D)) {
            assertThat(file.write(filled(6, rank.number() + 1))).isEqualTo(6);
            assertThat(file.offset()).isEqualTo(6);
            assertThat(file.write(new byte[0])).isZero();
            MixedCallException mixed = // sizes differ
                catching(() -> file.write(filled(1 + rank.number(), 9)));
            assertThat(mixed).isNotNull();
            assertThat(file.offset()).isEqualTo(6);
            assertThatThrownBy(() -> file.read(0, new byte[1]))
                .isInstanceOf(IllegalStateException.class);
            rank.barrier();
          }
          try (Subfile file = open(rank, COLUMN, SpmdMode.D)) {
            byte[] got = new byte[9];
            assertThat(file.read(got)).isEqualTo(6);
            assertThat(got).containsExactly(1, 1, 1, 1, 1, 1, 0, 0, 0);
            assertThat(file.read(got)).isZero();
          }
        });
  }

  private interface Act {
    void run() throws IOException;
  }

  private static MixedCallException catching(Act act) throws IOException {
    try {
      act.run();
    } catch (MixedCallException e) {
      return e;
    }
    throw new AssertionError("nothing was thrown");
  }

  @Test
  void modeEGoesInOrderOfIdsWithOneSize() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (Subfile file = open(rank, COLUMN, SpmdMode.E)) {
            for (int round = 0; round < 2; round++) {
              assertThat(file.write(filled(5, 10 * round + rank.number()))).isEqualTo(5);
            }
            assertThatThrownBy(() -> file.write(filled(2 + rank.number(), 7)))
                .isInstanceOf(VestaException.class)
                .hasMessageContaining("[2], rank 1");
            assertThat(file.offset()).isEqualTo(30);
            MemorySegment five = MemorySegment.ofArray(new byte[5]);
            assertThatThrownBy(
                    () -> {
                      if (rank.number() == 1) {
                        file.write(five);
                      } else {
                        file.read(five);
                      }
                    })
                .isInstanceOf(MixedCallException.class);
            assertThat(file.offset()).isEqualTo(30);
            rank.barrier();
          }
          try (Subfile file = open(rank, COLUMN, SpmdMode.E)) {
            byte[] got = new byte[5];
            for (int round = 0; round < 2; round++) {
              assertThat(file.read(got)).isEqualTo(5);
              assertThat(got).containsOnly(10 * round + rank.number());
            }
            assertThat(file.read(got)).isZero();
          }
        });
  }

  @Test
  void modeFGoesInOrderOfIdsWithAnySizes() throws IOException {
    Programs.run(
        directory,
        4,
        3,
        rank -> {
          try (Subfile file = open(rank, COLUMN, SpmdMode.F)) {
            assertThat(file.write(filled(rank.number(), rank.number()))).isEqualTo(rank.number());
            assertThat(file.write(filled(rank.number() == 2 ? 2 : 0, 9)))
                .isEqualTo(rank.number() == 2 ? 2 : 0);
          }
          try (Subfile file = open(rank, COLUMN, SpmdMode.B)) {
            byte[] got = new byte[20];
            assertThat(file.read(got)).isEqualTo(8);
            assertThat(Arrays.copyOf(got, 8)).containsExactly(1, 2, 2, 3, 3, 3, 9, 9);
          }
        });
  }

  @Test
  void closingWhileOthersReadIsAnErrorForAllAndNobodyWaitsForEver() throws IOException {
    for (SpmdMode mode : new SpmdMode[] {SpmdMode.D, SpmdMode.E, SpmdMode.F}) {
      Programs.run(
          directory.resolve(mode.name()),
          2,
          1,
          rank -> {
            Subfile file = open(rank, COLUMN, mode);
            assertThatThrownBy(
                    () -> {
                      if (rank.number() == 0) {
                        file.close();
                      } else {
                        file.read(new byte[4]);
                      }
                    })
                .isInstanceOf(MillraceException.class);
          });
    }
  }
}
