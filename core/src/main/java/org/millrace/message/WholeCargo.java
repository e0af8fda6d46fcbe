package org.millrace.message;

/** A payload that travels as it is. */
record WholeCargo(Direction direction, long bytes) implements Cargo {

  @Override
  public long memoryBytes() {
    return bytes;
  }

  @Override
  public Walk walk() {
    return new Once(bytes);
  }

  /** One run, if it has any bytes. */
  private static final class Once implements Walk {
    private final long length;
    private boolean taken;

    Once(long length) {
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
      return 0;
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
}
