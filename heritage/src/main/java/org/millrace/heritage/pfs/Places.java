package org.millrace.heritage.pfs;

import java.io.IOException;

/** Where {@code lseek} and {@code lsize} mean. Stateless. */
final class Places {

  private Places() {}

  /** Moves the pointer; returns where it stands then. */
  static long seek(PfsFile file, long offset, int whence) throws IOException {
    if (whence == Pfs.SEEK_END) {
      return seekToEnd(file, offset);
    }
    long position;
    try {
      position = Math.addExact(base(file, whence, file.invalidSeek()), offset);
      if (position < 0) {
        throw new PfsException(file.invalidSeek(), "position " + position + " is negative");
      }
    } catch (ArithmeticException e) {
      throw refused(file, new PfsException(file.invalidSeek(), "the offset is too large", e));
    } catch (PfsException e) {
      throw refused(file, e);
    }
    file.seek(position);
    return position;
  }

  /** Where all must go to one place they agree on the end first, which one may see later. */
  private static long seekToEnd(PfsFile file, long offset) throws IOException {
    try {
      return file.seekToEnd(offset);
    } catch (IllegalArgumentException | ArithmeticException e) { // the same on all who come
      throw new PfsException(file.invalidSeek(), "beyond all positions: " + e.getMessage(), e);
    }
  }

  private static PfsException refused(PfsFile file, PfsException e) {
    if (file.mode().mode().seekSynchronizes()) {
      file.refuse(e, false);
    }
    return e;
  }

  /** Makes the file longer; returns its size. */
  static long size(PfsFile file, long offset, int whence) throws IOException {
    file.checkDirection(true);
    try {
      long size = Math.addExact(base(file, whence, Epfsl.EPFSLINVAL), offset);
      if (size > file.size()) {
        file.extend(size);
      }
      return file.size();
    } catch (ArithmeticException e) {
      throw new PfsException(Epfsl.EPFSLINVAL, "the offset is too large", e);
    }
  }

  private static long base(PfsFile file, int whence, Epfsl wrong) throws IOException {
    return switch (whence) {
      case Pfs.SEEK_SET -> 0;
      case Pfs.SEEK_CUR -> file.position();
      case Pfs.SEEK_END -> file.size();
      default -> throw new PfsException(wrong, whence + " is none of 0, 1 and 2");
    };
  }
}
