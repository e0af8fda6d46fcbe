package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * An open file of a {@link MemoryDisk}. Guarded by the disk's lock. Closing only invalidates this
 * handle.
 */
final class MemoryDiskFile implements DiskFile {

  // Constant after construction.
  private final MemoryDisk disk;
  private final String name;
  private final MemoryContent content;

  private boolean closed; // guarded by disk.lock

  MemoryDiskFile(MemoryDisk disk, String name, MemoryContent content) {
    this.disk = disk;
    this.name = name;
    this.content = content;
  }

  private interface Step {
    long on(MemoryContent content) throws IOException;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() throws IOException {
    return locked(MemoryContent::size);
  }

  @Override
  public long read(long position, MemorySegment into) throws IOException {
    DiskFileNames.checkRange(name, position, into.byteSize());
    return locked(c -> c.read(position, into));
  }

  @Override
  public long read(long position, List<MemorySegment> into) throws IOException {
    long total = 0;
    for (MemorySegment segment : into) {
      total += segment.byteSize();
    }
    DiskFileNames.checkRange(name, position, total);
    return locked(
        c -> {
          long done = 0;
          for (MemorySegment segment : into) {
            done += c.read(position + done, segment);
          }
          return done;
        });
  }

  @Override
  public void write(long position, MemorySegment from) throws IOException {
    DiskFileNames.checkRange(name, position, from.byteSize());
    locked(
        c -> {
          c.write(position, from);
          return 0;
        });
  }

  @Override
  public void resize(long size) throws IOException {
    DiskFileNames.checkRange(name, size, 0);
    locked(
        c -> {
          c.resize(size);
          return 0;
        });
  }

  /** {@inheritDoc} Memory is taken as bytes are written: this does nothing. */
  @Override
  public void preallocate(long size) throws IOException {
    DiskFileNames.checkRange(name, size, 0);
    locked(MemoryContent::size);
  }

  @Override
  public void force() throws IOException {
    locked(
        c -> {
          c.force();
          return 0;
        });
  }

  @Override
  public void close() {
    disk.lock.lock();
    try {
      closed = true;
    } finally {
      disk.lock.unlock();
    }
  }

  private long locked(Step step) throws IOException {
    disk.lock.lock();
    try {
      disk.checkOpen(name);
      if (closed) {
        throw new MillraceException(
            ErrorCode.CLOSED, "file " + name + " of disk " + disk.name() + " is closed");
      }
      return step.on(content);
    } finally {
      disk.lock.unlock();
    }
  }
}
