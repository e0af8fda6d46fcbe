package org.millrace.heritage.pious;

import java.util.Arrays;

/**
 * A PIOUS file as the text tells it: segments, each a sequence of bytes with an end of its own, and
 * interleaves of them by a block size. One process, byte by byte. For one thread.
 */
final class PiousModel {

  private static final int MOST = 4000;

  private final byte[][] segments;
  private final int[] ends;

  PiousModel(int segments) {
    this.segments = new byte[segments][MOST];
    this.ends = new int[segments];
  }

  /** Which bytes a view shows: of one segment, or blocks of all if {@code segment} is negative. */
  record Order(int segment, int block) {

    int segmentOf(int position, int all) {
      return segment >= 0 ? segment : position / block % all;
    }

    int offsetOf(int position, int all) {
      return segment >= 0 ? position : position / block / all * block + position % block;
    }
  }

  PiousModel copy() {
    PiousModel copy = new PiousModel(segments.length);
    for (int s = 0; s < segments.length; s++) {
      copy.segments[s] = segments[s].clone();
      copy.ends[s] = ends[s];
    }
    return copy;
  }

  int end(Order order) {
    int end = 0;
    for (int position = 0; position < MOST; position++) {
      int segment = order.segmentOf(position, segments.length);
      if (order.offsetOf(position, segments.length) < ends[segment]) {
        end = position + 1;
      }
    }
    return end;
  }

  void write(Order order, int at, byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      int segment = order.segmentOf(at + i, segments.length);
      int offset = order.offsetOf(at + i, segments.length);
      segments[segment][offset] = bytes[i];
      ends[segment] = Math.max(ends[segment], offset + 1);
    }
  }

  byte[] read(Order order, int at, int length) {
    byte[] bytes = new byte[Math.clamp(end(order) - at, 0, length)];
    for (int i = 0; i < bytes.length; i++) {
      int segment = order.segmentOf(at + i, segments.length);
      bytes[i] = segments[segment][order.offsetOf(at + i, segments.length)];
    }
    return bytes;
  }

  /** One segment as it is. */
  byte[] segment(int segment) {
    return Arrays.copyOf(segments[segment], ends[segment]);
  }
}
