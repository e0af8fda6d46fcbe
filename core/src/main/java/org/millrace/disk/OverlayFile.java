package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** An open file of an {@link OverlayDisk}. Guarded by the disk's lock. */
final class OverlayFile implements DiskFile {

  // constant after construction
  private final OverlayDisk disk;
  private final String name;
  private final OverlayContent content;

  private boolean closed; // guarded by disk.lock

  OverlayFile(OverlayDisk disk, String name, OverlayContent content) {
    this.disk = disk;
    this.name = name;
    this.content = content;
  }

  private interface Step {
    long take() throws IOException;
  }

  private long locked(Step step) throws IOException {
    disk.lock.lock();
    try {
      disk.requireOpen();
      if (closed) {
        throw new MillraceException(
            ErrorCode.CLOSED, "file " + name + " of disk " + disk.name() + " is closed");
      }
      return step.take();
    } finally {
      disk.lock.unlock();
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() throws IOException {
    return locked(content::size);
  }

  @Override
  public long read(long position, MemorySegment into) throws IOException {
    DiskFileNames.checkRange(name, position, into.byteSize());
    return locked(() -> content.read(position, into));
  }

  @Override
  public long read(long position, List<MemorySegment> into) throws IOException {
    return locked(() -> content.read(position, into));
  }

  @Override
  public void write(long position, MemorySegment from) throws IOException {
    DiskFileNames.checkRange(name, position, from.byteSize());
    locked(
        () -> {
          content.write(position, from);
          return 0;
        });
  }

  @Override
  public void resize(long size) throws IOException {
    DiskFileNames.checkRange(name, size, 0);
    locked(
        () -> {
          content.resize(size);
          return 0;
        });
  }

  @Override
  public void preallocate(long size) throws IOException {
    locked(content::size); // memory is taken as bytes are written
  }

  @Override
  public void force() throws IOException {
    locked(content::size); // nothing lasts
  }

  @Override
  public void close() throws IOException {
    disk.lock.lock();
    try {
      if (!closed) {
        closed = true;
        disk.released(name, content);
      }
    } finally {
      disk.lock.unlock();
    }
  }
}
