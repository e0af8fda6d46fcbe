package org.millrace.error;

/** A disk has no room left: the message names the node. */
public final class DiskFullException extends MillraceException {

  private static final long serialVersionUID = 1;

  /** An error with the given explanation. */
  public DiskFullException(String message) {
    super(ErrorCode.DISK_FULL, message);
  }
}
