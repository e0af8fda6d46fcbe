package org.millrace.bench.papers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.millrace.bench.measure.WrongResultException;

/**
 * A record of numbers that compress to about 30 KB, more or less as they change. Updates add, so
 * that their order does not matter. The inflater and deflater are used again; closing ends them.
 *
 * <p>Belongs to one thread.
 */
final class ColumbusRecord implements AutoCloseable {

  /** Room that a record has in the file, however badly it compresses. */
  static final int SLOT = 80 << 10;

  /** In front of the compressed bytes: how many they are. */
  static final int HEADER = Integer.BYTES;

  private static final int NUMBERS = 12_500;
  private static final int BITS = 13;
  private static final int CHANGES = 1000;

  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
  private final Inflater inflater = new Inflater();
  private final byte[] plain = new byte[NUMBERS * Integer.BYTES];

  /** What a record holds before the first update. */
  static int[] initial(int record) {
    SplittableRandom random = new SplittableRandom(record);
    int[] numbers = new int[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = random.nextInt(1 << BITS);
    }
    return numbers;
  }

  /** Adds what an update adds; {@code update} says which it is. */
  static void apply(int[] numbers, long update) {
    SplittableRandom random = new SplittableRandom(update);
    int from = random.nextInt(NUMBERS);
    int amount = 1 + random.nextInt(1 << BITS);
    for (int i = 0; i < CHANGES; i++) {
      numbers[(from + i) % NUMBERS] += amount;
    }
  }

  /** Header and compressed bytes; returns how many. */
  int compress(int[] numbers, byte[] into) {
    ByteBuffer.wrap(plain).asIntBuffer().put(numbers);
    deflater.reset();
    deflater.setInput(plain);
    deflater.finish();
    int length = deflater.deflate(into, HEADER, SLOT - HEADER);
    if (!deflater.finished()) {
      throw new WrongResultException("a record does not fit into " + SLOT + " bytes");
    }
    ByteBuffer.wrap(into).putInt(0, length);
    return HEADER + length;
  }

  /** The numbers that {@code length} compressed bytes hold. */
  int[] decompress(byte[] compressed, int length) throws IOException {
    inflater.reset();
    inflater.setInput(compressed, 0, length);
    try {
      if (inflater.inflate(plain) != plain.length || !inflater.finished()) {
        throw new WrongResultException("a record of " + length + " bytes is cut or too long");
      }
    } catch (DataFormatException e) {
      throw new IOException("a record of " + length + " bytes is torn", e);
    }
    int[] numbers = new int[NUMBERS];
    ByteBuffer.wrap(plain).asIntBuffer().get(numbers);
    return numbers;
  }

  @Override
  public void close() {
    deflater.end();
    inflater.end();
  }
}
