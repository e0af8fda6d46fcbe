package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.error.DiskFullException;

/** A directory as a disk keeps the contract. */
final class FileDiskTest extends DiskContractTest {

  @TempDir Path directory;

  @Override
  Disk make() throws IOException {
    return FileDisk.open(directory);
  }

  @Test
  void moreRoomThanThereIsIsRefusedBeforeAnyIsTaken() throws IOException {
    Path own = Files.createDirectory(directory.resolve("own"));
    try (Disk disk = FileDisk.open(own);
        DiskFile file = disk.create("a")) {
      long free = Files.getFileStore(own).getUsableSpace();
      assertThatThrownBy(() -> file.preallocate(1L << 50)).isInstanceOf(DiskFullException.class);
      long left = Files.getFileStore(own).getUsableSpace();
      assertThat(left).as("others may have taken some").isGreaterThan(free / 2);
      file.write(0, MemorySegment.ofArray(new byte[1]));
    }
  }

  @Test
  void missingDirectoryIsNamed() {
    assertThatThrownBy(() -> FileDisk.open(directory.resolve("gone"))).hasMessageContaining("gone");
  }
}
