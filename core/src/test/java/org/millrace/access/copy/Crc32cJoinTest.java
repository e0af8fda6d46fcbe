package org.millrace.access.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class Crc32cJoinTest {

  private final byte[] bytes = new byte[70_000];

  Crc32cJoinTest() {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 + i / 251);
    }
  }

  @Test
  void checksumOfPartsIsThatOfTheWholeWhereverItIsCut() {
    for (int end : new int[] {0, 1, 2, 9, 64, 1000, 70_000}) {
      int whole = of(0, end);
      for (int cut : new int[] {0, 1, 2, 7, 8, 63, 999, 40_001, 70_000}) {
        if (cut <= end) {
          assertThat(Crc32cJoin.join(of(0, cut), of(cut, end), end - cut))
              .as("%d bytes cut at %d", end, cut)
              .isEqualTo(whole);
        }
      }
    }
  }

  @Test
  void zerosAreJoinedAsIfTheyWereThere() {
    for (int zeros : new int[] {0, 1, 2, 3, 64, 65, 1000, 65_535}) {
      byte[] whole = Arrays.copyOf(Arrays.copyOf(bytes, 100), 100 + zeros);
      assertThat(Crc32cJoin.joinZeros(of(0, 100), zeros))
          .as("%d zeros", zeros)
          .isEqualTo(Crc32cJoin.of(MemorySegment.ofArray(whole)));
    }
  }

  @Test
  void checksumIsThatOfTheStandard() {
    byte[] digits = "123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    assertThat(Crc32cJoin.of(MemorySegment.ofArray(digits))).isEqualTo(0xE3069283);
  }

  private int of(int from, int to) {
    return Crc32cJoin.of(MemorySegment.ofArray(bytes).asSlice(from, to - from));
  }
}
