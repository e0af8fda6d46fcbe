package org.millrace.disk;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Continues reading after a short transfer, until all bytes are read or the file ends. */
final class FullReads {

  private FullReads() {}

  /** Fills {@code into}; returns fewer bytes only if the file ends before. */
  static long full(DiskFile file, long position, MemorySegment into) throws IOException {
    long done = 0;
    while (done < into.byteSize()) {
      long moved = file.read(position + done, into.asSlice(done));
      if (moved == 0) {
        break;
      }
      done += moved;
    }
    return done;
  }

  /**
   * As {@link #full(DiskFile, long, MemorySegment)} into several segments, in one transfer unless
   * that came short.
   */
  static long full(DiskFile file, long position, List<MemorySegment> into) throws IOException {
    long total = 0;
    for (MemorySegment segment : into) {
      total += segment.byteSize();
    }
    long done = file.read(position, into);
    while (done > 0 && done < total) {
      long moved = file.read(position + done, after(into, done));
      if (moved == 0) {
        break;
      }
      done += moved;
    }
    return done;
  }

  private static List<MemorySegment> after(List<MemorySegment> segments, long done) {
    List<MemorySegment> rest = new ArrayList<>(segments.size());
    long start = 0;
    for (MemorySegment segment : segments) {
      long end = start + segment.byteSize();
      if (end > done) {
        rest.add(segment.asSlice(Math.max(0, done - start)));
      }
      start = end;
    }
    return rest;
  }
}
