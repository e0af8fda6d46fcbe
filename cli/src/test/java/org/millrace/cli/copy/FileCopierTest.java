package org.millrace.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.error.CorruptBlockException;

final class FileCopierTest {

  @Test
  void aLocalFileIsWrittenInPiecesForWhichTheKernelTakesLittleMemoryAtOnce() throws Exception {
    byte[] source = new byte[2 * FileCopier.WRITE_BYTES + 5];
    new Random(1).nextBytes(source);
    byte[] written = new byte[7 + source.length];
    List<Integer> offered = new ArrayList<>();
    FileCopier.writeAll(
        (from, position) -> {
          offered.add(from.remaining());
          int count = Math.min(from.remaining(), 200_000); // a write may take less than all
          from.get(written, (int) position, count);
          return count;
        },
        7,
        MemorySegment.ofArray(source));
    assertThat(offered).allMatch(count -> count <= FileCopier.WRITE_BYTES);
    assertThat(Arrays.copyOfRange(written, 7, written.length)).isEqualTo(source);
  }

  @Test
  void damageIsTold() throws Exception {
    FileCopier.compare("x", new FileCopier.Load(3, 7), new FileCopier.Load(3, 7));
    assertThatThrownBy(
            () -> FileCopier.compare("x", new FileCopier.Load(3, 7), new FileCopier.Load(3, 8)))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessage(
            "x is damaged: 3 bytes with checksum 00000007 were sent, 3 bytes with checksum 00000008"
                + " arrived; nothing was kept, try again");
  }
}
