package org.millrace.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** A directory as a disk, past the page cache where it can, keeps the contract. */
final class DirectFileDiskTest extends DiskContractTest {

  @TempDir Path directory;

  @Override
  Disk make() throws IOException {
    return FileDisk.open(directory, new FileDisk.Options(true, true));
  }
}
