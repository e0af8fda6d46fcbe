package org.millrace.heritage.vesta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Rank;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;

/** Modes D to F: processes that differ, or that one cannot, all fail and go on together. */
final class SpmdMixedTest {

  private interface Operation {
    long by(Subfile file, MemorySegment memory) throws IOException;
  }

  private static final Operation READ = Subfile::read;
  private static final Operation WRITE = Subfile::write;
  private static final Operation CLOSE =
      (file, _) -> {
        file.close();
        return 0;
      };
  private static final List<Operation> ALL = List.of(READ, WRITE, CLOSE);
  private static final List<SpmdMode> MODES = List.of(SpmdMode.D, SpmdMode.E, SpmdMode.F);

  @TempDir private Path directory;

  private static Subfile open(Rank rank, SpmdMode mode) throws IOException {
    return new Vesta(rank).open("f" + mode, Vesta.structure(4, 2), Partition.whole(2), mode);
  }

  @Test
  void everyTwoCallsThatAreMixedFailOnAllAndTheNextOneWorks() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          for (SpmdMode mode : MODES) {
            try (Subfile file = open(rank, mode)) {
              mixAll(rank, file);
            }
          }
        });
  }

  private static void mixAll(Rank rank, Subfile file) throws IOException {
    MemorySegment memory = MemorySegment.ofArray(new byte[2]);
    for (Operation one : ALL) {
      for (Operation other : ALL) {
        if (one == other) {
          continue;
        }
        long before = file.offset();
        assertThatThrownBy(() -> (rank.number() == 0 ? one : other).by(file, memory))
            .isInstanceOf(MixedCallException.class);
        assertThat(file.offset()).isEqualTo(before);
        rank.barrier();
        assertThat(file.write(memory)).isEqualTo(2);
        rank.barrier();
      }
    }
  }

  @Test
  void memoryOfOneProcessThatCannotBeUsedFailsOnAll() throws IOException {
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
          for (SpmdMode mode : MODES) {
            try (Subfile file = open(rank, mode)) {
              for (int bad = 0; bad < 2; bad++) {
                boolean mine = rank.number() == bad;
                Class<?> told =
                    mine || mode == SpmdMode.E ? VestaException.class : MixedCallException.class;
                assertThatThrownBy(() -> file.read(mine ? closed : good)).isInstanceOf(told);
                assertThatThrownBy(() -> file.write(mine ? closed : good)).isInstanceOf(told);
                assertThatThrownBy(() -> file.read(mine ? good.asReadOnly() : good))
                    .isInstanceOf(told);
                assertThat(file.read(good)).isZero(); // the next one works
              }
              assertThat(file.write(good.asReadOnly())).isEqualTo(2);
            }
          }
        });
  }

  @Test
  void aPartitionThatReachesTooFarIsRefusedOnAllAndTheNextOpenWorks() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          Partition far = new Partition(Long.MAX_VALUE / 4, 1, 1, 1, 0);
          for (int bad = 0; bad < 2; bad++) {
            Partition mine = rank.number() == bad ? far : Partition.whole(2);
            assertThatThrownBy(
                    () -> new Vesta(rank).open("f", Vesta.structure(4, 2), mine, SpmdMode.B))
                .isInstanceOf(VestaException.class)
                .hasMessageContaining("too far");
            open(rank, SpmdMode.B).close();
          }
        });
  }
}
