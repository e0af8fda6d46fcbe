package org.millrace.disk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.millrace.error.CorruptBlockException;

/**
 * A record of a {@link StrandLog}: what became of a strand. The last record of a strand counts.
 *
 * <pre>
 *   0      1         9        13       17      25
 *   +------+---------+--------+--------+-------+------------ ... -+
 *   | kind | file id | strand | block  | end   | the first bytes  |   little-endian;
 *   |      |         |        | bytes  |       | (kind 1 only)    |   what follows are zeros up to the end
 *   +------+---------+--------+--------+-------+------------ ... -+
 * </pre>
 *
 * Kind 4 is as kind 1, with eight bytes more before the strand's own: when it was last modified, as
 * {@link BlockStore#modified} says.
 */
sealed interface StrandRecord {

  /** Which strand. */
  StrandKey id();

  /**
   * Kind 4: the strand is this. Kind 1, of one of which it is not known when it was modified.
   *
   * @param blockBytes bytes of a block
   * @param end of the strand
   * @param modified when it was last modified; 0 if that is not known
   * @param content its first bytes; all others up to the end are zero. Never changed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Small(StrandKey id, int blockBytes, long end, long modified, byte[] content)
      implements StrandRecord {

    private int timeBytes() {
      return modified == 0 ? 0 : Long.BYTES;
    }
  }

  /** Kind 2: the strand is in files of its own. */
  record InFiles(StrandKey id) implements StrandRecord {}

  /** Kind 3: the strand was removed. */
  record Gone(StrandKey id) implements StrandRecord {}

  int HEADER_BYTES = 25;

  /** How many bytes {@link #encode} gives. */
  default int bytes() {
    return HEADER_BYTES
        + (this instanceof Small small ? small.timeBytes() + small.content.length : 0);
  }

  /** Its bytes. */
  default byte[] encode() {
    ByteBuffer to = ByteBuffer.allocate(bytes()).order(ByteOrder.LITTLE_ENDIAN);
    switch (this) {
      case Small s when s.modified == 0 -> head(to, 1, s.blockBytes, s.end).put(s.content);
      case Small s -> head(to, 4, s.blockBytes, s.end).putLong(s.modified).put(s.content);
      case InFiles _ -> head(to, 2, 0, 0);
      case Gone _ -> head(to, 3, 0, 0);
    }
    return to.array();
  }

  private ByteBuffer head(ByteBuffer to, int kind, int blockBytes, long end) {
    to.put((byte) kind).putLong(id().fileId()).putInt(id().strand());
    return to.putInt(blockBytes).putLong(end);
  }

  /** The record with these bytes; {@code where} is what errors name. */
  static StrandRecord decode(byte[] bytes, String where) throws CorruptBlockException {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER_BYTES) {
      throw new CorruptBlockException(where + ": a record of " + bytes.length + " bytes");
    }
    int kind = from.get();
    StrandKey id = new StrandKey(from.getLong(), from.getInt());
    int blockBytes = from.getInt();
    long end = from.getLong();
    boolean small = kind == 1 || kind == 4;
    if (kind < 1
        || kind > 4
        || small && !BlockSize.isValid(blockBytes)
        || kind == 4 && from.remaining() < Long.BYTES
        || end < 0) {
      throw new CorruptBlockException(
          "%s: a record of kind %s with blocks of %s bytes and end %s: this program knows none such"
              .formatted(where, kind, blockBytes, end));
    }
    long modified = kind == 4 ? from.getLong() : 0;
    byte[] content = new byte[from.remaining()];
    from.get(content);
    return switch (kind) {
      case 1, 4 -> new Small(id, blockBytes, end, modified, content);
      case 2 -> new InFiles(id);
      default -> new Gone(id);
    };
  }
}
