package org.millrace.heritage.mpiio;

import java.util.Arrays;
import org.millrace.heritage.mpiio.Call.Where;

/**
 * A file, its views and its pointers in a single process, byte by byte: every rank of a random
 * program keeps one and reckons what all ranks do. Belongs to the rank's thread.
 */
final class ProgramModel {

  /** How values lie in the file. */
  enum Representation {
    NATIVE("native"),
    EXTERNAL32("external32"),
    /** A mark, and then all bytes of the element the other way round. */
    MARKED("marked");

    static final byte MARK = 0x7e;

    final String word;

    Representation(String word) {
      this.word = word;
    }

    /** Bytes of the file for an element. */
    int width(int width) {
      return this == MARKED ? width + 1 : width;
    }

    /** Where byte {@code i} of an element's bytes in the file lies in memory; negative: a mark. */
    int inMemory(int i, TypeMap.Entry element) {
      return switch (this) {
        case NATIVE -> i;
        case EXTERNAL32 ->
            i / element.unit() * element.unit() + element.unit() - 1 - i % element.unit();
        case MARKED -> i == 0 ? -1 : element.width() - i;
      };
    }
  }

  byte[] bytes = new byte[0];
  final long[] own;
  long shared;
  final FileModel.Seen[] seen;
  final Representation representation;

  ProgramModel(int ranks, Representation representation) {
    own = new long[ranks];
    seen = new FileModel.Seen[ranks];
    this.representation = representation;
  }

  void view(int rank, FileModel.Seen view) {
    seen[rank] = view;
    own[rank] = 0;
    shared = 0;
  }

  void resize(int size) {
    bytes = Arrays.copyOf(bytes, size);
  }

  /** How many bytes of the file an access has. */
  long fileBytes(TypeMap map) {
    return map.elements().stream().mapToLong(one -> representation.width(one.width())).sum();
  }

  /** Where an access goes, in bytes of the view; moves the pointer. */
  long place(int rank, Where where, long offsetBytes, long length) {
    return switch (where) {
      case OFFSET -> offsetBytes;
      case POINTER -> (own[rank] += length) - length;
      case SHARED -> (shared += length) - length;
    };
  }

  void write(int rank, long start, byte[] memory, TypeMap map) {
    long position = start;
    for (TypeMap.Entry element : map.elements()) {
      int width = representation.width(element.width());
      for (int i = 0; i < width; i++) {
        int at = (int) seen[rank].offset(position + i);
        if (at >= bytes.length) {
          bytes = Arrays.copyOf(bytes, at + 1);
        }
        int from = representation.inMemory(i, element);
        bytes[at] = from < 0 ? Representation.MARK : memory[(int) element.at() + from];
      }
      position += width;
    }
  }

  /** Reads; returns how many bytes of memory came. What the end cuts stays as it lies, or away. */
  long read(int rank, long start, byte[] memory, TypeMap map) {
    long position = start;
    long moved = 0;
    for (TypeMap.Entry element : map.elements()) {
      int width = representation.width(element.width());
      boolean whole = seen[rank].offset(position + width - 1) < bytes.length;
      for (int i = 0; i < width; i++) {
        int at = (int) seen[rank].offset(position + i);
        if (at >= bytes.length) {
          return representation == Representation.MARKED ? moved : moved + i;
        }
        if (whole || representation != Representation.MARKED) {
          int to = whole ? representation.inMemory(i, element) : i;
          if (to >= 0) {
            memory[(int) element.at() + to] = bytes[at];
          }
        }
      }
      position += width;
      moved += element.width();
    }
    return moved;
  }

  /** The first position of a rank's view that lies behind the end. */
  long end(int rank) {
    long position = 0;
    while (seen[rank].offset(position) < bytes.length) {
      position++;
    }
    return position;
  }
}
