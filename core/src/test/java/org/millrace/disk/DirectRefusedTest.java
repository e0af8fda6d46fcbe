package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where direct transfers are refused, here because of a wrong alignment, plain ones take their
 * place.
 */
final class DirectRefusedTest {

  @Test
  void refusedDirectTransferIsDoneThroughThePageCache(@TempDir Path directory) throws IOException {
    Path path = directory.resolve("a");
    try (FileDisk disk = FileDisk.open(directory);
        Arena arena = Arena.ofShared()) {
      try (FileDiskFile file =
          FileDiskFile.open(
              disk,
              path,
              1,
              new FileDisk.Options(true, true),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE)) {
        MemorySegment odd = arena.allocate(1000).asSlice(1, 77).fill((byte) 5);
        file.write(3, odd);
        MemorySegment read = arena.allocate(80);
        assertThat(file.read(0, read)).isEqualTo(80);
        assertThat(read.get(ValueLayout.JAVA_BYTE, 79)).isEqualTo((byte) 5);
      }
    }
  }
}
