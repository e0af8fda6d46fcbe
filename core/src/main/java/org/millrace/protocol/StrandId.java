package org.millrace.protocol;

import org.millrace.layout.Copies;
import org.millrace.layout.Layout;

/**
 * Identifies a strand.
 *
 * @param file the file's id, 1 .. 2^47
 * @param strand the strand's number in the file's layout
 */
public record StrandId(long file, int strand) {

  /** Strands that one file can have. */
  public static final int MAX_STRANDS = 1 << 16;

  private static final long MAX_FILE = 1L << 47;

  /** Checks the bounds. */
  public StrandId {
    if (file < 1 || file > MAX_FILE) {
      throw new IllegalArgumentException("file id " + file + " is not in 1.." + MAX_FILE);
    }
    if (strand < 0 || strand >= MAX_STRANDS) {
      throw new IllegalArgumentException("strand " + strand + " is not in 0.." + (MAX_STRANDS - 1));
    }
  }

  /** Whether it has copies. */
  public boolean hasCopies() {
    return Copies.hasCopies(file);
  }

  /** The strand as the key of one-sided verbs. */
  public long key() {
    return key(file, strand);
  }

  /** The key of a strand. */
  public static long key(long file, int strand) {
    return file << 16 | strand;
  }

  /** The file of the strand with this key; 0, which no file has, if there is none. */
  public static long fileOf(long key) {
    return key >>> 16;
  }

  /** The strand with this key. */
  public static StrandId ofKey(long key) {
    return new StrandId(key >>> 16, (int) (key & 0xffff));
  }

  @Override
  public String toString() {
    return "file " + file + " strand " + strand;
  }

  /** Checks that a layout has it. */
  void requireIn(Layout layout) {
    if (strand >= layout.strands()) {
      throw new IllegalArgumentException(this + " in a layout of " + layout.strands() + " strands");
    }
  }
}
