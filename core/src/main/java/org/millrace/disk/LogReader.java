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

  /** The smallest that disks have: what is swapped, or lost, by itself. */
  private static final int SMALL_SECTOR = 512;

  /** In more places two bad copies are not put together: each doubles what must be tried. */
  private static final int MAX_PIECES = 8;

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

  /**
   * Where the file must reach at least: it is made long enough for a frame, durably, before that is
   * begun. A frame without a good copy of which there is the beginning was begun.
   */
  long reach() {
    int length = begun();
    return length < 0 ? end : end + 2L * length;
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

  /** How long a copy of the next frame is, if the beginning of one is there; else -1. */
  private int begun() {
    int first = LogFrame.begunAt(log, end, frames);
    if (first > 0) {
      return first;
    }
    for (int at = end + LogFrame.SECTOR; at < bytes.length; at += LogFrame.SECTOR) {
      if (LogFrame.begunAt(log, at, frames) == at - end) {
        return at - end;
      }
    }
    return -1;
  }

  /**
   * Puts the next frame, of which no copy is good, together from sectors of both, in the place of
   * the first copy. So no two sectors that changed places take a frame away. Returns whether that
   * gave a good one.
   */
  private boolean piece() {
    int length = begun();
    if (length < 0 || end + 2L * length > bytes.length) {
      return false;
    }
    List<Integer> different = new ArrayList<>();
    for (int at = end; at < end + length; at += SMALL_SECTOR) {
      if (!Arrays.equals(
          bytes, at, at + SMALL_SECTOR, bytes, at + length, at + length + SMALL_SECTOR)) {
        different.add(at);
      }
    }
    if (different.size() > MAX_PIECES) {
      return false;
    }
    byte[] kept = Arrays.copyOfRange(bytes, end, end + length);
    for (int choice = 0; choice < 1 << different.size(); choice++) {
      for (int i = 0; i < different.size(); i++) {
        int at = different.get(i);
        boolean second = (choice >> i & 1) == 1;
        System.arraycopy(
            second ? bytes : kept, second ? at + length : at - end, bytes, at, SMALL_SECTOR);
      }
      if (isFrame(end) && LogFrame.number(log, end) == frames) {
        repairs.put(end, Arrays.copyOfRange(bytes, end, end + length));
        return true;
      }
    }
    System.arraycopy(kept, 0, bytes, end, length);
    return false;
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
    if (piece()) {
      return end;
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
