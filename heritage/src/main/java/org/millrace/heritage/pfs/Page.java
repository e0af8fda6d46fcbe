package org.millrace.heritage.pfs;

import static org.millrace.heritage.pfs.Epfsl.EPFSLAUTH;
import static org.millrace.heritage.pfs.Epfsl.EPFSLBADF;
import static org.millrace.heritage.pfs.Epfsl.EPFSLBADFH;
import static org.millrace.heritage.pfs.Epfsl.EPFSLBADID;
import static org.millrace.heritage.pfs.Epfsl.EPFSLCHLDEXIT;
import static org.millrace.heritage.pfs.Epfsl.EPFSLCHLDSIG;
import static org.millrace.heritage.pfs.Epfsl.EPFSLINVAL;
import static org.millrace.heritage.pfs.Epfsl.EPFSLIOLEN;
import static org.millrace.heritage.pfs.Epfsl.EPFSLMFILE;
import static org.millrace.heritage.pfs.Epfsl.EPFSLMIXIO;
import static org.millrace.heritage.pfs.Epfsl.EPFSLMREQUEST;
import static org.millrace.heritage.pfs.Epfsl.EPFSLNBYTES;
import static org.millrace.heritage.pfs.Epfsl.EPFSLNDELAY;
import static org.millrace.heritage.pfs.Epfsl.EPFSLNOIOD;
import static org.millrace.heritage.pfs.Epfsl.EPFSLREMOTE;

import java.util.EnumSet;
import java.util.Set;

/**
 * The pages of the manual, and which of PFSLib's codes each of them names. A call on a shared file
 * fails with no other: what its page has no code for is EPFSLREMOTE, and {@code pfslib_perror}
 * tells the rest. Pages also allow Unix's own codes, which calls on ordinary files give.
 */
enum Page {
  /** open, and _pfslib_open. */
  OPEN(EPFSLINVAL, EPFSLNDELAY, EPFSLMFILE, Epfsl.ENAMETOOLONG),
  /** gopen. */
  GOPEN(EPFSLINVAL, EPFSLNDELAY, EPFSLMFILE, Epfsl.ENAMETOOLONG),
  /** close. */
  CLOSE(EPFSLAUTH, EPFSLBADF, EPFSLBADFH, EPFSLMIXIO),
  /** cread and creadv. */
  CREAD(
      EPFSLAUTH,
      EPFSLBADF,
      EPFSLBADFH,
      EPFSLBADID,
      EPFSLINVAL,
      EPFSLIOLEN,
      EPFSLMIXIO,
      EPFSLMREQUEST,
      EPFSLNBYTES,
      EPFSLNOIOD),
  /** cwrite and cwritev. */
  CWRITE(CREAD),
  /** iread and ireadv. */
  IREAD(
      EPFSLAUTH,
      EPFSLBADF,
      EPFSLBADFH,
      EPFSLBADID,
      EPFSLINVAL,
      EPFSLIOLEN,
      EPFSLMIXIO,
      EPFSLMREQUEST,
      EPFSLNOIOD),
  /** iwrite and iwritev. */
  IWRITE(IREAD),
  /** iodone. */
  IODONE(EPFSLAUTH, EPFSLBADFH, EPFSLBADID, EPFSLCHLDEXIT, EPFSLCHLDSIG),
  /** iowait. */
  IOWAIT(IODONE),
  /** iomode. */
  IOMODE(EPFSLAUTH, EPFSLBADF, EPFSLBADFH),
  /** iseof. */
  ISEOF(IOMODE),
  /** lseek, and eseek. */
  LSEEK(EPFSLAUTH, EPFSLBADF, EPFSLBADFH, EPFSLMIXIO),
  /** lsize, and esize. */
  LSIZE(EPFSLAUTH, EPFSLBADF, EPFSLBADFH, EPFSLINVAL),
  /** setiomode. */
  SETIOMODE(EPFSLAUTH, EPFSLBADF, EPFSLBADFH, EPFSLINVAL, EPFSLMIXIO),
  /** pfslib_init. */
  PFSLIB_INIT(EPFSLINVAL);

  @SuppressWarnings("ImmutableEnumChecker") // never changed after it was made
  private final Set<Epfsl> codes;

  Page(Epfsl... named) {
    codes = EnumSet.of(EPFSLREMOTE, named);
  }

  Page(Page same) {
    codes = same.codes;
  }

  /** Whether a call on a shared file may fail like this. */
  boolean names(Epfsl code) {
    return codes.contains(code);
  }

  /** Whether it tells how an asynchronous operation ended. */
  boolean tellsOfOperations() {
    return this == IODONE || this == IOWAIT;
  }
}
