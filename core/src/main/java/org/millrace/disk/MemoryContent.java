package org.millrace.disk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * The bytes of a file of a {@link MemoryDisk}, by sectors: the current ones, those last forced, and
 * all contents of changed sectors in between. An absent sector is zero. Guarded by the disk's lock.
 */
final class MemoryContent {

  /** What a disk writes whole or not at all. */
  static final int SECTOR_BYTES = 512;

  private static final byte[] ZEROS = new byte[SECTOR_BYTES];

  /**
   * More versions of one sector than this are thinned out: the first and the latest are what
   * matters most.
   */
  private static final int MAX_VERSIONS = 4;

  private final TreeMap<Long, byte[]> sectors = new TreeMap<>();
  private long size;

  /**
   * For each sector changed since the last force: what it held at the force and after each change.
   */
  private final TreeMap<Long, List<byte[]>> versions = new TreeMap<>();

  private final List<Long> sizes = new ArrayList<>(List.of(0L));

  long size() {
    return size;
  }

  long read(long position, MemorySegment into) {
    long bytes = Math.max(0, Math.min(into.byteSize(), size - position));
    long done = 0;
    while (done < bytes) {
      long sector = (position + done) / SECTOR_BYTES;
      int from = (int) ((position + done) % SECTOR_BYTES);
      int count = (int) Math.min(SECTOR_BYTES - from, bytes - done);
      byte[] held = sectors.getOrDefault(sector, ZEROS);
      MemorySegment.copy(held, from, into, ValueLayout.JAVA_BYTE, done, count);
      done += count;
    }
    return bytes;
  }

  void write(long position, MemorySegment from) {
    long bytes = from.byteSize();
    long done = 0;
    while (done < bytes) {
      long sector = (position + done) / SECTOR_BYTES;
      int start = (int) ((position + done) % SECTOR_BYTES);
      int count = (int) Math.min(SECTOR_BYTES - start, bytes - done);
      byte[] changed = sectors.getOrDefault(sector, ZEROS).clone();
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, done, changed, start, count);
      change(sector, changed);
      done += count;
    }
    if (bytes > 0) {
      moveEnd(Math.max(size, position + bytes));
    }
  }

  void resize(long to) {
    if (to < size) {
      long first = to / SECTOR_BYTES;
      int kept = (int) (to % SECTOR_BYTES);
      for (long sector : List.copyOf(sectors.tailMap(first).keySet())) {
        byte[] cut = ZEROS;
        if (sector == first) {
          cut = new byte[SECTOR_BYTES];
          System.arraycopy(sectors.getOrDefault(sector, ZEROS), 0, cut, 0, kept);
        }
        change(sector, cut);
      }
    }
    moveEnd(to);
  }

  void force() {
    versions.clear();
    sizes.clear();
    sizes.add(size);
  }

  /** A copy of what is durable. */
  MemoryContent durable() {
    return survive(sizes.getFirst(), any -> any.getFirst());
  }

  /** A copy of what is durable and, as {@code random} draws, of what is not. */
  MemoryContent torn(RandomGenerator random) {
    // Now and then all of one kind, because even mixtures alone would hardly ever leave a whole
    // block old or new.
    int luck = random.nextInt(4);
    long end = sizes.get(pick(sizes.size(), luck, random));
    return survive(end, any -> any.get(pick(any.size(), luck, random)));
  }

  private static int pick(int size, int luck, RandomGenerator random) {
    return switch (luck) {
      case 0 -> random.nextInt(8) == 0 ? size - 1 : 0;
      case 1 -> random.nextInt(8) == 0 ? 0 : size - 1;
      default -> random.nextInt(size);
    };
  }

  private interface Choice {
    byte[] of(List<byte[]> versions);
  }

  private MemoryContent survive(long end, Choice choice) {
    MemoryContent after = new MemoryContent();
    after.sectors.putAll(sectors);
    versions.forEach((sector, any) -> after.set(sector, choice.of(any)));
    after.size = Math.max(end, 0);
    after.dropBeyondEnd();
    after.force();
    return after;
  }

  private void dropBeyondEnd() {
    long first = size / SECTOR_BYTES;
    byte[] edge = sectors.get(first);
    sectors.tailMap(first).clear();
    if (edge != null && size % SECTOR_BYTES != 0) {
      byte[] cut = new byte[SECTOR_BYTES];
      System.arraycopy(edge, 0, cut, 0, (int) (size % SECTOR_BYTES));
      sectors.put(first, cut);
    }
  }

  private void change(long sector, byte[] to) {
    List<byte[]> known = versions.computeIfAbsent(sector, s -> new ArrayList<>(2));
    if (known.isEmpty()) {
      known.add(sectors.getOrDefault(sector, ZEROS));
    }
    if (known.size() >= MAX_VERSIONS) {
      known.remove(1);
    }
    known.add(to);
    set(sector, to);
  }

  private void set(long sector, byte[] to) {
    if (Arrays.equals(to, ZEROS)) {
      sectors.remove(sector);
    } else {
      sectors.put(sector, to);
    }
  }

  private void moveEnd(long to) {
    if (to != size) {
      size = to;
      if (sizes.size() < 1000) {
        sizes.add(to);
      } else {
        sizes.set(sizes.size() - 1, to);
      }
    }
  }
}
