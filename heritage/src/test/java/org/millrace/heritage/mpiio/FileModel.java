package org.millrace.heritage.mpiio;

import java.util.Arrays;
import java.util.List;
import org.millrace.heritage.mpiio.Call.Where;

/**
 * A file, its views and its pointers as plain arrays: every rank keeps one and reckons what all
 * ranks do. Belongs to the rank's thread.
 */
final class FileModel {

  /** A view byte by byte: offsets of one tile, and from one tile to the next. */
  record Seen(long disp, List<Long> tile, long extent) {

    long offset(long position) {
      return disp + position / tile.size() * extent + tile.get((int) (position % tile.size()));
    }
  }

  byte[] bytes = new byte[0];
  final long[] own;
  long shared;
  final Seen[] seen;
  final boolean bigEndian;

  FileModel(int ranks, boolean bigEndian) {
    own = new long[ranks];
    seen = new Seen[ranks];
    this.bigEndian = bigEndian;
  }

  void view(int rank, Seen view) {
    seen[rank] = view;
    own[rank] = 0;
    shared = 0;
  }

  /** Where an access goes, in bytes of the view; moves the pointer. */
  long place(int rank, Where where, long offsetBytes, long length) {
    return switch (where) {
      case OFFSET -> offsetBytes;
      case POINTER -> {
        own[rank] += length;
        yield own[rank] - length;
      }
      case SHARED -> {
        shared += length;
        yield shared - length;
      }
    };
  }

  void write(int rank, long start, byte[] memory, TypeMap map) {
    long position = start;
    for (TypeMap.Entry entry : map.elements()) {
      for (int i = 0; i < entry.width(); i++) {
        long at = seen[rank].offset(position + inFile(i, entry.width()));
        if (at >= bytes.length) {
          bytes = Arrays.copyOf(bytes, (int) at + 1);
        }
        bytes[(int) at] = memory[(int) entry.at() + i];
      }
      position += entry.width();
    }
  }

  /** Reads; returns how many bytes were there. Elements cut by the end are not turned round. */
  long read(int rank, long start, byte[] memory, TypeMap map) {
    long position = start;
    for (TypeMap.Entry entry : map.elements()) {
      boolean whole = seen[rank].offset(position + entry.width() - 1) < bytes.length;
      for (int i = 0; i < entry.width(); i++) {
        long at = seen[rank].offset(position + i);
        if (at >= bytes.length) {
          return position + i - start;
        }
        int to = whole ? inFile(i, entry.width()) : i;
        memory[(int) entry.at() + to] = bytes[(int) at];
      }
      position += entry.width();
    }
    return position - start;
  }

  private int inFile(int i, int width) {
    return bigEndian ? width - 1 - i : i;
  }
}
