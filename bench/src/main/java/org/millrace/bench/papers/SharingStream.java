package org.millrace.bench.papers;

/** What is streamed beside the computation, with what the paper's table 4 says of it. */
public enum SharingStream {
  /** Reads from the begin to the end, and again. */
  SEQUENTIAL_READ("sequential read", 219.9),
  /** Reads in no order. */
  RANDOM_READ("random read", 181.4),
  /** Writes from the begin to the end, and again. */
  SEQUENTIAL_WRITE("sequential write", 135.1),
  /** Writes in no order. */
  RANDOM_WRITE("random write", 193.8);

  /** Seconds that the paper's computation took without any. */
  public static final double PAPER_ALONE_SECONDS = 130.8;

  private final String label;
  private final double paperSeconds;

  SharingStream(String label, double paperSeconds) {
    this.label = label;
    this.paperSeconds = paperSeconds;
  }

  /** As it is printed. */
  public String label() {
    return label;
  }

  /** Seconds that the paper's computation took beside it. */
  public double paperSeconds() {
    return paperSeconds;
  }

  /** The paper's efficiency, a part of 1. */
  public double paperEfficiency() {
    return PAPER_ALONE_SECONDS / paperSeconds;
  }

  boolean writes() {
    return this == SEQUENTIAL_WRITE || this == RANDOM_WRITE;
  }

  boolean random() {
    return this == RANDOM_READ || this == RANDOM_WRITE;
  }
}
