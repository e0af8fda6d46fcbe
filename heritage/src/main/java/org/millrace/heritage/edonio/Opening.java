package org.millrace.heritage.edonio;

import org.jspecify.annotations.Nullable;
import org.millrace.client.OpenOptions;
import org.millrace.heritage.edonio.EdonioException.Reason;

/** What {@code do_open} was asked for, as UNIX writes it. Immutable. */
record Opening(int flags, int mode) {

  private static final int ACCESS = 3;
  private static final int OTHERS = Fcntl.O_CREAT | Fcntl.O_TRUNC | Fcntl.O_EXCL;
  private static final int MODES = 0777;

  private int access() {
    return flags & ACCESS;
  }

  boolean reads() {
    return access() != Fcntl.O_WRONLY;
  }

  boolean writes() {
    return access() != Fcntl.O_RDONLY;
  }

  /** What is wrong with the flags, or null. */
  @Nullable EdonioException wrong() {
    boolean bad =
        access() == ACCESS
            || (flags & ~(ACCESS | OTHERS)) != 0
            || !writes() && (flags & (Fcntl.O_TRUNC | Fcntl.O_EXCL)) != 0;
    if (!bad) {
      return null;
    }
    boolean append = (flags & Fcntl.O_APPEND) != 0;
    String why = append ? "; O_APPEND is not supported, seek to the end" : "";
    return new EdonioException(Reason.BAD_FLAGS, "do_open with flags %#x%s".formatted(flags, why));
  }

  /** What is wrong with the mode, or null; it matters only where a file is made. */
  @Nullable EdonioException wrongMode() {
    return (mode & ~MODES) == 0
        ? null
        : new EdonioException(Reason.BAD_ARGUMENT, "do_open with mode %#o".formatted(mode));
  }

  /** Whether a file that exists is an error. */
  boolean isExclusive() {
    return (flags & Fcntl.O_EXCL) != 0;
  }

  /** For a file that exists. */
  OpenOptions existing() {
    if (!writes()) {
      return OpenOptions.read().withDataCache();
    }
    OpenOptions options = reads() ? OpenOptions.readWrite() : OpenOptions.write();
    return !reads() || (flags & Fcntl.O_TRUNC) != 0 ? options.withTruncate() : options;
  }

  /** For a file that is made; somebody else may have made it meanwhile. */
  OpenOptions making() {
    OpenOptions options =
        existing()
            .withCreate()
            .withPermissions(mode)
            .withStripeUnit(Edonio.BLOCK_BYTES)
            .withBlockSize(Edonio.BLOCK_BYTES)
            .withFirstNode(0);
    return isExclusive() ? options.withExclusive() : options;
  }
}
