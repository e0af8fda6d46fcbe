package org.millrace.heritage.piofs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;
import org.millrace.heritage.vesta.Partition;
import org.millrace.heritage.vesta.Subfile;
import org.millrace.heritage.vesta.Vesta;

/** Rules of the survey's section 2.6, one by one. */
final class PiofsRulesTest {

  private static final OpenOptions CREATE = OpenOptions.create().withStripeUnit(4).withStrands(3);
  private static final Partition ALL = Partition.whole(3);

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static Partition column(Rank rank) {
    return new Partition(1, 1, 1, 3, rank.number());
  }

  /** The late task comes when the others have told it that they are about to go. */
  private static void comeLate(Rank rank, int late) throws IOException {
    if (rank.number() != late) {
      rank.send(late, 1, new byte[0]);
      return;
    }
    for (int other = 0; other < rank.size(); other++) {
      if (other != late) {
        rank.receive(other, 1);
      }
    }
  }

  @Test
  void partitionsAndPointersAreVestas() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (PiofsFile file =
              new Piofs(rank).open("f", CREATE, column(rank), PiofsMode.PRIVATE)) {
            file.write(filled(9, rank.number() + 1));
            assertThat(file.position()).isEqualTo(9);
            assertThat(file.view()).isEqualTo(column(rank).view(4, 3));
          }
          rank.barrier();
          try (Subfile same = new Vesta(rank).open("f", OpenOptions.read(), column(rank))) {
            byte[] got = new byte[20];
            assertThat(same.read(got)).isEqualTo(9);
            assertThat(Arrays.copyOf(got, 9)).containsOnly(rank.number() + 1);
          }
        });
  }

  @Test
  void privateAccessesWaitForNobody() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (PiofsFile file =
              new Piofs(rank).open("f", CREATE, column(rank), PiofsMode.PRIVATE)) {
            for (int turn = 0; turn < 3; turn++) { // one task at a time: nobody has to come
              if (turn == rank.number()) {
                file.write(filled(10, turn));
              }
              rank.barrier();
            }
          }
        });
  }

  @Test
  void coordinatedAccessesWaitForALateTask() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Piofs piofs = new Piofs(rank);
          try (PiofsFile file = piofs.open("f", CREATE, column(rank), PiofsMode.COORDINATED);
              Subfile plain = new Vesta(rank).open("f", OpenOptions.read(), ALL)) {
            for (int late = 0; late < 3; late++) {
              comeLate(rank, late);
              if (rank.number() == late) {
                assertThat(plain.fileBytes()).as("no byte has moved").isEqualTo(24L * late);
              }
              file.write(filled(8, late));
              rank.barrier();
            }
          }
        });
  }

  @Test
  void inEveryModeASubfileEndsWhereItsOwnCellsDo() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Piofs piofs = new Piofs(rank);
          int mine = 5 + 9 * rank.number();
          try (PiofsFile file = piofs.open("f", CREATE, column(rank), PiofsMode.PRIVATE)) {
            file.write(filled(mine, rank.number() + 1));
          }
          rank.barrier();
          for (PiofsMode mode : List.of(PiofsMode.PRIVATE, PiofsMode.COORDINATED)) {
            try (PiofsFile file = piofs.open("f", OpenOptions.read(), column(rank), mode)) {
              assertThat(file.bytes()).isEqualTo(mine);
              byte[] got = new byte[60];
              assertThat(file.read(got)).as("%s", mode).isEqualTo(mine);
              assertThat(Arrays.copyOf(got, mine)).containsOnly(rank.number() + 1);
              assertThat(file.position()).isEqualTo(mine);
              assertThat(file.read(got)).isZero();
            }
          }
          // cells 0 and 1 in pairs of BSUs: 8 of cell 0, 8 of cell 1, 8 that cell 0 does not have,
          // of which the last four lie behind the end of what is kept of it, and 6 of cell 1
          Partition pair = new Partition(2, 1, 2, 2, 0);
          try (PiofsFile file = piofs.open("f", OpenOptions.read(), pair, PiofsMode.COLLECTIVE)) {
            byte[] got = new byte[12];
            assertThat(file.readScatter(got)).isEqualTo(rank.number() == 2 ? 6 : 12);
            assertThat(file.position()).isEqualTo(30);
          }
          try (PiofsFile file = piofs.open("f", OpenOptions.read(), pair, PiofsMode.SHARED)) {
            long count = file.read(new byte[12]);
            assertThat(rank.allReduceLong(count, Long::sum)).isEqualTo(30);
          }
        });
  }

  @Test
  void sharedAccessesGoInTheOrderInWhichTheyAreIssued() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          int[] order = {2, 0, 1, 2};
          try (PiofsFile file = new Piofs(rank).open("f", CREATE, ALL, PiofsMode.SHARED)) {
            for (int turn = 0; turn < order.length; turn++) {
              if (order[turn] == rank.number()) { // individually: nobody else comes
                file.write(filled(turn + 1, 10 * turn + rank.number()));
              }
              rank.barrier();
              assertThat(file.position()).isEqualTo((turn + 1L) * (turn + 2) / 2);
              rank.barrier();
            }
          }
          try (Subfile plain = new Vesta(rank).open("f", OpenOptions.read(), ALL)) {
            byte[] got = new byte[10];
            assertThat(plain.read(got)).isEqualTo(10);
            assertThat(got).containsExactly(2, 10, 10, 21, 21, 21, 32, 32, 32, 32);
          }
        });
  }

  @Test
  void collectiveOperationsWaitForALateTask() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          try (PiofsFile file = new Piofs(rank).open("f", CREATE, ALL, PiofsMode.COLLECTIVE);
              Subfile plain = new Vesta(rank).open("f", OpenOptions.read(), ALL)) {
            comeLate(rank, 1);
            if (rank.number() == 1) {
              assertThat(plain.fileBytes()).as("no byte has moved").isZero();
            }
            assertThat(file.writeGather(filled(2, rank.number()))).isEqualTo(2);
            rank.barrier();
            comeLate(rank, 0);
            assertThat(file.writeReduce(filled(3, 9))).isEqualTo(3);
            rank.barrier();
            assertThat(plain.fileBytes()).isEqualTo(9);
            rank.barrier();
          }
        });
  }

  @Test
  void buffersAreArraysOfNumbersAndByteBuffersToo() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          int r = rank.number();
          Piofs piofs = new Piofs(rank);
          try (PiofsFile file = piofs.open("f", CREATE, ALL, PiofsMode.COLLECTIVE)) {
            file.writeReduce(new double[] {2.5});
            file.writeGather(new int[] {10 + r, 20 + r});
            file.writeGather(ByteBuffer.wrap(filled(3, r)));
          }
          try (PiofsFile file = piofs.open("f", OpenOptions.read(), ALL, PiofsMode.COLLECTIVE)) {
            double[] number = new double[1];
            int[] mine = new int[2];
            byte[] bytes = new byte[3];
            file.readBroadcast(number);
            file.readScatter(mine);
            file.readScatter(ByteBuffer.wrap(bytes));
            assertThat(number).containsExactly(2.5);
            assertThat(mine).containsExactly(10 + r, 20 + r);
            assertThat(bytes).containsOnly(r);
          }
        });
  }

  @Test
  void memoryThatIsNoneFailsOnAllThatWait() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Piofs piofs = new Piofs(rank);
          try (PiofsFile file = piofs.open("f", CREATE, ALL, PiofsMode.COLLECTIVE)) {
            for (int bad = 0; bad < 2; bad++) {
              byte[] given = rank.number() == bad ? none() : new byte[2];
              assertThatThrownBy(() -> file.readBroadcast(given)).isInstanceOf(IOException.class);
              assertThatThrownBy(() -> file.writeReduce(given)).isInstanceOf(IOException.class);
              assertThatThrownBy(() -> file.readScatter(given)).isInstanceOf(IOException.class);
              assertThatThrownBy(() -> file.writeGather(given)).isInstanceOf(IOException.class);
              assertThat(file.position()).isZero();
              rank.barrier();
            }
            assertThat(file.writeGather(new byte[2])).isEqualTo(2);
          }
          Partition own = new Partition(1, 1, 1, 2, rank.number());
          try (PiofsFile file = piofs.open("f", CREATE, own, PiofsMode.COORDINATED)) {
            for (int bad = 0; bad < 2; bad++) {
              byte[] given = rank.number() == bad ? none() : new byte[2];
              assertThatThrownBy(() -> file.read(given)).isInstanceOf(Exception.class);
              assertThatThrownBy(() -> file.write(given)).isInstanceOf(Exception.class);
            }
            assertThat(file.write(new byte[2])).isEqualTo(2);
          }
        });
  }

  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what a careless program does
  private static byte[] none() {
    return null;
  }
}
