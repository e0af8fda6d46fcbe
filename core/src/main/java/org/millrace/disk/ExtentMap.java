package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks the kernel for the places of a file on its disk, by {@code FIEMAP} (Linux,
 * Documentation/filesystems/fiemap.rst). The places are unknown if {@link NativeFile#isPossible} is
 * false, if the file system has no such map, and for bytes that have no place yet. Stateless.
 *
 * <pre>
 *   struct fiemap           0 start u64 | 8 length u64 | 16 flags u32 | 20 mapped u32
 *                          24 room u32  | 28 reserved  | 32 extents...
 *   struct fiemap_extent    0 logical u64 | 8 physical u64 | 16 length u64 | 24 reserved 16
 *                          40 flags u32   | 44 reserved 12
 * </pre>
 */
final class ExtentMap {

  /** More extents than this are not asked for: the rest of the file keeps its own order. */
  static final int MAX = 1 << 16;

  private static final long FS_IOC_FIEMAP = 0xC020660BL;
  private static final int HEADER_BYTES = 32;
  private static final int EXTENT_BYTES = 56;
  private static final int LAST = 0x1;

  /** UNKNOWN, DELALLOC, DATA_INLINE: bytes that have no place of their own, or none yet. */
  private static final int NO_PLACE = 0x2 | 0x4 | 0x200;

  /** Extents for which one call has room. */
  private static final int ROOM = 512;

  private ExtentMap() {}

  /** The stretches of {@code [from, to)} that have a place, in the order of the file. */
  static List<DiskExtent> of(Path path, long from, long to) throws IOException {
    if (from >= to || !NativeFile.isPossible()) {
      return List.of();
    }
    List<DiskExtent> found = new ArrayList<>();
    try (NativeFile file = new NativeFile(path, NativeFile.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      MemorySegment map = arena.allocate(HEADER_BYTES + (long) ROOM * EXTENT_BYTES, Long.BYTES);
      long at = from;
      while (at < to && found.size() < MAX) {
        map.fill((byte) 0);
        map.set(ValueLayout.JAVA_LONG, 0, at);
        map.set(ValueLayout.JAVA_LONG, 8, to - at);
        map.set(ValueLayout.JAVA_INT, 24, ROOM);
        if (file.ioctl(FS_IOC_FIEMAP, map) != 0) {
          return List.of(); // this file system does not tell
        }
        at = take(map, at, to, found);
      }
    }
    return List.copyOf(found);
  }

  /** Adds what one call brought and returns how far it went. */
  private static long take(MemorySegment map, long from, long to, List<DiskExtent> into) {
    int mapped = map.get(ValueLayout.JAVA_INT, 20);
    long reached = from;
    for (int i = 0; i < mapped; i++) {
      long extent = HEADER_BYTES + (long) i * EXTENT_BYTES;
      long logical = map.get(ValueLayout.JAVA_LONG, extent);
      long physical = map.get(ValueLayout.JAVA_LONG, extent + 8);
      long end = logical + map.get(ValueLayout.JAVA_LONG, extent + 16);
      int flags = map.get(ValueLayout.JAVA_INT, extent + 40);
      long first = Math.max(logical, from);
      long last = Math.min(end, to);
      if ((flags & NO_PLACE) == 0 && first < last) {
        into.add(new DiskExtent(first, last - first, physical + (first - logical)));
      }
      reached = Math.max(reached, end);
      if ((flags & LAST) != 0) {
        return to;
      }
    }
    return mapped < ROOM ? to : reached;
  }
}
