package org.millrace.heritage.cio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;

/** The three modes. */
@SuppressWarnings({"try", "EnumOrdinal"}) // closing at the wrong moment, and a mode for each rank
final class CioTest {

  private static final OpenOptions CREATE = OpenOptions.create();

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] plain(Rank rank) throws IOException {
    rank.barrier();
    try (CioFile file = new Cio(rank.alone()).open("f", OpenOptions.read(), CioMode.INDEPENDENT)) {
      byte[] content = new byte[1000];
      return Arrays.copyOf(content, (int) file.read(content));
    }
  }

  @Test
  void singleModeWritesTheOwnersDataAndReadsOnceForAll() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.SINGLE)) {
            assertThat(file.mode()).isEqualTo(CioMode.SINGLE);
            assertThat(file.write(filled(5, 10 + rank.number()))).isEqualTo(5);
            assertThat(file.write(new byte[0])).isZero();
            assertThat(file.position()).isEqualTo(5);
            file.seek(2);
            byte[] got = new byte[9];
            assertThat(file.read(got)).isEqualTo(3);
            assertThat(got).containsExactly(10, 10, 10, 0, 0, 0, 0, 0, 0);
            assertThat(file.read(got)).isZero();
          }
          assertThat(plain(rank)).isEqualTo(filled(5, 10));
        });
  }

  @Test
  void singleModeNeedsTheSameCallOfAll() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          int r = rank.number();
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.SINGLE)) {
            assertThatThrownBy(() -> file.write(new byte[1 + r]))
                .isInstanceOf(MixedCallException.class);
            assertThatThrownBy(() -> file.seek(1 + r)).isInstanceOf(MixedCallException.class);
            assertThatThrownBy(
                    () -> {
                      if (r == 0) {
                        file.read(new byte[1]);
                      } else {
                        file.write(new byte[1]);
                      }
                    })
                .isInstanceOf(MixedCallException.class);
            assertThatThrownBy(
                    () -> {
                      if (r == 0) {
                        file.read(new byte[1]);
                      } else {
                        end(file);
                      }
                    })
                .isInstanceOf(MixedCallException.class);
            assertThat(file.position()).isZero();
            assertThat(file.write(filled(2, 1))).isEqualTo(2);
            assertThatThrownBy(file::hasToken).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(file::awaitToken).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(file::passToken).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> file.passToken(0)).isInstanceOf(IllegalStateException.class);
          }
        });
  }

  @Test
  void singleModeFailsOnAllIfOnesMemoryCannotBeUsed() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          MemorySegment closed;
          try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(2);
          }
          MemorySegment good = MemorySegment.ofArray(new byte[2]);
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.SINGLE)) {
            for (int bad = 0; bad < 2; bad++) {
              boolean mine = rank.number() == bad;
              Class<?> told = CioException.class;
              assertThatThrownBy(() -> file.write(mine ? closed : good)).isInstanceOf(told);
              assertThatThrownBy(() -> file.read(mine ? closed : good)).isInstanceOf(told);
              assertThatThrownBy(() -> file.read(mine ? good.asReadOnly() : good))
                  .isInstanceOf(told);
              assertThat(file.read(good)).isZero(); // the next one works
            }
            assertThat(file.write(good.asReadOnly())).isEqualTo(2);
          }
        });
  }

  private static void end(CioFile file) throws IOException {
    file.close();
  }

  @Test
  void theTokenGoesRoundByDefault() throws IOException {
    for (int ranks = 1; ranks <= 4; ranks++) {
      Programs.run(
          directory.resolve("" + ranks),
          ranks,
          2,
          rank -> {
            try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.MULTI)) {
              for (int round = 0; round < 3; round++) {
                file.awaitToken();
                assertThat(file.hasToken()).isTrue();
                file.write(filled(rank.number() + 1, rank.number()));
                file.passToken();
              }
            }
            byte[] expected = new byte[3 * rank.size() * (rank.size() + 1) / 2];
            int at = 0;
            for (int turn = 0; turn < 3 * rank.size(); turn++) {
              int writer = turn % rank.size();
              Arrays.fill(expected, at, at + writer + 1, (byte) writer);
              at += writer + 1;
            }
            assertThat(plain(rank)).isEqualTo(expected);
          });
    }
  }

  @Test
  void theOrderMayBeTheUsers() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int[] next = {2, 0, 1}; // 0, 2, 1, 0, ...
          try (CioFile file = new Cio(rank).openMulti("f", CREATE, now -> next[now])) {
            file.awaitToken();
            file.write(filled(1, rank.number()));
            file.passToken();
          }
          assertThat(plain(rank)).containsExactly(0, 2, 1);
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.MULTI)) {
            if (rank.number() != 1) { // straight to 2, and then it skips who has closed
              file.awaitToken();
              byte[] got = new byte[1];
              assertThat(file.read(got)).isEqualTo(1);
              assertThat(got[0]).isEqualTo((byte) (rank.number() == 0 ? 0 : 2));
              file.passToken(2);
            }
          }
        });
  }

  @Test
  void accessWithoutTheTokenIsAnErrorAndMovesNothing() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.MULTI)) {
            if (rank.number() == 1) {
              assertThat(file.hasToken()).isFalse();
              assertThatThrownBy(() -> file.write(filled(3, 1))).isInstanceOf(CioException.class);
              assertThatThrownBy(() -> file.read(new byte[1])).isInstanceOf(CioException.class);
              assertThatThrownBy(() -> file.seek(7)).isInstanceOf(CioException.class);
              assertThatThrownBy(file::passToken).isInstanceOf(CioException.class);
              assertThatThrownBy(() -> file.passToken(0)).isInstanceOf(CioException.class);
            }
            rank.barrier();
            assertThat(file.position()).isZero();
            rank.barrier();
            if (rank.number() == 0) {
              assertThatThrownBy(() -> file.passToken(2))
                  .isInstanceOf(IllegalArgumentException.class);
              assertThatThrownBy(() -> file.passToken(-1))
                  .isInstanceOf(IllegalArgumentException.class);
              file.write(filled(2, 5));
              file.passToken(0); // to itself
              file.write(filled(2, 6));
              file.passToken();
              assertThatThrownBy(() -> file.write(filled(1, 1))).isInstanceOf(CioException.class);
            } else {
              file.awaitToken();
              file.seek(1);
              file.write(filled(1, 9));
            }
          }
          assertThat(plain(rank)).containsExactly(5, 9, 6, 6);
        });
  }

  @Test
  void theTokenOfOneWhoClosesGoesToThoseWhoWait() throws IOException {
    for (int round = 0; round < 20; round++) {
      Programs.run(
          directory.resolve("" + round),
          4,
          1,
          rank -> {
            try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.MULTI)) {
              if (rank.number() % 2 == 1) {
                file.awaitToken();
                file.write(filled(2, rank.number()));
              } // and nobody passes it on but by closing
            }
            byte[] content = plain(rank);
            assertThat(content).hasSize(4).contains(1, 3);
          });
    }
  }

  @Test
  void independentModeCoordinatesNothing() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.INDEPENDENT)) {
            file.seek(2L * rank.number());
            file.write(filled(2, rank.number()));
            assertThat(file.position()).isEqualTo(2L * rank.number() + 2);
            if (rank.number() == 0) {
              assertThat(file.read(new byte[0])).isZero();
            }
          }
          assertThat(plain(rank)).containsExactly(0, 0, 1, 1, 2, 2);
        });
  }

  @Test
  void modesThatDifferAreRefusedOnAll() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          List<CioMode> modes = List.of(CioMode.SINGLE, CioMode.MULTI, CioMode.INDEPENDENT);
          assertThatThrownBy(() -> new Cio(rank).open("f", CREATE, modes.get(rank.number())))
              .isInstanceOf(CioException.class)
              .hasMessageContaining(
                  "rank 0 calls open[f, SINGLE, 0], rank 1 calls open[f, MULTI, 0]");
          assertThat(rank.names().list("")).isEmpty();
        });
  }
}
