package org.millrace.heritage.pfs;

import java.io.IOException;

/** Where {@code lseek} and {@code lsize} mean, in shared files. Stateless. */
final class Places {

  private Places() {}

  /** Moves the pointer; returns where it stands then. */
  static long seek(PfsFile file, long offset, int whence) throws IOException {
    if (whence == Pfs.SEEK_END) {
      return seekToEnd(file, offset);
    }
    long position;
    try {
      position = Math.addExact(base(file, whence), offset);
      if (position < 0) {
        throw new PfsException(Epfsl.EPFSLREMOTE, "position " + position + " is negative");
      }
    } catch (ArithmeticException e) {
      throw refused(file, new PfsException(Epfsl.EPFSLREMOTE, "the offset is too large", e));
    } catch (PfsException e) {
      throw refused(file, e);
    }
    file.moveTo(position);
    return position;
  }

  private static long base(PfsFile file, int whence) throws IOException {
    return switch (whence) {
      case Pfs.SEEK_SET -> 0;
      case Pfs.SEEK_CUR -> file.position();
      // the page of lseek knows no EPFSLINVAL
      default -> throw new PfsException(Epfsl.EPFSLREMOTE, whence + " is none of 0, 1 and 2");
    };
  }

  /** Where all must go to one place they agree on the end first, which one may see later. */
  private static long seekToEnd(PfsFile file, long offset) throws IOException {
    try {
      return file.moveToEnd(offset);
    } catch (IllegalArgumentException | ArithmeticException e) { // the same on all who come
      throw new PfsException(Epfsl.EPFSLREMOTE, "beyond all positions: " + e.getMessage(), e);
    }
  }

  private static PfsException refused(PfsFile file, PfsException e) {
    if (file.mode().mode().seekSynchronizes()) {
      file.refuse(e, false);
    }
    return e;
  }

  /** Makes the file longer; returns its size. Waits for nobody. */
  static long size(PfsFile file, long offset, int whence) throws IOException {
    file.checkDirection(true);
    long end = file.end();
    long base =
        switch (whence) {
          case Pfs.SIZE_SET -> 0;
          case Pfs.SIZE_CUR -> file.pointer();
          case Pfs.SIZE_END -> end;
          default -> throw new PfsException(Epfsl.EPFSLINVAL, whence + " is none of 0, 1 and 2");
        };
    long size;
    try {
      size = Math.addExact(base, offset);
    } catch (ArithmeticException e) {
      throw new PfsException(Epfsl.EPFSLINVAL, "the offset is too large", e);
    }
    if (size <= end) {
      return end;
    }
    file.extend(size);
    return Math.max(size, file.end());
  }
}
