package org.millrace.server;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.millrace.files.FileHandle;

/**
 * Several writes to one file in one body, all numbers big-endian:
 *
 * <pre>
 *   0        4                      12            16
 *   | count  | position of the 1st  | its length  | position of the 2nd | ...  | bytes of the 1st | ...
 * </pre>
 *
 * <p>Positions ascend, and no write reaches into the next. Immutable.
 *
 * @param runs where the bytes go and where they are in the body
 * @param body all of it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record WriteList(List<Run> runs, byte[] body) {

  private static final int HEAD_BYTES = 12;

  /**
   * One write.
   *
   * @param position in the file
   * @param from in the body
   * @param length how many bytes
   */
  record Run(long position, int from, int length) {}

  static WriteList parse(byte[] body) throws Refusal {
    ByteBuffer in = ByteBuffer.wrap(body);
    int count = body.length < Integer.BYTES ? 0 : in.getInt();
    if (count < 1 || count > in.remaining() / HEAD_BYTES) {
      throw malformed();
    }
    List<Run> runs = new ArrayList<>(count);
    long from = Integer.BYTES + (long) count * HEAD_BYTES;
    long last = 0;
    for (int i = 0; i < count; i++) {
      long position = in.getLong();
      int length = in.getInt();
      if (position < last || length < 1 || position > Long.MAX_VALUE - length) {
        throw malformed();
      }
      last = position + length;
      if (from + length > body.length) {
        throw malformed();
      }
      runs.add(new Run(position, (int) from, length));
      from += length;
    }
    if (from != body.length) {
      throw malformed();
    }
    return new WriteList(runs, body);
  }

  private static Refusal malformed() {
    return new Refusal(
        Statuses.BAD_REQUEST,
        "a list of writes is a count, as many positions and lengths, and their bytes; positions"
            + " ascend without overlap");
  }

  /** Writes all of them; returns the first position. */
  long write(FileHandle file) throws IOException {
    MemorySegment bytes = MemorySegment.ofArray(body);
    for (Run run : runs) {
      file.write(run.position(), bytes.asSlice(run.from(), run.length()));
    }
    return runs.getFirst().position();
  }
}
