package org.millrace.access;

/**
 * A cursor over bytes in some order, in vectors as MPI defines them:
 *
 * <pre>
 *   offset      offset+stride   offset+2*stride        count = 3
 *   |           |               |
 *   [length]....[length]........[length]               positions: position, consecutive
 * </pre>
 *
 * A position says which byte of the order it is, an offset where that byte lies. A vector of one
 * run has a stride, too, without meaning. Neighbouring vectors may touch; {@link #joined} joins
 * them.
 *
 * <p>Owned by one thread.
 */
public abstract class Cursor {

  // The vector.
  long position;
  long offset;
  long length;
  long stride;
  long count;

  /** A cursor before its first vector. */
  protected Cursor() {}

  /** A cursor over consecutive bytes; over nothing if the length is 0. */
  public static Cursor run(long from, long bytes) {
    return new One(from, bytes);
  }

  /** Goes to the next vector, the first one at the beginning. False if there is none. */
  public abstract boolean next();

  /** The position of the vector's first byte. */
  public final long position() {
    return position;
  }

  /** Where the vector's first run lies. */
  public final long offset() {
    return offset;
  }

  /** The length of each run, at least 1. */
  public final long length() {
    return length;
  }

  /** From the start of one run to the start of the next; may be 0 or negative. */
  public final long stride() {
    return stride;
  }

  /** How many runs, at least 1. */
  public final long count() {
    return count;
  }

  /** How many bytes the vector has. */
  public final long bytes() {
    return length * count;
  }

  /** Whether the vector's bytes lie one behind the other. */
  public final boolean isOneRun() {
    return count == 1 || stride == length;
  }

  /** Makes this the vector. */
  protected final void set(
      long newPosition, long newOffset, long newLength, long newStride, long newCount) {
    position = newPosition;
    offset = newOffset;
    length = newLength;
    stride = newStride;
    count = newCount;
  }

  /** The same bytes with runs that touch made one, so that they are moved in few large pieces. */
  public final Cursor joined() {
    return new Joined(this);
  }

  private static final class Joined extends Cursor {

    private final Cursor source;

    /** Whether the source stands at a vector that was not taken yet. */
    private boolean ahead;

    Joined(Cursor source) {
      this.source = source;
      this.ahead = source.next();
    }

    @Override
    public boolean next() {
      if (!ahead) {
        return false;
      }
      set(source.position, source.offset, source.length, source.stride, source.count);
      ahead = source.next();
      if (isOneRun()) {
        long joined = bytes();
        while (ahead && source.offset == offset + joined && source.isOneRun()) {
          joined += source.bytes();
          ahead = source.next();
        }
        set(position, offset, joined, joined, 1);
      }
      return true;
    }
  }

  private static final class One extends Cursor {

    private final long from;
    private final long run;
    private boolean taken;

    One(long from, long run) {
      this.from = from;
      this.run = run;
      this.taken = run == 0;
    }

    @Override
    public boolean next() {
      if (taken) {
        return false;
      }
      taken = true;
      set(0, from, run, run, 1);
      return true;
    }
  }
}
