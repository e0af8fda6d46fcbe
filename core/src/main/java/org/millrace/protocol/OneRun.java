package org.millrace.protocol;

import org.millrace.message.Cargo.Walk;

/** A walk over consecutive bytes. Owned by one thread. */
final class OneRun implements Walk {

  private final long offset;
  private final long length;
  private boolean taken;

  OneRun(long offset, long length) {
    this.offset = offset;
    this.length = length;
    this.taken = length == 0;
  }

  @Override
  public boolean next() {
    boolean first = !taken;
    taken = true;
    return first;
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
    return length;
  }

  @Override
  public long count() {
    return 1;
  }
}
