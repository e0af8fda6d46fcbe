package org.millrace.disk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.error.CorruptBlockException;

/**
 * Reads the frames of a {@link Log}, each from whichever copy is good, and says what must be
 * written so that both are. For one use, by one thread.
 */
final class LogReader {

  private final byte[] bytes;
  private final ByteBuffer log;
  private final long generation;
  private final List<byte[]> records = new ArrayList<>();
  private final Map<Integer, byte[]> repairs = new TreeMap<>();
  private int end;
  private long frames;

  LogReader(byte[] bytes, long generation, int start) {
    this.bytes = bytes;
    this.log = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    this.generation = generation;
    this.end = start;
  }

  /** All records, oldest first. */
  List<byte[]> records() {
    return records;
  }

  /** Where the last frame ends. */
  int end() {
    return end;
  }

  long frames() {
    return frames;
  }

  /** What must be written, by offset. */
  Map<Integer, byte[]> repairs() {
    return repairs;
  }

  /** One past the last byte that is not zero. */
  int nonZeroEnd() {
    int last = bytes.length;
    while (last > 0 && bytes[last - 1] == 0) {
      last--;
    }
    return last;
  }

  void read(String name) throws CorruptBlockException {
    for (int good = nextCopy(name); good >= 0; good = nextCopy(name)) {
      int length = LogFrame.goodAt(log, good, generation);
      records.addAll(LogFrame.records(log, good));
      byte[] copy = Arrays.copyOfRange(bytes, good, good + length);
      int first = good == end ? end : good - length;
      for (int at : new int[] {first, first + length}) {
        if (at != good && (!isFrame(at) || LogFrame.number(log, at) != frames)) {
          repairs.put(at, copy);
        }
      }
      end = first + 2 * length;
      frames++;
    }
  }

  private boolean isFrame(int at) {
    return LogFrame.goodAt(log, at, generation) > 0;
  }

  /** Where a good copy of the next frame begins; -1 if the log ends here. */
  private int nextCopy(String name) throws CorruptBlockException {
    int later = -1;
    for (int at = end; at < bytes.length; at += LogFrame.SECTOR) {
      int length = LogFrame.goodAt(log, at, generation);
      if (length < 0) {
        continue;
      }
      long number = LogFrame.number(log, at);
      if (number == frames && (at == end || at == end + length)) {
        return at;
      }
      later = number > frames && later < 0 ? at : later;
    }
    if (later >= 0) {
      throw new CorruptBlockException(
          name
              + ": the record at offset "
              + end
              + " is destroyed in both of its copies: a good one follows at offset "
              + later);
    }
    return -1;
  }
}
