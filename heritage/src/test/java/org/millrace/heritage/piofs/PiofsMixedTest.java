package org.millrace.heritage.piofs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;
import org.millrace.heritage.vesta.Partition;

/** Mode collective: tasks that differ, or that one cannot, all fail and go on together. */
final class PiofsMixedTest {

  private interface Operation {
    long by(PiofsFile file, MemorySegment memory) throws IOException;
  }

  private static final Operation READ_BROADCAST = PiofsFile::readBroadcast;
  private static final Operation WRITE_REDUCE = PiofsFile::writeReduce;
  private static final Operation READ_SCATTER = PiofsFile::readScatter;
  private static final Operation WRITE_GATHER = PiofsFile::writeGather;
  private static final Operation CLOSE =
      (file, _) -> {
        file.close();
        return 0;
      };
  private static final List<Operation> ALL =
      List.of(READ_BROADCAST, WRITE_REDUCE, READ_SCATTER, WRITE_GATHER, CLOSE);

  @TempDir private Path directory;

  private static PiofsFile open(Rank rank) throws IOException {
    OpenOptions create = OpenOptions.create().withStripeUnit(4).withStrands(3);
    return new Piofs(rank).open("f", create, Partition.whole(3), PiofsMode.COLLECTIVE);
  }

  @Test
  void everyTwoOperationsThatAreMixedFailOnAllAndTheNextOneWorks() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          int r = rank.number();
          byte[] next = {9, 9};
          try (PiofsFile file = open(rank)) {
            long end = 0;
            for (Operation one : ALL) {
              for (Operation other : ALL) {
                if (one == other) {
                  continue;
                }
                MemorySegment memory = MemorySegment.ofArray(new byte[2]);
                assertThatThrownBy(() -> (r == 0 ? one : other).by(file, memory))
                    .isInstanceOf(MixedCallException.class)
                    .hasMessageContaining("rank 1 calls");
                assertThat(file.position()).isEqualTo(end);
                rank.barrier();
                file.writeReduce(next);
                file.writeGather(next);
                end += 6;
                rank.barrier();
              }
            }
          }
        });
  }

  @Test
  void memoryOfOneTaskThatCannotBeUsedFailsOnAll() throws IOException {
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
          try (PiofsFile file = open(rank)) {
            for (int bad = 0; bad < 2; bad++) {
              boolean mine = rank.number() == bad;
              for (Operation one : ALL.subList(0, 4)) {
                assertThatThrownBy(() -> one.by(file, mine ? closed : good))
                    .isInstanceOf(PiofsException.class)
                    .hasMessageContaining("rank " + bad + ": memory");
              }
              for (Operation read : List.of(READ_BROADCAST, READ_SCATTER)) {
                assertThatThrownBy(() -> read.by(file, mine ? good.asReadOnly() : good))
                    .isInstanceOf(PiofsException.class);
              }
              assertThat(file.position()).isEqualTo(2L * bad);
              rank.barrier();
              assertThat(file.writeReduce(good.asReadOnly())).isEqualTo(2);
            }
          }
        });
  }
}
