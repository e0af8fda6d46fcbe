package org.millrace.mount.serve;

import java.nio.charset.CharacterCodingException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.mount.system.Errno;

/** The one table from what can go wrong in a cluster to error numbers of Linux. */
final class Errors {

  private Errors() {}

  /** The error number of a failure. */
  static Errno of(Throwable e) {
    return switch (e) {
      case Refusal refusal -> refusal.errno();
      case MillraceException failure -> of(failure.code());
      case CharacterCodingException text -> Errno.EILSEQ;
      case IllegalArgumentException wrong -> Errno.EINVAL;
      case IndexOutOfBoundsException shortened -> Errno.EINVAL;
      default -> Errno.EIO;
    };
  }

  /** The error number of a code. */
  static Errno of(ErrorCode code) {
    return switch (code) {
      case INVALID, MIXED_CALL -> Errno.EINVAL;
      case NO_SUCH_NAME -> Errno.ENOENT;
      case NAME_EXISTS -> Errno.EEXIST;
      case WRONG_KIND, NOT_A_DIRECTORY -> Errno.ENOTDIR;
      case IS_DIRECTORY -> Errno.EISDIR;
      case NOT_EMPTY -> Errno.ENOTEMPTY;
      case NOT_PERMITTED -> Errno.EACCES;
      case NOT_OWNER -> Errno.EPERM;
      case LOOP -> Errno.ELOOP;
      case NAME_TOO_LONG -> Errno.ENAMETOOLONG;
      case TOO_MANY_LINKS -> Errno.EMLINK;
      case NO_ATTRIBUTE -> Errno.ENODATA;
      case TOO_LARGE -> Errno.EFBIG;
      case LOCKED -> Errno.EAGAIN;
      case UNSUPPORTED -> Errno.EOPNOTSUPP;
      case DEADLINE -> Errno.ETIMEDOUT;
      case DEADLOCK -> Errno.EDEADLK;
      case DISK_FULL -> Errno.ENOSPC;
      case IN_USE -> Errno.EBUSY;
      case PROTOCOL -> Errno.EPROTO;
      case REFUSED -> Errno.ECONNREFUSED;
      case CLOSED, RESTARTED -> Errno.ESTALE;
      case RANK_FAILED, NODE, DISK, CORRUPT, UNKNOWN, MOVED, LOST -> Errno.EIO;
    };
  }

  /** Whether a failure is the file system's, so that somebody should read of it. */
  static boolean isTrouble(Throwable e) {
    return switch (of(e)) {
      case EIO, EPROTO, ETIMEDOUT, ECONNREFUSED, ESTALE -> !(e instanceof Refusal);
      default -> !(e instanceof java.io.IOException);
    };
  }
}
