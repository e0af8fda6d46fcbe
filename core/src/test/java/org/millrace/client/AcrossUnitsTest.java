package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;

/** Small accesses that lie in one stripe unit, in two, and across the end of the file. */
class AcrossUnitsTest {

  private static final int UNIT = 8;
  private static final int REACH = 6 * UNIT;

  @TempDir Path dir;

  @Test
  void everySmallRangeIsReadAsAByteArrayWouldGiveIt() throws Exception {
    try (Cluster cluster = Cluster.embedded(dir, 3)) {
      cluster.run(
          1,
          rank -> {
            for (int size = 0; size <= 4 * UNIT; size++) {
              try (SharedFile file =
                  rank.open("r" + size, OpenOptions.create().withStripeUnit(UNIT))) {
                byte[] content = content(size);
                file.at(0).write(MemorySegment.ofArray(content));
                checkAllRanges(file, content);
              }
            }
          });
    }
  }

  @Test
  void everySmallWriteChangesItsOwnBytesOnly() throws Exception {
    try (Cluster cluster = Cluster.embedded(dir, 3)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("w", OpenOptions.create().withStripeUnit(UNIT))) {
              byte[] expected = content(REACH);
              file.at(0).write(MemorySegment.ofArray(expected));
              byte next = 1;
              for (int from = 0; from < REACH; from++) {
                for (int length = 0; length <= 2 * UNIT && from + length <= REACH; length++) {
                  byte[] written = new byte[length];
                  Arrays.fill(written, next++);
                  System.arraycopy(written, 0, expected, from, length);
                  assertThat(file.at(from).write(MemorySegment.ofArray(written))).isEqualTo(length);
                  byte[] all = new byte[REACH];
                  file.at(0).read(MemorySegment.ofArray(all));
                  assertThat(all).as("after %d bytes at %d", length, from).isEqualTo(expected);
                }
              }
              assertThat(file.size()).isEqualTo(REACH);
            }
          });
    }
  }

  @Test
  void holeBeforeALaterStrandReadsAsZeros() throws Exception {
    try (Cluster cluster = Cluster.embedded(dir, 3)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("h", OpenOptions.create().withStripeUnit(UNIT))) {
              byte[] expected = new byte[3 * UNIT];
              expected[3 * UNIT - 1] = 7;
              file.at(3 * UNIT - 1).write(MemorySegment.ofArray(new byte[] {7}));
              checkAllRanges(file, expected);
            }
          });
    }
  }

  private static void checkAllRanges(SharedFile file, byte[] content) throws Exception {
    for (int from = 0; from <= REACH; from++) {
      for (int length = 0; length <= 2 * UNIT; length++) {
        byte[] into = new byte[length];
        Arrays.fill(into, (byte) -1);
        int there = Math.clamp(content.length - from, 0, length);
        byte[] expected = into.clone();
        System.arraycopy(content, Math.min(from, content.length), expected, 0, there);
        long got = file.at(from).read(MemorySegment.ofArray(into));
        assertThat(got).as("%d bytes at %d of %d", length, from, content.length).isEqualTo(there);
        assertThat(into)
            .as("%d bytes at %d of %d", length, from, content.length)
            .isEqualTo(expected);
      }
    }
  }

  private static byte[] content(int size) {
    byte[] content = new byte[size];
    for (int i = 0; i < size; i++) {
      content[i] = (byte) (100 + i);
    }
    return content;
  }
}
