package org.millrace.heritage.cio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.Late;
import org.millrace.heritage.testing.Programs;

/** The rules of the three modes, one by one, with late participants and owners of all numbers. */
final class CioRulesTest {

  private static final OpenOptions CREATE = OpenOptions.create().withTruncate();

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] plain(Rank rank, String name) throws IOException {
    rank.barrier();
    Rank alone = rank.alone();
    try (CioFile file = new Cio(alone).open(name, OpenOptions.read(), CioMode.INDEPENDENT)) {
      byte[] content = new byte[1000];
      return Arrays.copyOf(content, (int) file.read(content));
    }
  }

  @Test
  void theOpenWaitsForAllParticipantsInEveryMode() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int late = 0;
          for (CioMode mode : CioMode.values()) {
            Late.before(rank, late, "come" + mode);
            try (CioFile file = new Cio(rank).open("f", OpenOptions.create(), mode)) {
              assertThat(file.mode()).isEqualTo(mode);
              assertThat(Late.hasCome(rank, "come" + mode)).isTrue();
            }
            late++;
          }
        });
  }

  @Test
  void theParticipantsAreWhoOpens() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Rank some = rank.split(rank.number() == 1 ? -1 : 0, rank.number());
          if (rank.number() != 1) { // who has nothing to do with it
            try (CioFile file = new Cio(some).open("f", CREATE, CioMode.SINGLE, 1)) {
              file.write(filled(2, rank.number()));
            }
          }
          assertThat(plain(rank, "f")).isEqualTo(filled(2, 2));
          some.leave("");
        });
  }

  @Test
  void singleModeWaitsForALateParticipant() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          CioFile file = new Cio(rank).open("f", CREATE, CioMode.SINGLE);
          for (int late = 0; late < 3; late++) {
            Late.before(rank, late, "write" + late);
            file.write(filled(4, 1));
            assertThat(Late.hasCome(rank, "write" + late)).isTrue();
            Late.before(rank, late, "seek" + late);
            file.seek(0);
            assertThat(Late.hasCome(rank, "seek" + late)).isTrue();
            Late.before(rank, late, "read" + late);
            file.read(new byte[4]);
            assertThat(Late.hasCome(rank, "read" + late)).isTrue();
          }
          Late.before(rank, 1, "close");
          file.close();
          assertThat(Late.hasCome(rank, "close")).isTrue();
        });
  }

  @Test
  void anyParticipantCanBeTheOwner() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          for (int owner = 0; owner < 3; owner++) {
            try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.SINGLE, owner)) {
              file.write(filled(3, 20 + rank.number()));
              file.write(filled(2, 30 + rank.number()));
              file.seek(0);
              byte[] got = new byte[9];
              assertThat(file.read(got)).isEqualTo(5);
              assertThat(Arrays.copyOf(got, 3)).isEqualTo(filled(3, 20 + owner));
              assertThat(Arrays.copyOfRange(got, 3, 5)).isEqualTo(filled(2, 30 + owner));
              assertThat(file.position()).isEqualTo(5);
            }
            assertThat(plain(rank, "f")).hasSize(5); // nobody else's bytes
            rank.barrier();
          }
        });
  }

  @Test
  void anyParticipantCanHaveTheTokenFirst() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          for (int first = 0; first < 3; first++) {
            try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.MULTI, first)) {
              assertThat(file.hasToken()).isEqualTo(rank.number() == first);
              rank.barrier();
              file.awaitToken();
              file.write(filled(1, rank.number()));
              file.passToken();
            }
            byte[] turns = {(byte) first, (byte) ((first + 1) % 3), (byte) ((first + 2) % 3)};
            assertThat(plain(rank, "f")).isEqualTo(turns);
            rank.barrier();
            try (CioFile file = new Cio(rank).openMulti("f", CREATE, first, now -> (now + 2) % 3)) {
              file.awaitToken();
              file.write(filled(1, rank.number()));
              file.passToken();
            }
            byte[] back = {(byte) first, (byte) ((first + 2) % 3), (byte) ((first + 1) % 3)};
            assertThat(plain(rank, "f")).isEqualTo(back);
            rank.barrier();
          }
        });
  }

  @Test
  void anOwnerThatIsNoneOrNotTheSameIsRefusedOnAll() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Cio cio = new Cio(rank);
          for (CioMode mode : CioMode.values()) {
            assertThatThrownBy(() -> cio.open("f", CREATE, mode, 2))
                .isInstanceOf(CioException.class)
                .hasMessageContaining("rank 0");
            assertThatThrownBy(() -> cio.open("f", CREATE, mode, rank.number()))
                .isInstanceOf(CioException.class)
                .hasMessageContaining("rank 1");
          }
          assertThat(rank.names().list("")).isEmpty();
        });
  }

  /** Another program writes meanwhile: what the owner has read is what all get. */
  @Test
  void inSingleModeOnlyTheOwnerReadsAndAllGetTheSame() throws IOException {
    int length = 200_000;
    Programs.run(
        directory,
        4,
        2,
        rank -> {
          Rank three = rank.split(rank.number() == 3 ? -1 : 0, rank.number());
          try (CioFile made = new Cio(three).open("f", CREATE, CioMode.INDEPENDENT)) {
            made.write(new byte[length]);
          }
          rank.barrier();
          if (rank.number() == 3) {
            try (CioFile file =
                new Cio(three).open("f", OpenOptions.readWrite(), CioMode.INDEPENDENT)) {
              for (int value = 1; value < 40; value++) {
                file.seek(0);
                file.write(filled(length, value));
              }
            }
          } else {
            try (CioFile file = new Cio(three).open("f", OpenOptions.read(), CioMode.SINGLE, 1)) {
              for (int i = 0; i < 20; i++) {
                file.seek(0);
                byte[] got = new byte[length];
                assertThat(file.read(got)).isEqualTo(length);
                long hash = Arrays.hashCode(got);
                assertThat(three.allGather(hash)).containsOnly(hash);
              }
            }
          }
          rank.barrier();
          three.leave("");
        });
  }

  @Test
  void whatTheOwnerCannotDoFailsOnAllWithTheSameCode() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          try (CioFile made = new Cio(rank).open("f", CREATE, CioMode.SINGLE)) {
            made.write(filled(4, 1));
          }
          try (CioFile file = new Cio(rank).open("f", OpenOptions.read(), CioMode.SINGLE, 2)) {
            assertThatThrownBy(() -> file.write(filled(1, 1)))
                .isInstanceOfSatisfying(
                    MillraceException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
            assertThat(file.position()).isZero();
            assertThat(file.read(new byte[9])).isEqualTo(4); // and all are in step
          }
        });
  }

  @Test
  void memoryOfOneParticipantThatCannotBeUsedIsToldToAllWithItsNumber() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          MemorySegment good = MemorySegment.ofArray(new byte[2]);
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.SINGLE)) {
            file.write(good);
            file.seek(0);
            boolean mine = rank.number() == 2;
            assertThatThrownBy(() -> file.read(mine ? good.asReadOnly() : good))
                .isInstanceOf(CioException.class)
                .hasMessageContaining("rank 2")
                .hasMessageContaining("cannot be read into");
            assertThat(file.position()).isZero();
            assertThat(file.read(good)).isEqualTo(2);
          }
        });
  }

  @Test
  void theMultiPointerIsSharedAndOnlyTheHoldersCallsMoveIt() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          try (CioFile file = new Cio(rank).open("f", CREATE, CioMode.MULTI)) {
            if (rank.number() == 0) {
              file.write(filled(5, 1));
              file.passToken();
            } else {
              Late.before(rank, 1, "come");
              file.awaitToken();
              assertThat(file.position()).isEqualTo(5); // where the other has left it
              file.seek(2);
              byte[] got = new byte[9];
              assertThat(file.read(got)).isEqualTo(3);
            }
          }
        });
  }

  @Test
  void independentPointersMoveByThemselvesAndNobodyWaits() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          CioFile file = new Cio(rank).open("f", CREATE, CioMode.INDEPENDENT);
          if (rank.number() == 1) { // the other one is not even there
            file.write(filled(4, 7));
            file.seek(1);
            byte[] got = new byte[9];
            assertThat(file.read(got)).isEqualTo(3);
            assertThat(file.position()).isEqualTo(4);
            file.close();
            rank.send(0, 5, new byte[0]);
          } else {
            rank.receive(1, 5);
            assertThat(file.position()).isZero();
            file.close();
          }
        });
  }

  @Test
  void numbersAndBuffersAreReadAndWrittenInEveryMode() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          for (CioMode mode : List.of(CioMode.SINGLE, CioMode.INDEPENDENT)) {
            try (CioFile file = new Cio(rank).open("f", CREATE, mode)) {
              assertThat(file.write(new int[] {1, 2})).isEqualTo(8);
              assertThat(file.write(new double[] {0.5})).isEqualTo(8);
              assertThat(file.write(ByteBuffer.wrap(filled(4, 9)).position(1))).isEqualTo(3);
              file.seek(0);
              int[] ints = new int[2];
              double[] one = new double[1];
              ByteBuffer bytes = ByteBuffer.allocateDirect(8);
              file.read(ints);
              file.read(one);
              assertThat(file.read(bytes)).isEqualTo(3);
              assertThat(ints).containsExactly(1, 2);
              assertThat(one).containsExactly(0.5);
              assertThat(bytes.get(2)).isEqualTo((byte) 9);
            }
            rank.barrier();
          }
        });
  }

  /** The machine suited the application: so a file lies on as many nodes as it is given. */
  @Test
  void aFileUsesTheNodesThatItIsGiven() throws IOException {
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          for (int strands = 1; strands <= 3; strands++) {
            OpenOptions options = CREATE.withStrands(strands);
            new Cio(rank).open("f" + strands, options, CioMode.INDEPENDENT).close();
            rank.barrier();
            assertThat(rank.names().layout("f" + strands).strands()).isEqualTo(strands);
          }
        });
  }
}
