package org.millrace.sim.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.env.Env;
import org.millrace.env.Work;

/**
 * A disk whose content is another's, and whose transfers take as long as a {@link DiskModel} says:
 * one at a time, in the order of coming. Data files lie on the modelled disk; names, checksums and
 * journals cost nothing, as if they were kept in memory that does not forget.
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

  private static final long BLOCK = 8 << 10;
  private static final String DATA = ".strand";

  // constant after construction
  private final Env env;
  private final Disk content;
  private final DiskModel model;
  private final Placing placing;
  private final ReentrantLock arm = new ReentrantLock(true);

  // guarded by arm
  private final Map<String, Long> starts = new HashMap<>();
  private long nextStart;
  private long busyNanos;
  private long busyUntil;
  private long transfers;
  private long bytes;

  /** An idle disk with the content of another. */
  public SimDisk(Env env, Disk content, DiskModel model, Placing placing) {
    this.env = env;
    this.content = content;
    this.model = model;
    this.placing = placing;
  }

  /** For how long it was busy, how often, and for how many bytes. */
  public record Report(long busyNanos, long transfers, long bytes) {}

  /** What it has done. */
  public Report report() {
    arm.lock();
    try {
      return new Report(busyNanos, transfers, bytes);
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
      sleepUntil(begin(file, position, length, write));
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
        long end = placing == Placing.CONTIGUOUS ? position + length : at - at % BLOCK + BLOCK;
        long piece = Math.min(end, position + length) - at;
        done = model.finish(done, place(file, at), piece, write);
        at += piece;
      }
      busyNanos += Math.max(0, done - Math.max(began, busyUntil));
      busyUntil = Math.max(busyUntil, done);
      transfers++;
      bytes += length;
      if (!model.isParallel()) {
        sleepUntil(done); // the arm is not free before
      }
      return done;
    } finally {
      arm.unlock();
    }
  }

  /** Waits until nothing that was written is in the disk's own buffer only. */
  private void settle() {
    arm.lock();
    try {
      sleepUntil(model.settled(env.nanoTime()));
    } finally {
      arm.unlock();
    }
  }

  private long place(String file, long position) {
    if (placing == Placing.RANDOM) {
      long blocks = model.capacityBytes() / BLOCK;
      long block = mix(file.hashCode() * 31L + position / BLOCK);
      return Math.floorMod(block, blocks) * BLOCK + position % BLOCK;
    }
    long start = starts.computeIfAbsent(file, _ -> nextStart);
    nextStart = Math.max(nextStart, start + (position / BLOCK + 1) * BLOCK);
    return Math.floorMod(start + position, model.capacityBytes() - BLOCK);
  }

  private static long mix(long z) {
    long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
    return b ^ (b >>> 31);
  }

  private void sleepUntil(long instant) {
    boolean interrupted = false;
    while (env.nanoTime() < instant) {
      try {
        env.sleep(instant - env.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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
