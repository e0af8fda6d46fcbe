package org.millrace.message;

import java.util.function.Supplier;
import org.millrace.access.Cursor;

/**
 * Which bytes of a request's payload are sent between processes, in which direction and order. Both
 * sides derive it from the message. In one JVM nothing is sent.
 *
 * <p>Used by one thread at a time.
 */
public final class PayloadLayout {

  /** Which way bytes travel. */
  public enum Direction {
    /** The payload stays where it is. */
    NONE,
    /** With the request. */
    TO_RECEIVER,
    /** With the answer. */
    TO_SENDER
  }

  /** Nothing travels. */
  public static final PayloadLayout NOTHING = whole(Direction.NONE, 0);

  private static final long NOT_COUNTED = -1;

  // constant after construction
  private final Direction direction;
  private final long size;
  private final Supplier<Cursor> which;
  private final boolean ordered;

  // owned by the thread that uses the layout
  private long bytes;

  private PayloadLayout(
      Direction direction, long size, Supplier<Cursor> which, long bytes, boolean ordered) {
    this.direction = direction;
    this.size = size;
    this.which = which;
    this.bytes = bytes;
    this.ordered = ordered;
  }

  /** The whole payload of {@code size} bytes. */
  public static PayloadLayout whole(Direction direction, long size) {
    return new PayloadLayout(direction, size, () -> Cursor.run(0, size), size, false);
  }

  /**
   * Some bytes of a payload.
   *
   * @param size of the payload
   * @param which gives a cursor whose offsets are the numbers of the bytes that travel
   */
  public static PayloadLayout some(Direction direction, long size, Supplier<Cursor> which) {
    return new PayloadLayout(direction, size, which, NOT_COUNTED, false);
  }

  /** The same of a request whose parts must be carried out one after the other. */
  public PayloadLayout inOrder() {
    return new PayloadLayout(direction, size, which, bytes, true);
  }

  /** Which way. */
  public Direction direction() {
    return direction;
  }

  /** How many bytes the payload has; the receiver gives its endpoint as much memory. */
  public long size() {
    return size;
  }

  /** How many of them travel. May cost a walk through what is asked for. */
  public long bytes() {
    if (bytes == NOT_COUNTED) {
      long sum = 0;
      Cursor walk = which.get();
      while (walk.next()) {
        sum += walk.bytes();
      }
      bytes = sum;
    }
    return bytes;
  }

  /** The numbers of the bytes that travel, as offsets, in the order in which they travel. */
  public Cursor which() {
    return which.get();
  }

  /** Whether the parts of the request must be carried out one after the other. */
  boolean isOrdered() {
    return ordered;
  }

  /** Whether the travelling bytes are the first ones of the payload. */
  boolean isPrefix() {
    if (bytes == size) {
      return true;
    }
    Cursor walk = which.get();
    return !walk.next() || (walk.offset() == 0 && walk.isOneRun() && walk.bytes() == bytes());
  }
}
