package org.millrace.heritage.mpiio;

/**
 * Some of a datatype at regular distances: what every constructor's type is made of. Immutable.
 *
 * @param displacement of the first, in bytes
 * @param count how many
 * @param strideBytes from one to the next
 * @param type of what
 */
record Piece(long displacement, long count, long strideBytes, Datatype type) {

  /** The displacement of the last one. */
  long last() {
    return Math.addExact(displacement, Math.multiplyExact(count - 1, strideBytes));
  }

  /** The smallest displacement. */
  long lowest() {
    return Math.min(displacement, last());
  }

  /** The largest displacement. */
  long highest() {
    return Math.max(displacement, last());
  }
}
