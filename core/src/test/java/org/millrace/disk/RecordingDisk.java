package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A disk that notes which bytes of the strands' data it is asked for, and passes everything on.
 * Safe for use by several threads; the disk below stays the caller's to close.
 */
public final class RecordingDisk implements Disk {

  /** A transfer of a strand's bytes. */
  public record Moved(boolean write, long position, long length) {}

  private final Disk below;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<Moved> moved = new ArrayList<>();

  /** Over another disk. */
  public RecordingDisk(Disk below) {
    this.below = below;
  }

  /** What was moved since the last call of this. */
  public List<Moved> takeMoved() {
    lock.lock();
    try {
      List<Moved> taken = List.copyOf(moved);
      moved.clear();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void note(String file, boolean write, long position, long length) {
    if (file.endsWith(".strand")) {
      lock.lock();
      try {
        moved.add(new Moved(write, position, length));
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public String name() {
    return below.name();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    return new RecordingFile(below.open(file));
  }

  @Override
  public DiskFile create(String file) throws IOException {
    return new RecordingFile(below.create(file));
  }

  @Override
  public boolean exists(String file) throws IOException {
    return below.exists(file);
  }

  @Override
  public void delete(String file) throws IOException {
    below.delete(file);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    below.rename(from, to);
  }

  @Override
  public List<String> list() throws IOException {
    return below.list();
  }

  @Override
  public void force() throws IOException {
    below.force();
  }

  @Override
  public void close() {}

  private final class RecordingFile implements DiskFile {

    private final DiskFile file;

    RecordingFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public long read(long position, MemorySegment into) throws IOException {
      note(name(), false, position, into.byteSize());
      return file.read(position, into);
    }

    @Override
    public long read(long position, List<MemorySegment> into) throws IOException {
      long bytes = into.stream().mapToLong(MemorySegment::byteSize).sum();
      note(name(), false, position, bytes);
      return file.read(position, into);
    }

    @Override
    public void write(long position, MemorySegment from) throws IOException {
      note(name(), true, position, from.byteSize());
      file.write(position, from);
    }

    @Override
    public void resize(long size) throws IOException {
      file.resize(size);
    }

    @Override
    public void preallocate(long size) throws IOException {
      file.preallocate(size);
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
