package org.millrace.heritage.pious;

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
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.DeadlockException;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.Programs;

/** Rules of the survey's section 2.7, one by one. */
final class PiousRulesTest {

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void segmentsLieOnDifferentNodesAndTheirNumberNeverChanges() throws IOException {
    Programs.run(
        directory,
        2,
        3,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("s", 3, 4);
          assertThat(rank.names().layout("s").nodes()).containsExactly(0, 1, 2);
          for (int again = 0; again < 2; again++) {
            try (PiousFile file = pious.openIndependent("s", 7)) {
              file.seek(50L * rank.number());
              file.write(filled(50, 1));
              assertThat(file.segments()).isEqualTo(3);
            }
          }
          rank.barrier();
          assertThat(pious.segments("s")).isEqualTo(3);
        });
  }

  @Test
  void everySegmentHasAnEndOfItsOwn() throws IOException {
    int ranks = 3;
    Programs.run(
        directory,
        ranks,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("e", ranks, 4);
          int mine = 3 + 10 * rank.number();
          try (PiousFile file = pious.openSegmented("e", rank.number())) {
            file.write(filled(mine, rank.number() + 1));
            rank.barrier();
            assertThat(file.end()).isEqualTo(mine);
            file.seek(0);
            byte[] got = new byte[60];
            assertThat(file.read(got)).as("not what others wrote").isEqualTo(mine);
            assertThat(file.read(got)).isZero();
            assertThat(file.position()).isEqualTo(mine);
          }
          rank.barrier();
          try (PiousFile all = pious.openIndependent("e", 5)) {
            // segment 2 has 23 bytes: blocks 2, 5, 8, 11 and three bytes of block 14
            assertThat(all.end()).isEqualTo(14 * 5 + 3);
            byte[] got = filled(100, 9);
            assertThat(all.read(got)).isEqualTo(73);
            assertThat(got).startsWith(1, 1, 1, 0, 0, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 0, 0, 0);
            assertThat(Arrays.copyOfRange(got, 70, 75)).containsExactly(3, 3, 3, 9, 9);
          }
        });
  }

  @Test
  void allOfAViewIsReadWhateverBlocksItWasWrittenIn() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("b", 3, 8);
          for (int bytes = 1; bytes < 90; bytes += 4) {
            pious.unlink("b");
            pious.create("b", 3, 8);
            try (PiousFile file = pious.openGlobal("b", 5)) {
              assertThat(file.write(filled(bytes, 1))).isEqualTo(bytes);
              file.seek(0);
              byte[] got = new byte[bytes + 20];
              assertThat(file.read(got)).isEqualTo(bytes);
              assertThat(Arrays.copyOf(got, bytes)).containsOnly(1);
            }
          }
        });
  }

  /** Blocks and stripe units without a common divisor, up to a gigabyte and more. */
  @Test
  void anyBlockSizeIsOpenedAtOnce() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("any", 3, (1 << 20) - 1);
          for (long block : List.of(1L, 7L, 1_000_003L, 1L << 20, (1L << 31) - 1, 1L << 60)) {
            byte[] mine = filled(1000, rank.number() + 1);
            try (PiousFile file = pious.openIndependent("any", block)) {
              // across the end of a block or near it, and of stripe units
              long at = Math.max(0, Math.min(3_000_000L, block) - 500) + 2000L * rank.number();
              file.seek(at);
              assertThat(file.write(mine)).isEqualTo(1000);
              byte[] got = new byte[1000];
              file.seek(at);
              assertThat(file.read(got)).isEqualTo(1000);
              assertThat(got).isEqualTo(mine);
              rank.barrier();
            }
            rank.barrier();
          }
        });
  }

  @Test
  void aSegmentOnlyBlocksTransactionsOnItself() throws IOException {
    int ranks = 3;
    Programs.run(
        directory,
        ranks,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("t", ranks, 4);
          try (PiousFile file = pious.openSegmented("t", rank.number());
              PiousFile blocks = pious.openIndependent("t", 4)) {
            pious.begin();
            file.write(filled(100, 1));
            rank.barrier(); // all transactions are open: nobody has waited for anybody
            file.seek(0);
            assertThat(file.read(new byte[200])).isEqualTo(100);
            blocks.seek(4L * ranks * 100 + 4L * rank.number()); // a block of the same segment
            blocks.write(filled(4, 2));
            rank.barrier();
            pious.commit();
            rank.barrier();
            assertThat(file.end()).isEqualTo(404);
          }
        });
  }

  @Test
  void accessesOutsideTransactionsDoNotWaitForOtherSegmentsEither() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("u", 2, 4);
          try (PiousFile file = pious.openSegmented("u", rank.number())) {
            if (rank.number() == 0) {
              pious.begin();
              file.write(filled(100, 1));
            }
            rank.barrier();
            if (rank.number() == 1) { // while rank 0's transaction is open
              file.write(filled(100, 2));
              file.seek(0);
              assertThat(file.read(new byte[200])).isEqualTo(100);
            }
            rank.barrier();
            if (rank.number() == 0) {
              pious.commit();
            }
          }
        });
  }

  @Test
  void aTransactionKeepsOthersFromTheSameSegmentUntilItEnds() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("k", 2, 4);
          try (PiousFile file = pious.openSegmented("k", 0)) {
            if (rank.number() == 0) {
              pious.begin();
              file.write(filled(50, 1));
              rank.send(1, 0, new byte[0]);
              file.write(filled(50, 1));
              pious.commit();
            } else {
              rank.receive(0, 0);
              byte[] got = new byte[200];
              assertThat(file.read(got)).as("all of it").isEqualTo(100);
              assertThat(Arrays.copyOf(got, 100)).containsOnly(1);
            }
          }
        });
  }

  /**
   * A circle through the shared pointer: the last to come is the victim. A plain access that gives
   * way is done in the end.
   */
  @Test
  void aPlainAccessIsDoneThoughATransactionWaitsForThePointer() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("d", 2, 4);
          try (PiousFile shared = pious.openGlobal("d", 4);
              PiousFile own = pious.openIndependent("d", 4)) {
            for (int i = 0; i < 20; i++) {
              if (rank.number() == 0) {
                try {
                  pious.begin();
                  own.seek(0);
                  own.write(filled(100, 1));
                  shared.seek(
                      0); // waits for the pointer, which an access may hold that waits for us
                  pious.commit();
                } catch (DeadlockException e) { // it came last, and is the victim
                  assertThat(pious.isInTransaction()).isFalse();
                }
              } else {
                shared.seek(0);
                assertThat(shared.write(filled(10, 2))).isEqualTo(10);
              }
            }
          }
        });
  }

  @Test
  void thePointerStandsStillForATransactionThatHasSeenIt() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("q", 2, 4);
          try (PiousFile file = pious.openGlobal("q", 4)) {
            for (int i = 0; i < 10; i++) {
              pious.begin();
              long before = file.position();
              file.write(filled(5, rank.number()));
              assertThat(file.position()).isEqualTo(before + 5);
              pious.commit();
            }
            rank.barrier();
            assertThat(file.position()).isEqualTo(150);
          }
        });
  }

  @Test
  void globalAccessesGoInTheOrderInWhichTheyAreIssued() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("o", 2, 4);
          int[] order = {1, 2, 0, 0, 2};
          try (PiousFile file = pious.openGlobal("o", 3)) {
            for (int turn = 0; turn < order.length; turn++) {
              if (order[turn] == rank.number()) {
                file.write(filled(turn + 1, 10 * turn + rank.number()));
              }
              rank.barrier();
            }
            if (rank.number() == 0) {
              file.seek(0);
              for (int turn = 0; turn < order.length; turn++) {
                byte[] got = new byte[turn + 1];
                assertThat(file.read(got)).isEqualTo(turn + 1);
                assertThat(got).containsOnly(10 * turn + order[turn]);
              }
            }
            rank.barrier();
          }
        });
  }

  @Test
  void aGroupOpensOneFileTwiceWithTwoPointers() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          String path = "p".repeat(250); // pointers are not known by the file's name
          pious.create(path, 2, 4);
          try (PiousFile one = pious.openGlobal(path, 4);
              PiousFile two = pious.openGlobal(path, 2)) {
            pious.begin();
            one.write(filled(4, 1));
            two.write(filled(2, 2));
            pious.commit();
            rank.barrier();
            assertThat(one.position()).isEqualTo(8);
            assertThat(two.position()).isEqualTo(4);
          }
        });
  }

  @Test
  void moreProcessesThanSegmentsShareThem() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("m", 2, 4);
          assertThatThrownBy(() -> pious.openSegmented("m", rank.number()))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("rank 2: wants segment 2");
          try (PiousFile file = pious.openSegmented("m", rank.number() % 2)) {
            file.seek(10L * (rank.number() / 2)); // coordinated by the program
            file.write(filled(10, rank.number() + 1));
            rank.barrier();
            assertThat(file.end()).isEqualTo(rank.number() % 2 == 0 ? 20 : 10);
          }
        });
  }

  @Test
  void transactionsAreBoundedAndATooLargeOneIsAborted() throws IOException {
    Programs.run(
        directory,
        1,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("l", 2, 1 << 16);
          try (PiousFile file = pious.openIndependent("l", 1 << 16)) {
            pious.begin();
            file.write(filled(10, 1));
            byte[] most = new byte[64 << 20];
            assertThatThrownBy(() -> file.write(most)).isInstanceOf(MillraceException.class);
            assertThat(pious.isInTransaction()).isFalse();
            assertThat(file.position()).isZero();
            assertThat(file.end()).isZero();
          }
        });
  }

  @Test
  void aTransactionSeesItsOwnEndsAndOthersDoNot() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("x", 3, 4);
          try (PiousFile segment = pious.openSegmented("x", 1);
              PiousFile all = pious.openIndependent("x", 2)) {
            if (rank.number() == 0) {
              pious.begin();
              segment.write(filled(7, 5));
              assertThat(segment.end()).isEqualTo(7);
              assertThat(all.end()).isEqualTo((3 * 3 + 1) * 2 + 1);
              byte[] got = new byte[30];
              assertThat(all.read(got)).isEqualTo(21);
              assertThat(got).startsWith(0, 0, 5, 5, 0, 0, 0, 0, 5, 5);
              rank.barrier();
              rank.barrier();
              pious.abort();
            } else {
              rank.barrier();
              assertThat(segment.end()).isZero();
              rank.barrier();
            }
            rank.barrier();
            assertThat(all.end()).isZero();
          }
        });
  }

  @Test
  void asAPlainFileItIsTheInterleaveByItsOwnBlocks() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("i", 2, 3);
          try (PiousFile file = pious.openSegmented("i", rank.number())) {
            file.write(filled(6, rank.number() + 1));
          }
          rank.barrier();
          byte[] plain = new byte[12];
          Rank lone = rank.alone();
          try (var file = lone.open("i", OpenOptions.read())) {
            assertThat(file.at(0).read(Memory.of(plain))).isEqualTo(12);
          }
          lone.leave("");
          assertThat(plain).containsExactly(1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2);
        });
  }

  @Test
  void buffersAreArraysOfNumbersAndByteBuffersToo() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("n", 2, 4);
          try (PiousFile file = pious.openIndependent("n", 3)) {
            file.write(new int[] {7, -8});
            file.write(new double[] {1.25});
            file.write(ByteBuffer.wrap(filled(2, 9)));
            file.seek(0);
            int[] ints = new int[2];
            double[] doubles = new double[1];
            ByteBuffer bytes = ByteBuffer.allocate(5);
            assertThat(file.read(ints)).isEqualTo(8);
            assertThat(file.read(doubles)).isEqualTo(8);
            assertThat(file.read(bytes)).isEqualTo(2);
            assertThat(ints).containsExactly(7, -8);
            assertThat(doubles).containsExactly(1.25);
            assertThat(bytes.array()).containsExactly(9, 9, 0, 0, 0);
          }
        });
  }

  @Test
  void wrongMemoryAndPositionsAreRefusedAndMoveNothing() throws IOException {
    Programs.run(
        directory,
        1,
        1,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("w", 2, 4);
          try (PiousFile file = pious.openGlobal("w", 3)) {
            var readOnly = MemorySegment.ofArray(new byte[4]).asReadOnly();
            assertThatThrownBy(() -> file.read(readOnly))
                .isInstanceOf(IllegalArgumentException.class);
            assertThat(file.write(readOnly)).isEqualTo(4);
            file.seek(Long.MAX_VALUE);
            assertThatThrownBy(() -> file.write(new byte[1]))
                .isInstanceOf(IllegalArgumentException.class);
            assertThat(file.read(new byte[0])).isZero();
            assertThatThrownBy(() -> file.seek(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.plainOffset(-1))
                .isInstanceOf(IllegalArgumentException.class);
            assertThat(file.position()).isEqualTo(Long.MAX_VALUE);
            file.seek(0);
            assertThat(file.read(new byte[9])).isEqualTo(4);
          }
          assertThatThrownBy(() -> pious.openIndependent("w", Long.MAX_VALUE))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("block size");
          pious.unlink("w"); // nobody has it open
        });
  }
}
