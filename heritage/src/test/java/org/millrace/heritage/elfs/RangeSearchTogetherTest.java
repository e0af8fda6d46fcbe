package org.millrace.heritage.elfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.Programs;

/** Range searching where ranks come at different times, or one of them fails. */
final class RangeSearchTogetherTest {

  private static final RecordFormat FORMAT =
      new RecordFormat(16, List.of(new KeyField(KeyField.Kind.FLOAT64, 0)));
  private static final List<KeyRange> ALL = List.of(KeyRange.all());

  @TempDir private Path directory;

  private static byte[] record(long tag, double key) {
    ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    return bytes.putDouble(key).putLong(tag).array();
  }

  @Test
  void sharesStayApartThoughOthersInsertBetweenTheSearches() throws IOException {
    int before = 1000;
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (RangeSearchFile file = RangeSearchFile.create(rank, "s", FORMAT)) {
            if (rank.number() == 0) {
              for (int tag = 0; tag < before; tag++) {
                file.insert(record(tag, tag));
              }
            }
            rank.barrier();
            long[] seen = new long[before];
            for (int turn = 0; turn < 2; turn++) {
              if (rank.number() == turn) {
                file.searchShare(
                    ALL,
                    (_, found) -> {
                      long tag = found.get(ValueLayout.JAVA_LONG_UNALIGNED, 8);
                      if (tag < before) {
                        seen[(int) tag]++;
                      }
                    });
              }
              rank.barrier();
              if (rank.number() == 0) { // the first leaves are divided: all others move on
                for (int i = 0; i < 300; i++) {
                  file.insert(record(before + i, i / 10.0));
                }
              }
              rank.barrier();
            }
            long[] times = rank.allReduce(seen, Long::sum);
            assertThat(Arrays.stream(times).boxed()).containsOnly(1L);
            assertThat(Arrays.stream(seen).sum()).isBetween(1L, before - 1L);
          }
        });
  }

  @Test
  void aFailureOfOneRankAtClosingIsAllRanksAndBothFilesAreClosed() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          RangeSearchFile file = RangeSearchFile.create(rank, "e", FORMAT);
          file.insert(record(rank.number(), 1));
          rank.barrier();
          if (rank.number() == 1) {
            file.file().close(); // so that it cannot be flushed
          }
          assertThatThrownBy(file::close)
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("rank 1");
          file.close(); // has been
          rank.barrier();
          rank.names().checkReplaceable("e"); // nobody has it open
          rank.names().checkReplaceable("e.index");
          rank.barrier();
          try (RangeSearchFile again = RangeSearchFile.open(rank, "e", FORMAT)) {
            assertThat(again.find(ALL)).hasSize(2);
          }
        });
  }
}
