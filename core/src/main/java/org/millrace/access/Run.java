package org.millrace.access;

/** Consecutive bytes from offset 0 on. Immutable. */
public final class Run extends PatternNode {

  Run(long length) {
    super(length, 0, length, length == 0 ? 0 : 1, 1, true);
  }

  /** How many bytes. */
  public long length() {
    return size;
  }

  @Override
  long at(long position) {
    return position;
  }

  @Override
  long below(long offset) {
    return Math.clamp(offset, 0, size);
  }

  @Override
  long low(long from, long to) {
    return from;
  }

  @Override
  long high(long from, long to) {
    return to;
  }

  @Override
  public boolean isClearlyDisjoint() {
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Run that && size == that.size;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(size);
  }

  @Override
  public String toString() {
    return "run(" + size + ")";
  }
}
