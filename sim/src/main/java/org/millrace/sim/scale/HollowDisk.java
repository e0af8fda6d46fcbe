package org.millrace.sim.scale;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.MemoryDisk;

/**
 * A disk that keeps everything but the bytes of strands: names, sizes and checksums. Strands read
 * as zero, so whoever writes anything else is told of a damaged block. It stands for a disk with
 * the same calls and the same course, as {@code TrialTest} shows, but not for what is on it.
 * Thousands of these fit into memory.
 *
 * <p>For threads of one seeded environment, which run one at a time.
 */
final class HollowDisk implements Disk {

  private static final String DATA = ".strand";

  // constant after construction
  private final Disk others;

  // owned by whichever thread runs
  private final Map<String, Hollow> strands = new HashMap<>();

  HollowDisk(String name) {
    this.others = new MemoryDisk(name);
  }

  @Override
  public String name() {
    return others.name();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    Hollow strand = strands.get(file);
    return strand == null ? others.open(file) : strand;
  }

  @Override
  public DiskFile create(String file) throws IOException {
    DiskFile made = others.create(file);
    if (!file.endsWith(DATA)) {
      return made;
    }
    made.close();
    Hollow strand = new Hollow(file);
    strands.put(file, strand);
    return strand;
  }

  @Override
  public boolean exists(String file) throws IOException {
    return others.exists(file);
  }

  @Override
  public void delete(String file) throws IOException {
    others.delete(file);
    strands.remove(file);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    others.rename(from, to);
    Hollow strand = strands.remove(from);
    if (strand != null) {
      strands.put(to, strand);
    }
  }

  @Override
  public List<String> list() throws IOException {
    return others.list();
  }

  @Override
  public void force() throws IOException {
    others.force();
  }

  @Override
  public void close() throws IOException {
    others.close();
  }

  @Override
  public String toString() {
    return others.toString();
  }

  /** A file of zeros. Nothing is held, so closing does nothing. */
  private static final class Hollow implements DiskFile {

    private final String name;
    private long size;

    Hollow(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public long read(long position, MemorySegment into) {
      long count = Math.clamp(size - position, 0, into.byteSize());
      into.asSlice(0, count).fill((byte) 0);
      return count;
    }

    @Override
    public long read(long position, List<MemorySegment> into) {
      long count = 0;
      for (MemorySegment one : into) {
        count += read(position + count, one);
      }
      return count;
    }

    @Override
    public void write(long position, MemorySegment from) {
      size = Math.max(size, position + from.byteSize());
    }

    @Override
    public void resize(long newSize) {
      size = newSize;
    }

    @Override
    public void preallocate(long newSize) {}

    @Override
    public void force() {}

    @Override
    public void close() {}
  }
}
