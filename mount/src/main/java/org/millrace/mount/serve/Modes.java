package org.millrace.mount.serve;

import org.millrace.files.FileKind;
import org.millrace.mount.system.Errno;

/** The bits of a mode that say what a file is. */
final class Modes {

  private static final int KIND = 0170000;

  private Modes() {}

  static int of(FileKind kind) {
    return switch (kind) {
      case PIPE -> 0010000;
      case CHARACTER_DEVICE -> 0020000;
      case DIRECTORY -> 0040000;
      case BLOCK_DEVICE -> 0060000;
      case FILE -> 0100000;
      case LINK -> 0120000;
      case SOCKET -> 0140000;
    };
  }

  /** The kind in an entry of a directory. */
  static int type(FileKind kind) {
    return of(kind) >> 12;
  }

  static FileKind kind(int mode) throws Refusal {
    for (FileKind kind : FileKind.values()) {
      if ((mode & KIND) == of(kind)) {
        return kind;
      }
    }
    throw new Refusal(Errno.EINVAL);
  }
}
