package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Numbers as the little-endian bytes that the cases speak of, and whole files as arrays. Stateless.
 */
final class Bytes {

  /** Bytes of an int. */
  static final int INT = Integer.BYTES;

  private Bytes() {}

  static byte[] ofInts(int... ints) {
    ByteBuffer buffer = ByteBuffer.allocate(INT * ints.length).order(ByteOrder.LITTLE_ENDIAN);
    buffer.asIntBuffer().put(ints);
    return buffer.array();
  }

  /** The bytes of {@code value(0)}, {@code value(1)} and so on. */
  static byte[] ints(int count, IntUnaryOperator value) {
    return ofInts(IntStream.range(0, count).map(value).toArray());
  }

  static int[] toInts(byte[] bytes) {
    int[] ints = new int[bytes.length / INT];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(ints);
    return ints;
  }

  static byte[] ofDoubles(double... doubles) {
    ByteBuffer buffer =
        ByteBuffer.allocate(Double.BYTES * doubles.length).order(ByteOrder.LITTLE_ENDIAN);
    buffer.asDoubleBuffer().put(doubles);
    return buffer.array();
  }

  static double[] toDoubles(byte[] bytes) {
    double[] doubles = new double[bytes.length / Double.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(doubles);
    return doubles;
  }

  /** All bytes of a file, read by a rank alone, whatever the others do. */
  static byte[] ofFile(Rank rank, String path) throws IOException {
    try (SharedFile file = rank.alone().open(path, OpenOptions.read())) {
      byte[] all = new byte[Math.toIntExact(file.size())];
      assertThat(file.at(0).read(Memory.of(all))).isEqualTo(all.length);
      return all;
    }
  }

  /** As {@link #ofFile(Rank, String)}, by a program of one rank. */
  static byte[] ofFile(World world, String path) throws IOException {
    byte[][] result = new byte[1][];
    world.run(1, rank -> result[0] = ofFile(rank, path));
    return result[0];
  }
}
