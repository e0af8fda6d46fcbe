package org.millrace.heritage.pious;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.DeadlockException;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.heritage.testing.Programs;

final class PiousTest {

  @TempDir private Path directory;

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] plain(Rank rank, String path, int length) throws IOException {
    byte[] bytes = new byte[length];
    Rank lone = rank.alone();
    try (var file = lone.open(path, OpenOptions.read())) {
      assertThat(file.at(0).read(Memory.of(bytes))).isEqualTo(length);
    }
    lone.leave("");
    return bytes;
  }

  @Test
  void eachRankHasASegmentThroughItsOwnPointer() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("s", 3, 4);
          assertThat(pious.segments("s")).isEqualTo(3);
          try (PiousFile file = pious.openSegmented("s", rank.number())) {
            assertThat(file.view()).isEqualTo(PiousView.SEGMENTED);
            assertThat(file.segments()).isEqualTo(3);
            for (int i = 0; i < 4; i++) {
              assertThat(file.write(filled(3, 10 * rank.number() + i))).isEqualTo(3);
            }
            assertThat(file.position()).isEqualTo(12);
            file.flush();
          }
          rank.barrier();
          byte[] all = plain(rank, "s", 36);
          for (int i = 0; i < 36; i++) { // byte o of segment s at (o/4)*12 + 4s + o%4
            int segment = i / 4 % 3;
            int inSegment = i / 12 * 4 + i % 4;
            assertThat(all[i]).isEqualTo((byte) (10 * segment + inSegment / 3));
          }
          rank.barrier();
          try (PiousFile other = pious.openSegmented("s", (rank.number() + 1) % 3)) {
            byte[] read = new byte[20];
            other.seek(3);
            assertThat(other.read(read)).as("the segment ends").isEqualTo(9);
            assertThat(read[0]).isEqualTo((byte) (10 * ((rank.number() + 1) % 3) + 1));
            assertThat(other.read(read)).isZero();
            assertThat(other.read(new byte[0])).isZero();
            assertThat(other.position()).isEqualTo(12);
          }
        });
    Programs.run( // another number of processes: they must choose
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          try (PiousFile file = pious.openSegmented("s", 2)) {
            byte[] read = new byte[12];
            assertThat(file.read(read)).isEqualTo(12);
            assertThat(read).startsWith(20, 20, 20, 21);
          }
        });
  }

  @Test
  void globalViewSharesOnePointerAndDealsOutWholeAccesses() throws IOException {
    int rounds = 20;
    Programs.run(
        directory,
        4,
        3,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("g", 3, 8);
          for (long block : new long[] {8, 3, 16}) {
            try (PiousFile file = pious.openGlobal("g", block)) {
              for (int i = 0; i < rounds; i++) {
                assertThat(file.write(filled(7, rank.number() * rounds + i + 1))).isEqualTo(7);
              }
              rank.barrier();
              assertThat(file.position()).isEqualTo(4L * rounds * 7);
              rank.barrier();
              if (rank.number() == 0) {
                file.seek(0); // for all
              }
              rank.barrier();
              Set<Byte> seen = new HashSet<>();
              for (int i = 0; i < rounds; i++) {
                byte[] read = new byte[7];
                assertThat(file.read(read)).isEqualTo(7);
                assertThat(read).as("written in one access").isEqualTo(filled(7, read[0]));
                assertThat(seen.add(read[0])).isTrue();
              }
              long values = rank.allReduceLong(seen.stream().mapToLong(b -> b).sum(), Long::sum);
              assertThat(values).as("each once").isEqualTo(80L * 81 / 2);
              rank.barrier();
              if (block == 8) { // through the others segments are longer: they were written by 8
                assertThat(file.read(new byte[100])).isZero();
              }
            }
          }
        });
  }

  @Test
  void independentViewHasAPointerForEachRank() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("i", 2, 5);
          try (PiousFile file = pious.openIndependent("i", 3)) {
            file.seek(6L * rank.number());
            file.write(filled(6, rank.number() + 1));
            rank.barrier();
            file.seek(0);
            byte[] all = new byte[18];
            assertThat(file.read(all)).isEqualTo(18);
            for (int i = 0; i < 18; i++) {
              assertThat(all[i]).isEqualTo((byte) (i / 6 + 1));
            }
            assertThat(file.plainOffset(3)).as("block 1 begins segment 1").isEqualTo(5);
          }
        });
  }

  @Test
  void accessesAreAtomicThroughScatteredViews() throws IOException {
    int length = 3000;
    Programs.run(
        directory,
        3,
        3,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("a", 3, 100);
          try (PiousFile file = pious.openIndependent("a", 7)) {
            if (rank.number() == 0) {
              file.write(filled(length, 1));
            }
            rank.barrier();
            for (int i = 0; i < 30; i++) {
              file.seek(0);
              if (rank.number() == 0) {
                file.write(filled(length, i % 100));
              } else {
                byte[] read = new byte[length];
                file.read(read);
                assertThat(read).isEqualTo(filled(length, read[0]));
              }
            }
            rank.barrier();
          }
        });
  }

  @Test
  void aTransactionTakesSegmentsAndFilesTogether() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("x", 2, 10);
          pious.create("y", 2, 10);
          try (PiousFile x = pious.openSegmented("x", 0);
              PiousFile y = pious.openIndependent("y", 10)) {
            if (rank.number() == 0) {
              pious.begin();
              assertThat(pious.isInTransaction()).isTrue();
              x.write(filled(15, 1));
              y.write(filled(15, 2));
              x.seek(0);
              byte[] own = new byte[20];
              assertThat(x.read(own)).isEqualTo(15);
              assertThat(rank.names().size("x")).as("nothing has happened yet").isZero();
              pious.commit();
              assertThat(pious.isInTransaction()).isFalse();
              assertThat(x.position()).isEqualTo(15);

              pious.begin();
              x.write(filled(5, 3));
              y.seek(0);
              y.write(filled(5, 3));
              assertThatThrownBy(x::close).isInstanceOf(IllegalStateException.class);
              pious.abort();
              assertThat(x.position()).as("where it stood").isEqualTo(15);
              assertThat(y.position()).isEqualTo(15);
            }
            rank.barrier();
            byte[] inX = new byte[30];
            x.seek(0);
            assertThat(x.read(inX)).isEqualTo(15);
            assertThat(inX).startsWith(filled(15, 1));
            byte[] inY = new byte[30];
            y.seek(0);
            assertThat(y.read(inY)).isEqualTo(15);
            assertThat(inY).startsWith(filled(15, 2));
          }
        });
  }

  @Test
  void theSharedPointerIsPartOfATransaction() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("p", 2, 4);
          try (PiousFile file = pious.openGlobal("p", 4)) {
            for (int i = 0; i < 5; i++) { // pairs of writes that nobody comes between
              pious.begin();
              file.write(filled(3, rank.number() + 1));
              file.write(filled(3, rank.number() + 1));
              if (i == 2) {
                pious.abort();
              } else {
                pious.commit();
              }
            }
            rank.barrier();
            assertThat(file.position()).isEqualTo(3 * 4 * 6);
            byte[] all = new byte[72];
            rank.barrier();
            if (rank.number() == 0) {
              file.seek(0);
              assertThat(file.read(all)).isEqualTo(72);
              for (int i = 0; i < 72; i += 6) {
                byte[] pair = Arrays.copyOfRange(all, i, i + 6);
                assertThat(pair).isEqualTo(filled(6, pair[0]));
              }
            }
            rank.barrier();
          }
        });
  }

  @Test
  void aPointerThatCannotBeSetBackKeepsNoLocks() throws IOException {
    Programs.watch(
        directory,
        1,
        1,
        ClusterOptions.DEFAULT,
        (rank, cluster) -> {
          Pious pious = new Pious(rank);
          pious.create("k", 2, 4);
          var core = rank.open("k", OpenOptions.readWrite().withMode(Mode.SHARED));
          PiousFile lost =
              new PiousFile(pious, core, PiousView.GLOBAL, Interleave.blocks(core.layout(), 4));
          try (PiousFile file = pious.openIndependent("k", 4)) {
            pious.begin();
            lost.seek(100);
            lost.write(filled(3, 1));
            file.write(filled(3, 2));
            assertThat(cluster.administration().status().locks()).isNotEmpty();
            core.close(); // its pointer is gone
            assertThatThrownBy(pious::abort)
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("closed");
            assertThat(cluster.administration().status().locks()).isEmpty();
            assertThat(pious.isInTransaction()).isFalse();
            assertThat(file.position()).isZero();
            assertThat(rank.names().size("k")).isZero();
          }
        });
  }

  @Test
  void ofTransactionsThatWaitInACircleOneIsAbortedAndTheOthersGoOn() throws IOException {
    int ranks = 3;
    Programs.run(
        directory,
        ranks,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          pious.create("c", 2, 10);
          try (PiousFile file = pious.openIndependent("c", 10)) {
            pious.begin();
            file.seek(100L * rank.number());
            file.write(filled(1, 1));
            rank.barrier();
            file.seek(100L * ((rank.number() + 1) % ranks));
            long victim = 0;
            try {
              file.write(filled(1, 2));
              pious.commit();
            } catch (DeadlockException e) {
              victim = 1;
              assertThat(pious.isInTransaction()).isFalse();
              assertThat(file.position()).isZero();
            }
            assertThat(rank.allReduceLong(victim, Long::sum)).isEqualTo(1);
            byte[] all = new byte[201];
            file.seek(0);
            assertThat(file.read(all)).isEqualTo(201);
            int sum = all[0] + all[100] + all[200];
            // the place that the victim wanted second has its first writer's byte only
            assertThat(sum).isEqualTo(2 + 2 + 1);
          }
        });
  }

  @Test
  void wrongUseIsRefusedOnAllRanks() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Pious pious = new Pious(rank);
          assertThatThrownBy(() -> pious.openGlobal("w", 4))
              .isInstanceOf(NoSuchNameException.class);
          pious.create("w", 2, 4);
          assertThatThrownBy(() -> pious.create("w", 2, 4)).isInstanceOf(NameExistsException.class);
          assertThatThrownBy(() -> pious.create("v", 0, 4)).isInstanceOf(MillraceException.class);
          assertThatThrownBy(() -> pious.openSegmented("w", 2 * rank.number()))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("rank 1: wants segment 2");
          assertThatThrownBy(() -> pious.openSegmented("w", -rank.number()))
              .isInstanceOf(MillraceException.class);
          assertThatThrownBy(() -> pious.openGlobal("w", rank.number()))
              .isInstanceOf(MillraceException.class);
          assertThatThrownBy(() -> pious.openIndependent("w", rank.number() + 1))
              .isInstanceOf(MixedCallException.class);
          assertThatThrownBy(pious::commit).isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(pious::abort).isInstanceOf(IllegalStateException.class);
          pious.begin();
          assertThatThrownBy(pious::begin).isInstanceOf(IllegalStateException.class);
          pious.abort();
          try (PiousFile file = pious.openIndependent("w", 4)) {
            assertThatThrownBy(() -> file.seek(-1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pious.unlink("w")).isInstanceOf(MillraceException.class);
            assertThat(file.position()).isZero();
            rank.barrier();
          }
          rank.barrier();
          if (rank.number() == 0) {
            pious.unlink("w");
          }
        });
  }
}
