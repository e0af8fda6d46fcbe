package org.millrace.sim.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskExtent;
import org.millrace.disk.DiskFile;
import org.millrace.env.Env;
import org.millrace.env.Work;
import org.millrace.sim.machine.Waiting;

/**
 * A disk that stores its content on another one, and whose transfers take as long as a {@link
 * DiskModel} says: one at a time, in order of arrival. Data files lie on the modelled disk; names,
 * checksums and journals cost nothing, as if they were in non-volatile memory.
 *
 * <p>For threads of one seeded environment.
 */
public final class SimDisk implements Disk {

  /** Where blocks of files lie. */
  public enum Placing {
    /** One after the other. */
    CONTIGUOUS,
    /** Anywhere. */
    RANDOM
  }

  /** What lies in one place, unless told otherwise. */
  private static final long BLOCK = 8 << 10;

  private static final String DATA = ".strand";

  // constant after construction
  private final Env env;
  private final Disk content;
  private final DiskModel model;
  private final Placing placing;
  private final long blockBytes;
  private final ReentrantLock arm = new ReentrantLock(true);

  // guarded by arm
  private final Map<String, Long> starts = new HashMap<>();
  private long nextStart;
  private long busyNanos;
  private long busyUntil;
  private long pathNanos;
  private long reads;
  private long writes;
  private long bytes;

  /** An idle disk with the content of another, and blocks of 8 KB. */
  public SimDisk(Env env, Disk content, DiskModel model, Placing placing) {
    this(env, content, model, placing, BLOCK);
  }

  /**
   * An idle disk with the content of another.
   *
   * @param blockBytes of a file that lie in one place, wherever that is
   */
  public SimDisk(Env env, Disk content, DiskModel model, Placing placing, long blockBytes) {
    this.env = env;
    this.content = content;
    this.model = model;
    this.placing = placing;
    this.blockBytes = blockBytes;
  }

  /**
   * What a disk has done.
   *
   * @param busyNanos for how long it was busy
   * @param pathNanos for how long the path to it was: the bus
   * @param reads transfers from it
   * @param writes transfers to it
   * @param bytes of all transfers
   */
  public record Report(long busyNanos, long pathNanos, long reads, long writes, long bytes) {

    /** All transfers. */
    public long transfers() {
      return reads + writes;
    }
  }

  /** What it has done. */
  public Report report() {
    arm.lock();
    try {
      return new Report(busyNanos, pathNanos, reads, writes, bytes);
    } finally {
      arm.unlock();
    }
  }

  @Override
  public String name() {
    return content.name();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    return wrap(content.open(file));
  }

  @Override
  public DiskFile create(String file) throws IOException {
    return wrap(content.create(file));
  }

  private DiskFile wrap(DiskFile file) {
    return file.name().endsWith(DATA) ? new TimedFile(file) : file;
  }

  @Override
  public boolean exists(String file) throws IOException {
    return content.exists(file);
  }

  @Override
  public void delete(String file) throws IOException {
    content.delete(file);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    content.rename(from, to);
  }

  @Override
  public List<String> list() throws IOException {
    return content.list();
  }

  @Override
  public void force() throws IOException {
    content.force();
  }

  @Override
  public void close() throws IOException {
    content.close();
  }

  @Override
  public String toString() {
    return content.toString();
  }

  private void transfer(String file, long position, long length, boolean write) {
    if (length > 0) {
      env.charge(Work.TRANSFER, 1);
      Waiting.until(env, begin(file, position, length, write));
    }
  }

  /** Begins a transfer; returns when it will be done. */
  private long begin(String file, long position, long length, boolean write) {
    arm.lock();
    try {
      long began = env.nanoTime();
      long done = began;
      long at = position;
      while (at < position + length) {
        long end =
            placing == Placing.CONTIGUOUS ? position + length : at - at % blockBytes + blockBytes;
        long piece = Math.min(end, position + length) - at;
        done = model.finish(done, place(file, at), piece, write);
        at += piece;
      }
      busyFrom(began, done);
      pathNanos += model.pathNanos(length, write);
      reads += write ? 0 : 1;
      writes += write ? 1 : 0;
      bytes += length;
      if (!model.isParallel()) {
        Waiting.until(env, done); // the arm is not free before
      }
      return done;
    } finally {
      arm.unlock();
    }
  }

  private void busyFrom(long from, long to) {
    busyNanos += Math.max(0, to - Math.max(from, busyUntil));
    busyUntil = Math.max(busyUntil, to);
  }

  /** Waits until nothing that was written is in the disk's own buffer only. */
  private void settle() {
    arm.lock();
    try {
      long settled = model.settled(env.nanoTime());
      busyFrom(env.nanoTime(), settled);
      Waiting.until(env, settled);
    } finally {
      arm.unlock();
    }
  }

  private long place(String file, long position) {
    if (placing == Placing.RANDOM) {
      long blocks = model.capacityBytes() / blockBytes;
      long block = mix(file.hashCode() * 31L + position / blockBytes);
      return Math.floorMod(block, blocks) * blockBytes + position % blockBytes;
    }
    long start = starts.computeIfAbsent(file, _ -> nextStart);
    nextStart = Math.max(nextStart, start + (position / blockBytes + 1) * blockBytes);
    return Math.floorMod(start + position, model.capacityBytes() - blockBytes);
  }

  /** Where a range of a file lies, as the model has it. */
  private List<DiskExtent> places(String file, long from, long to) {
    List<DiskExtent> found = new ArrayList<>();
    arm.lock();
    try {
      for (long at = from; at < to; ) {
        long end = Math.min(to, at - at % blockBytes + blockBytes);
        found.add(new DiskExtent(at, end - at, place(file, at)));
        at = end;
      }
    } finally {
      arm.unlock();
    }
    return found;
  }

  private static long mix(long z) {
    long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
    return b ^ (b >>> 31);
  }

  /** A file whose transfers take time. */
  private final class TimedFile implements DiskFile {

    private final DiskFile file;

    TimedFile(DiskFile file) {
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
      long got = file.read(position, into);
      transfer(name(), position, got, false);
      return got;
    }

    @Override
    public long read(long position, List<MemorySegment> into) throws IOException {
      long got = file.read(position, into);
      transfer(name(), position, got, false);
      return got;
    }

    @Override
    public void write(long position, MemorySegment from) throws IOException {
      transfer(name(), position, from.byteSize(), true);
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
    public List<DiskExtent> placements(long from, long to) {
      return places(name(), from, to);
    }

    @Override
    public void force() throws IOException {
      settle();
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
