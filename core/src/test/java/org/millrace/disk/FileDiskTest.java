package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory as a disk keeps the contract. */
final class FileDiskTest extends DiskContractTest {

  @TempDir Path directory;

  @Override
  Disk make() throws IOException {
    return FileDisk.open(directory);
  }

  @Test
  void missingDirectoryIsNamed() {
    assertThatThrownBy(() -> FileDisk.open(directory.resolve("gone"))).hasMessageContaining("gone");
  }
}
