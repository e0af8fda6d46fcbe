package org.millrace.heritage.pfs;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.millrace.error.MillraceException;

/** Which code of PFSLib's an error is, on which page. Stateless. */
final class Errors {

  private Errors() {}

  /** What a call on a shared file fails with: a code that its page names. */
  static PfsException ofShared(Page page, Throwable e) {
    if (e instanceof PfsException known && page.names(known.code())) {
      return known;
    }
    String said = e.getMessage() == null ? e.toString() : e.getMessage();
    Epfsl code =
        switch (e) {
          case PfsException known -> known.code();
          case MillraceException m -> code(m);
          case IOException _ -> Epfsl.EPFSLREMOTE;
          default -> page.tellsOfOperations() ? Epfsl.EPFSLCHLDEXIT : Epfsl.EPFSLINVAL;
        };
    return new PfsException(page.names(code) ? code : Epfsl.EPFSLREMOTE, said, e);
  }

  private static Epfsl code(MillraceException e) {
    return switch (e.code()) {
      case MIXED_CALL -> Epfsl.EPFSLMIXIO;
      case INVALID -> Epfsl.EPFSLINVAL;
      case CLOSED, RESTARTED -> Epfsl.EPFSLBADFH;
      case REFUSED, NOT_PERMITTED -> Epfsl.EPFSLAUTH;
      case NODE -> Epfsl.EPFSLNOIOD;
      case DISK_FULL -> Epfsl.EPFSLNBYTES;
      case RANK_FAILED, DEADLINE, DEADLOCK, UNKNOWN -> Epfsl.EPFSLCHLDSIG;
      default -> Epfsl.EPFSLREMOTE;
    };
  }

  /** What a call on an ordinary file fails with: a code of Unix's. */
  static PfsException ofOrdinary(Throwable e) {
    if (e instanceof PfsException known) {
      return known;
    }
    String said = e.getMessage() == null ? e.toString() : e.getMessage();
    Epfsl code =
        switch (e) {
          case NoSuchFileException _ -> Epfsl.ENOENT;
          case FileAlreadyExistsException _ -> Epfsl.EEXIST;
          case AccessDeniedException _ -> Epfsl.EACCES;
          case FileSystemException f -> byReason(f.getReason() == null ? said : f.getReason());
          case IOException _ -> byReason(said);
          default -> Epfsl.EINVAL;
        };
    return new PfsException(code, said, e);
  }

  /** The JDK tells the rest of Unix's errors by their words only. */
  private static Epfsl byReason(String reason) {
    for (Epfsl code : new Epfsl[] {Epfsl.EISDIR, Epfsl.ENOSPC, Epfsl.EMFILE, Epfsl.ENAMETOOLONG}) {
      if (reason.contains(code.text())) {
        return code;
      }
    }
    return reason.contains("Not a directory") ? Epfsl.ENOENT : Epfsl.EIO;
  }
}
