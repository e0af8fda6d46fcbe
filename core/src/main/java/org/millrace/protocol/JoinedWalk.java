package org.millrace.protocol;

import org.millrace.message.Cargo.Walk;

/**
 * The combs of another walk with runs that touch made one, so that whoever copies or sends them
 * does it in few large pieces. Owned by one thread.
 */
final class JoinedWalk implements Walk {

  // constant after construction
  private final Walk source;

  /** Whether the source stands at a comb that was not taken yet. */
  private boolean ahead;

  private long offset;
  private long length;
  private long stride;
  private long count;

  JoinedWalk(Walk source) {
    this.source = source;
    this.ahead = source.next();
  }

  @Override
  public boolean next() {
    if (!ahead) {
      return false;
    }
    offset = source.offset();
    length = source.length();
    stride = source.stride();
    count = source.count();
    ahead = source.next();
    if (touches()) {
      length *= count;
      count = 1;
      while (ahead && source.offset() == offset + length && isOneRun()) {
        length += source.length() * source.count();
        ahead = source.next();
      }
      stride = length;
    }
    return true;
  }

  private boolean touches() {
    return count == 1 || stride == length;
  }

  private boolean isOneRun() {
    return source.count() == 1 || source.stride() == source.length();
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public long stride() {
    return stride;
  }

  @Override
  public long count() {
    return count;
  }
}
