package org.millrace.cluster;

import java.util.Optional;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;

/**
 * Something wrong with what is stored of a file. Immutable.
 *
 * @param path the file's name; empty if it is not known
 * @param file its id; 0 if it is about no file
 * @param strand which of its strands
 * @param node on which node's disk; -1 if it is about none
 * @param from the first byte of the file that is concerned
 * @param to one past the last; {@link Long#MAX_VALUE} if that is not known
 * @param repaired whether it is right again
 * @param what it is, and what to do about it
 */
public record FileProblem(
    String path,
    long file,
    int strand,
    int node,
    long from,
    long to,
    boolean repaired,
    String what) {

  /** Something that concerns no file. */
  public static FileProblem ofNode(int node, String what) {
    return new FileProblem("", 0, 0, node, 0, 0, false, what);
  }

  /**
   * Bytes of a strand, as bytes of its file.
   *
   * @param entry the file; empty if there is none, or it may not be seen
   */
  public static FileProblem of(
      Optional<FileEntry> entry,
      long file,
      int strand,
      int node,
      long from,
      long to,
      boolean repaired,
      String what) {
    Optional<Layout> layout = entry.flatMap(FileEntry::layout);
    boolean known = layout.isPresent() && strand < layout.get().strands();
    long first = known ? layout.get().fileOffset(strand, from) : from;
    long last =
        to == Long.MAX_VALUE || !known
            ? to
            : to <= from ? first : layout.get().fileOffset(strand, to - 1) + 1;
    return new FileProblem(
        entry.map(FileEntry::path).orElse(""), file, strand, node, first, last, repaired, what);
  }

  /** The bytes in words. */
  public String bytes() {
    return to == Long.MAX_VALUE
        ? from == 0 ? "strand " + strand : "strand %s from byte %s on".formatted(strand, from)
        : "bytes %s to %s".formatted(from, to);
  }
}
