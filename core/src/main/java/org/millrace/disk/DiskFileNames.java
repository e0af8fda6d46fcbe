package org.millrace.disk;

/**
 * Checks names of files on a disk: never a path, never empty, and no character with a special
 * meaning for a shell or file system.
 */
final class DiskFileNames {

  private static final int MAX_LENGTH = 200;

  private DiskFileNames() {}

  /** {@code file} itself. */
  static String require(String file) {
    boolean plain =
        !file.isEmpty()
            && file.length() <= MAX_LENGTH
            && file.charAt(0) != '.'
            && file.chars().allMatch(DiskFileNames::plain);
    if (!plain) {
      throw new IllegalArgumentException(
          "name of a file on a disk must be 1 to "
              + MAX_LENGTH
              + " letters, digits, '.', '_', '-', not begin with '.': '"
              + file
              + "'");
    }
    return file;
  }

  private static boolean plain(int c) {
    boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  }

  /** Checks a position and a length: not negative and not beyond the longs. */
  static void checkRange(String file, long position, long bytes) {
    if (position < 0 || bytes < 0 || position + bytes < 0) {
      throw new IndexOutOfBoundsException(
          file
              + ": position "
              + position
              + " and "
              + bytes
              + " bytes must lie within 0 to "
              + Long.MAX_VALUE);
    }
  }
}
