package org.millrace.heritage.mpiio;

/**
 * What an access did. Immutable.
 *
 * @param bytes how many bytes of the program's memory moved: fewer than wanted where a read met the
 *     end of the file
 */
public record Status(long bytes) {

  /** MPI_UNDEFINED: the bytes are not a whole number of what was asked for; no request. */
  public static final int UNDEFINED = -32766;

  /** MPI_Test_cancelled: whether the access was cancelled. None ever is. */
  public boolean isCancelled() {
    return false;
  }

  /** How many whole {@code type}s moved, or {@link #UNDEFINED}. */
  public long getCount(Datatype type) {
    if (type.getSize() == 0) {
      return bytes == 0 ? 0 : UNDEFINED;
    }
    return bytes % type.getSize() == 0 ? bytes / type.getSize() : UNDEFINED;
  }

  /** How many basic elements of {@code type}s moved, or {@link #UNDEFINED}. */
  public long getElements(Datatype type) {
    if (type.getSize() == 0) {
      return bytes == 0 ? 0 : UNDEFINED;
    }
    Signature signature = type.signature();
    long rest = bytes % type.getSize();
    return signature.boundary(rest) == rest
        ? bytes / type.getSize() * signature.elements() + signature.elementsIn(rest)
        : UNDEFINED;
  }
}
