package org.millrace.heritage.pfs;

import java.io.IOException;

/**
 * A call of PFSLib failed in its plain form, which in the original printed the error and ended the
 * process.
 */
public final class PfsException extends IOException {

  private static final long serialVersionUID = 1;

  private final Epfsl code;
  private final String detail;

  PfsException(Epfsl code, String detail) {
    super(detail.isEmpty() ? code.text() : code.text() + ": " + detail);
    this.code = code;
    this.detail = detail;
  }

  PfsException(Epfsl code, String detail, Throwable cause) {
    this(code, detail);
    initCause(cause);
  }

  /** What {@code errno} would be. */
  public Epfsl code() {
    return code;
  }

  /** What more is known; empty if nothing is. */
  public String detail() {
    return detail;
  }
}
