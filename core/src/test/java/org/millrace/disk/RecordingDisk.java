package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A disk that writes down which blocks of strands were read and written, in which order, and how
 * many transfers were under way at a time; blocks lie where a test says. Its content is another
 * disk's. Safe for use by several threads. The disk below stays the caller's to close.
 */
public final class RecordingDisk implements Disk {

  /** A transfer of neighbouring blocks. */
  public record Transfer(boolean write, long first, long count) {}

  /** Called when a transfer has begun, on its thread and without a lock. */
  public interface Watcher {
    /** {@code transfer} is about to reach the disk below. */
    void begun(Transfer transfer) throws IOException;
  }

  private final Disk below;
  private final int blockBytes;
  private final @Nullable LongUnaryOperator place;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Watcher watcher = _ -> {};

  // guarded by lock
  private final List<Transfer> transfers = new ArrayList<>();
  private final List<String> files = new ArrayList<>();
  private int underWay;
  private int maxUnderWay;
  private int asked;

  /**
   * A disk on which block b lies at the block {@code place(b)}, nowhere if that is negative, and
   * where the disk below says if there is no such function.
   */
  public RecordingDisk(Disk below, int blockBytes, @Nullable LongUnaryOperator place) {
    this.below = below;
    this.blockBytes = blockBytes;
    this.place = place;
  }

  /** A disk whose transfers are counted in bytes, as if each were a block. */
  public RecordingDisk(Disk below) {
    this(below, 1, null);
  }

  /** From now on {@code next} is called for each transfer. */
  public void watch(Watcher next) {
    watcher = next;
  }

  /** All transfers since {@link #forget}, in the order in which they began. */
  public List<Transfer> transfers() {
    lock.lock();
    try {
      return List.copyOf(transfers);
    } finally {
      lock.unlock();
    }
  }

  /** The same, and begins anew. */
  public List<Transfer> take() {
    lock.lock();
    try {
      List<Transfer> taken = List.copyOf(transfers);
      forget();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** The first blocks of all reads, or of all writes, in their order. */
  public List<Long> blocks(boolean written) {
    return transfers().stream().filter(one -> one.write == written).map(Transfer::first).toList();
  }

  /** The files of all transfers, in their order. */
  public List<String> files() {
    lock.lock();
    try {
      return List.copyOf(files);
    } finally {
      lock.unlock();
    }
  }

  /** How many transfers were under way at a time, at most. */
  public int maxUnderWay() {
    lock.lock();
    try {
      return maxUnderWay;
    } finally {
      lock.unlock();
    }
  }

  /** How often the disk was asked where a strand lies. */
  public int asked() {
    lock.lock();
    try {
      return asked;
    } finally {
      lock.unlock();
    }
  }

  /** Begins anew. */
  public void forget() {
    lock.lock();
    try {
      transfers.clear();
      files.clear();
      maxUnderWay = underWay;
      asked = 0;
    } finally {
      lock.unlock();
    }
  }

  private void begin(String file, Transfer transfer) throws IOException {
    lock.lock();
    try {
      transfers.add(transfer);
      files.add(file);
      underWay++;
      maxUnderWay = Math.max(maxUnderWay, underWay);
    } finally {
      lock.unlock();
    }
    watcher.begun(transfer);
  }

  private void end() {
    lock.lock();
    try {
      underWay--;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String name() {
    return below.name();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    return wrap(below.open(file));
  }

  @Override
  public DiskFile create(String file) throws IOException {
    return wrap(below.create(file));
  }

  private DiskFile wrap(DiskFile file) {
    return file.name().endsWith(".strand") ? new Recorded(file) : file;
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

  /** A file whose transfers are written down. */
  private final class Recorded implements DiskFile {

    private final DiskFile file;

    Recorded(DiskFile file) {
      this.file = file;
    }

    private Transfer transfer(boolean write, long position, long bytes) {
      long end = Math.ceilDiv(position + bytes, blockBytes);
      return new Transfer(write, position / blockBytes, end - position / blockBytes);
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
      try {
        begin(name(), transfer(false, position, into.byteSize()));
        return file.read(position, into);
      } finally {
        end();
      }
    }

    @Override
    public long read(long position, List<MemorySegment> into) throws IOException {
      long bytes = into.stream().mapToLong(MemorySegment::byteSize).sum();
      try {
        begin(name(), transfer(false, position, bytes));
        return file.read(position, into);
      } finally {
        end();
      }
    }

    @Override
    public void write(long position, MemorySegment from) throws IOException {
      try {
        begin(name(), transfer(true, position, from.byteSize()));
        file.write(position, from);
      } finally {
        end();
      }
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
    public List<DiskExtent> placements(long from, long to) throws IOException {
      lock.lock();
      try {
        asked++;
      } finally {
        lock.unlock();
      }
      if (place == null) {
        return file.placements(from, to);
      }
      List<DiskExtent> found = new ArrayList<>();
      for (long at = from; at < to; at = at - at % blockBytes + blockBytes) {
        long length = Math.min(to, at - at % blockBytes + blockBytes) - at;
        long where = place.applyAsLong(at / blockBytes);
        if (where >= 0) {
          found.add(new DiskExtent(at, length, where * blockBytes + at % blockBytes));
        }
      }
      return found;
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
