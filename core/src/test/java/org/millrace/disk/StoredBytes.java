package org.millrace.disk;

import java.io.IOException;
import java.nio.file.Path;

/** How many bytes of strands a disk holds, in files and in the log. Stateless. */
public final class StoredBytes {

  private StoredBytes() {}

  public static long of(Path directory) throws IOException {
    try (FileDisk disk = FileDisk.open(directory)) {
      return of(disk);
    }
  }

  public static long of(Disk disk) throws IOException {
    long bytes = 0;
    for (StrandRecord record : StrandLogFile.peek(disk).values()) {
      if (record instanceof StrandRecord.Small small) {
        bytes += small.end();
      } else {
        try (DiskFile file = disk.open(record.id().dataFile())) {
          bytes += file.size();
        }
      }
    }
    return bytes;
  }
}
