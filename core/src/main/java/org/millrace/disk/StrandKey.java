package org.millrace.disk;

import java.util.Optional;

/**
 * Which strand: the file's id and the strand's number within the file. A strand's files on disk are
 * named by it.
 *
 * @param fileId the id of the file, not negative
 * @param strand the number of the strand, from 0
 */
public record StrandKey(long fileId, int strand) implements Comparable<StrandKey> {

  static final String DATA = ".strand";
  static final String SUMS = ".sums";
  static final String INTENTS = ".intents";

  private static final int ID_DIGITS = 16;

  /** Checks the numbers. */
  public StrandKey {
    if (fileId < 0 || strand < 0) {
      throw new IllegalArgumentException(
          "file id and strand must not be negative: " + fileId + ", " + strand);
    }
  }

  String dataFile() {
    return stem() + DATA;
  }

  String sumsFile() {
    return stem() + SUMS;
  }

  String intentsFile() {
    return stem() + INTENTS;
  }

  private String stem() {
    return "%016x-%s".formatted(fileId, strand);
  }

  /** The strand to which the file of this name belongs, if it is a strand's. */
  static Optional<StrandKey> ofFile(String name) {
    int dot = name.lastIndexOf('.');
    int dash = name.indexOf('-');
    if (dot < 0 || dash != ID_DIGITS || dot < dash + 2) {
      return Optional.empty();
    }
    String kind = name.substring(dot);
    if (!kind.equals(DATA) && !kind.equals(SUMS) && !kind.equals(INTENTS)) {
      return Optional.empty();
    }
    try {
      StrandKey id =
          new StrandKey(
              Long.parseLong(name.substring(0, dash), 16),
              Integer.parseInt(name.substring(dash + 1, dot)));
      return (id.stem() + kind).equals(name) ? Optional.of(id) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // not a number: not ours
    }
  }

  @Override
  public int compareTo(StrandKey other) {
    return fileId != other.fileId
        ? Long.compare(fileId, other.fileId)
        : Integer.compare(strand, other.strand);
  }

  @Override
  public String toString() {
    return "file " + fileId + " strand " + strand;
  }
}
