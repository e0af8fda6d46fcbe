package org.millrace.disk;

/**
 * The place of a range of a file on its disk. Immutable.
 *
 * @param position of the stretch in the file
 * @param length in bytes
 * @param place of its first byte on the disk; only the order of places, and which of them are
 *     neighbours, means something
 */
public record DiskExtent(long position, long length, long place) {

  /** Checks the bounds. */
  public DiskExtent {
    if (position < 0 || length < 1 || place < 0) {
      throw new IllegalArgumentException(
          "%s bytes at %s cannot lie at place %s".formatted(length, position, place));
    }
  }

  /** One past its last byte in the file. */
  public long end() {
    return position + length;
  }
}
