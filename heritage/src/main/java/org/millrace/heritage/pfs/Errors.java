package org.millrace.heritage.pfs;

import java.io.IOException;
import org.millrace.error.MillraceException;

/** Which code of PFSLib's an error of the core's is. Stateless. */
final class Errors {

  /** What was being done. */
  enum Doing {
    /** Opening a shared file. */
    OPEN,
    /** A call on one. */
    CALL,
    /** An asynchronous operation on one. */
    ASYNC,
    /** A call on an ordinary file. */
    UNIX
  }

  private Errors() {}

  static PfsException of(Doing doing, Throwable e) {
    if (e instanceof PfsException known) {
      return known;
    }
    String detail = e.getMessage() == null ? e.toString() : e.getMessage();
    Epfsl code =
        switch (e) {
          case MillraceException m when doing == Doing.UNIX -> unix(m);
          case MillraceException m -> shared(doing, m);
          case IOException _ -> doing == Doing.UNIX ? Epfsl.EIO : Epfsl.EPFSLREMOTE;
          default -> wrongUse(doing);
        };
    return new PfsException(code, detail, e);
  }

  private static Epfsl wrongUse(Doing doing) {
    return switch (doing) {
      case ASYNC -> Epfsl.EPFSLCHLDEXIT;
      case UNIX -> Epfsl.EINVAL;
      case OPEN, CALL -> Epfsl.EPFSLINVAL;
    };
  }

  private static Epfsl shared(Doing doing, MillraceException e) {
    return switch (e.code()) {
      case MIXED_CALL -> Epfsl.EPFSLMIXIO;
      case INVALID -> Epfsl.EPFSLINVAL;
      case CLOSED, RESTARTED -> Epfsl.EPFSLBADFH;
      case REFUSED -> Epfsl.EPFSLAUTH;
      // the page of open knows no EPFSLAUTH: there it was the server's open that failed
      case NOT_PERMITTED -> doing == Doing.OPEN ? Epfsl.EPFSLREMOTE : Epfsl.EPFSLAUTH;
      case NODE -> doing == Doing.OPEN ? Epfsl.EPFSLREMOTE : Epfsl.EPFSLNOIOD;
      case DISK_FULL -> doing == Doing.CALL ? Epfsl.EPFSLNBYTES : Epfsl.EPFSLREMOTE;
      case RANK_FAILED, DEADLINE, DEADLOCK, UNKNOWN ->
          doing == Doing.ASYNC ? Epfsl.EPFSLCHLDSIG : Epfsl.EPFSLREMOTE;
      default -> Epfsl.EPFSLREMOTE;
    };
  }

  private static Epfsl unix(MillraceException e) {
    return switch (e.code()) {
      case NO_SUCH_NAME -> Epfsl.ENOENT;
      case NAME_EXISTS -> Epfsl.EEXIST;
      case WRONG_KIND -> Epfsl.EISDIR;
      case NOT_PERMITTED -> Epfsl.EACCES;
      case INVALID -> Epfsl.EINVAL;
      case CLOSED -> Epfsl.EBADF;
      case DISK_FULL -> Epfsl.ENOSPC;
      default -> Epfsl.EIO;
    };
  }
}
