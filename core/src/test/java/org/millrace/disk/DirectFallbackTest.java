package org.millrace.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIf;

/** A file system in memory may refuse direct transfers: the contract holds all the same. */
@EnabledIf("hasMemoryFileSystem")
final class DirectFallbackTest extends DiskContractTest {

  private static final Path MEMORY = Path.of("/dev/shm");

  private Path directory = MEMORY;

  static boolean hasMemoryFileSystem() {
    return Files.isWritable(MEMORY);
  }

  @Override
  Disk make() throws IOException {
    directory = Files.createTempDirectory(MEMORY, "millrace");
    return FileDisk.open(directory, new FileDisk.Options(true, true));
  }

  @AfterEach
  void clean() throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
