package org.millrace.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.disk.DiskFile;
import org.millrace.disk.MemoryDisk;

/** A plain file holds what a file of a memory disk holds. */
final class PlainFileTest {

  @Test
  void randomCallsLeaveWhatTheyLeaveOnAMemoryDisk() throws IOException {
    Random random = new Random(4);
    try (MemoryDisk disk = new MemoryDisk("d");
        DiskFile model = disk.create("a");
        DiskFile plain = new LeanDisk("p", PlainFile::new).create("a.strand")) {
      for (int i = 0; i < 2_000; i++) {
        long at = random.nextInt(300_000);
        byte[] bytes = new byte[random.nextInt(90_000)];
        if (random.nextInt(4) > 0) {
          random.nextBytes(bytes);
          model.write(at, MemorySegment.ofArray(bytes));
          plain.write(at, MemorySegment.ofArray(bytes));
        } else if (random.nextInt(3) == 0) {
          model.resize(at);
          plain.resize(at);
        }
        assertThat(plain.size()).isEqualTo(model.size());
        byte[] got = new byte[50_000];
        byte[] expected = new byte[50_000];
        assertThat(plain.read(at, MemorySegment.ofArray(got)))
            .isEqualTo(model.read(at, MemorySegment.ofArray(expected)));
        assertThat(got).isEqualTo(expected);
      }
    }
  }
}
