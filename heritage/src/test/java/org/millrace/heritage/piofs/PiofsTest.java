package org.millrace.heritage.piofs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;
import org.millrace.heritage.vesta.Partition;

/** The four modes, and what each refuses. */
final class PiofsTest {

  private static final OpenOptions CREATE = OpenOptions.create().withStripeUnit(4).withStrands(3);
  private static final Partition ALL = Partition.whole(3);

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] plain(Rank rank) throws IOException {
    rank.barrier();
    try (PiofsFile file =
        new Piofs(rank.alone()).open("f", OpenOptions.read(), ALL, PiofsMode.PRIVATE)) {
      byte[] content = new byte[1000];
      return Arrays.copyOf(content, (int) file.read(content));
    }
  }

  /** Rank r's cells are c with c mod 2 = r, its BSUs in pairs downwards. */
  private static byte[] expected(int rows) {
    byte[] expected = new byte[rows * 12];
    for (int r = 0; r < 2; r++) {
      int i = 0;
      for (int pair = 0; pair < rows / 2; pair++) {
        for (int cell = r; cell < 3; cell += 2) {
          for (int row = 2 * pair; row < 2 * pair + 2; row++) {
            for (int b = 0; b < 4; b++) {
              expected[(row * 3 + cell) * 4 + b] = (byte) (100 * r + i++);
            }
          }
        }
      }
    }
    return expected;
  }

  @Test
  void privateAndCoordinatedWriteSubfilesOfTheirOwn() throws IOException {
    for (PiofsMode mode : new PiofsMode[] {PiofsMode.PRIVATE, PiofsMode.COORDINATED}) {
      Programs.run(
          directory.resolve(mode.name()),
          2,
          2,
          rank -> {
            Partition mine = new Partition(2, 1, 1, 2, rank.number());
            int length = rank.number() == 0 ? 32 : 16;
            byte[] data = new byte[length];
            for (int i = 0; i < length; i++) {
              data[i] = (byte) (100 * rank.number() + i);
            }
            try (PiofsFile file = new Piofs(rank).open("f", CREATE, mine, mode)) {
              assertThat(file.mode()).isEqualTo(mode);
              file.write(Arrays.copyOf(data, 7));
              file.write(Arrays.copyOfRange(data, 7, length));
              assertThat(file.position()).isEqualTo(length);
              assertThat(file.write(new byte[0])).isZero();
            }
            assertThat(plain(rank)).isEqualTo(expected(4));
            try (PiofsFile file = new Piofs(rank).open("f", OpenOptions.read(), mine, mode)) {
              byte[] got = new byte[length];
              assertThat(file.read(got)).isEqualTo(length);
              assertThat(got).isEqualTo(data);
              assertThat(file.read(got)).isZero();
            }
          });
    }
  }

  @Test
  void coordinatedAccessesWaitForAllAndMixedOnesFailOnAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Partition mine = new Partition(1, 1, 1, 2, rank.number());
          try (PiofsFile file = new Piofs(rank).open("f", CREATE, mine, PiofsMode.COORDINATED)) {
            assertThatThrownBy(
                    () -> {
                      if (rank.number() == 0) {
                        file.write(new byte[3]);
                      } else {
                        file.read(new byte[3]);
                      }
                    })
                .isInstanceOf(MixedCallException.class);
            assertThat(file.position()).isZero();
            file.write(new byte[rank.number()]); // other sizes are fine
          }
        });
  }

  @Test
  void subfilesThatOverlapAreRefusedOnAll() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Piofs piofs = new Piofs(rank);
          for (PiofsMode mode : PiofsMode.values()) {
            boolean own = mode == PiofsMode.PRIVATE || mode == PiofsMode.COORDINATED;
            long number = own ? 0 : rank.number() % 2;
            Partition wrong = new Partition(1, 2, 1, 2, number);
            assertThatThrownBy(() -> piofs.open("f", CREATE, wrong, mode))
                .isInstanceOf(PiofsException.class)
                .hasMessageContaining(mode.name());
          }
          assertThatThrownBy(
                  () ->
                      piofs.open(
                          "f",
                          CREATE,
                          ALL,
                          rank.number() == 0 ? PiofsMode.SHARED : PiofsMode.COLLECTIVE))
              .isInstanceOf(PiofsException.class)
              .hasMessageContaining("rank 1 calls open");
          assertThat(rank.names().list("")).isEmpty();
        });
  }

  @Test
  void sharedAccessesTakeTheNextBytesWhole() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Piofs piofs = new Piofs(rank);
          try (PiofsFile file = piofs.open("f", CREATE, ALL, PiofsMode.SHARED)) {
            file.write(filled(5, rank.number() + 1));
            file.write(filled(5, rank.number() + 1));
            assertThatThrownBy(() -> file.readBroadcast(new byte[1]))
                .isInstanceOf(IllegalStateException.class);
          }
          byte[] content = plain(rank);
          assertThat(content).hasSize(30);
          int[] counts = new int[4];
          for (int i = 0; i < 30; i++) {
            assertThat(content[i]).isEqualTo(content[i / 5 * 5]);
            counts[content[i]]++;
          }
          assertThat(counts).containsExactly(0, 10, 10, 10);
        });
  }

  @Test
  void collectiveOperationsShareOnePointer() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Piofs piofs = new Piofs(rank);
          try (PiofsFile file = piofs.open("f", CREATE, ALL, PiofsMode.COLLECTIVE)) {
            assertThat(file.writeReduce(filled(4, 50 + rank.number()))).isEqualTo(4);
            assertThat(file.writeGather(filled(2, rank.number()))).isEqualTo(2);
            assertThat(file.writeGather(new byte[0])).isZero();
            assertThat(file.writeReduce(filled(1, 60))).isEqualTo(1);
            assertThat(file.position()).isEqualTo(11);
            assertThatThrownBy(() -> file.read(new byte[1]))
                .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> file.write(new byte[1]))
                .isInstanceOf(IllegalStateException.class);
          }
          assertThat(plain(rank)).containsExactly(50, 50, 50, 50, 0, 0, 1, 1, 2, 2, 60);
          try (PiofsFile file = piofs.open("f", OpenOptions.read(), ALL, PiofsMode.COLLECTIVE)) {
            byte[] got = new byte[2];
            assertThat(file.readScatter(got)).isEqualTo(2);
            assertThat(got).containsOnly(rank.number() == 2 ? 0 : 50);
            assertThat(file.readBroadcast(got)).isEqualTo(2);
            assertThat(got).containsOnly(1);
            assertThat(file.readScatter(got)).isEqualTo(Math.max(0, 2 - rank.number()));
            assertThat(file.readBroadcast(got)).isZero();
          }
        });
  }

  @Test
  void collectiveOperationsOfDifferentSizesOrKindsFailOnAllAndMoveNothing() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          int r = rank.number();
          try (PiofsFile file = new Piofs(rank).open("f", CREATE, ALL, PiofsMode.COLLECTIVE)) {
            assertThatThrownBy(() -> file.writeGather(new byte[1 + r]))
                .isInstanceOf(PiofsException.class)
                .hasMessageContaining("[1], rank 1");
            assertThatThrownBy(() -> file.readScatter(new byte[1 + r]))
                .isInstanceOf(PiofsException.class);
            assertThatThrownBy(
                    () -> {
                      if (r == 0) {
                        file.writeGather(new byte[2]);
                      } else {
                        file.readScatter(new byte[2]);
                      }
                    })
                .isInstanceOf(MixedCallException.class);
            assertThatThrownBy(() -> file.writeReduce(new byte[1 + r]))
                .isInstanceOf(MixedCallException.class);
            assertThatThrownBy(() -> file.readBroadcast(new byte[1 + r]))
                .isInstanceOf(MixedCallException.class);
            assertThatThrownBy(
                    () -> {
                      if (r == 0) {
                        file.writeReduce(new byte[2]);
                      } else {
                        file.writeGather(new byte[2]);
                      }
                    })
                .isInstanceOf(MillraceException.class);
            assertThat(file.position()).isZero();
            file.writeReduce(filled(3, 1));
            rank.barrier();
            assertThat(file.position()).isEqualTo(3);
          }
        });
  }
}
