package org.millrace.client;

/**
 * Where a rank's view of a file ends, if not where the file does: told from the ends of the file's
 * strands. For interfaces whose files have several ends. Used by several threads.
 */
@FunctionalInterface
public interface ViewEnd {

  /**
   * One past the last position of the view that can be read. Bytes below it that a strand does not
   * have read as zeros.
   *
   * @param strandEnds of each strand, one past its highest byte that was written, in bytes of the
   *     strand
   */
  long position(long[] strandEnds);
}
