package org.millrace.array.zarr;

import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** What stores share: how long a value may be, and the name of one that is being written. */
final class Values {

  /** Behind the name of a value that is being written. */
  static final String PART = ".part";

  private Values() {}

  static int size(String path, long bytes) throws MillraceException {
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new MillraceException(
          ErrorCode.TOO_LARGE, path + ": " + bytes + " bytes do not fit into memory as one piece");
    }
    return (int) bytes;
  }
}
