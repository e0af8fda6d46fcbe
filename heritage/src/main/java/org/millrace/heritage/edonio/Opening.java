package org.millrace.heritage.edonio;

import org.jspecify.annotations.Nullable;
import org.millrace.client.OpenOptions;
import org.millrace.heritage.edonio.EdonioException.Reason;

/** What {@code do_open} was asked for, as UNIX writes it. Immutable. */
record Opening(int flags, int mode) {

  private static final int ACCESS = 3;
  private static final int OTHERS = Fcntl.O_CREAT | Fcntl.O_TRUNC | Fcntl.O_EXCL;
  private static final int MODES = 07777;

  private int access() {
    return flags & ACCESS;
  }

  boolean reads() {
    return access() != Fcntl.O_WRONLY;
  }

  boolean writes() {
    return access() != Fcntl.O_RDONLY;
  }

  /** What is wrong with it, or null. */
  @Nullable EdonioException wrong() {
    boolean bad =
        access() == ACCESS
            || (flags & ~(ACCESS | OTHERS)) != 0
            || !writes() && (flags & (Fcntl.O_TRUNC | Fcntl.O_EXCL)) != 0;
    if (bad) {
      boolean append = (flags & Fcntl.O_APPEND) != 0;
      String why = append ? "; O_APPEND is not supported, seek to the end" : "";
      return new EdonioException(
          Reason.BAD_FLAGS, "do_open with flags %#x%s".formatted(flags, why));
    }
    if ((mode & ~MODES) != 0) {
      return new EdonioException(Reason.BAD_ARGUMENT, "do_open with mode %#o".formatted(mode));
    }
    return null;
  }

  OpenOptions options() {
    if (!writes()) {
      return OpenOptions.read().withDataCache();
    }
    OpenOptions options =
        (reads() ? OpenOptions.readWrite() : OpenOptions.write())
            .withCreate()
            .withPermissions(mode)
            .withStripeUnit(Edonio.BLOCK_BYTES)
            .withBlockSize(Edonio.BLOCK_BYTES)
            .withFirstNode(0);
    if ((flags & Fcntl.O_EXCL) != 0) {
      return options.withExclusive();
    }
    return !reads() || (flags & Fcntl.O_TRUNC) != 0 ? options.withTruncate() : options;
  }
}
