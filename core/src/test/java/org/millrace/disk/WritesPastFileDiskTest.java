package org.millrace.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract where writes go past the page cache and reads through it: one file, two ways. */
final class WritesPastFileDiskTest extends DiskContractTest {

  @TempDir Path directory;

  @Override
  Disk make() throws IOException {
    return FileDisk.open(directory, new FileDisk.Options(false, true));
  }
}
