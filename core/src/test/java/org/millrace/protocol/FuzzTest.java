package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.testing.Seeds;

final class FuzzTest {

  private static final int SEEDS = 8;
  private static final int MUTATIONS = 5000;

  /** What a decoder may allocate for each byte, and in any case; most of it is garbage at once. */
  private static final long BYTES_PER_BYTE = 150;

  private static final long BYTES_ALWAYS = 16 << 10;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void mutatedMessagesAreMessagesOrRefused() {
    int understood = 0;
    for (long seed : Seeds.of(SEEDS)) {
      Random random = new Random(seed);
      RandomMessages messages = new RandomMessages(random);
      for (int i = 0; i < MUTATIONS; i++) {
        byte[] bytes = mutated(messages, random);
        try {
          checkMemory(bytes);
          understood += FuzzTarget.check(bytes) ? 1 : 0;
        } catch (RuntimeException | StackOverflowError | AssertionError e) {
          throw new AssertionError(Seeds.replay(seed), e);
        }
      }
    }
    // Both ways out were taken, or nothing was tried.
    assertThat(understood).isBetween(1, Seeds.of(SEEDS).length * MUTATIONS - 1);
  }

  private static byte[] mutated(RandomMessages messages, Random random) {
    byte[] bytes = WireCodecTest.encode(messages.make(kind(random)));
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      bytes = mutate(bytes, messages, random);
    }
    return bytes;
  }

  private static Kind kind(Random random) {
    List<Kind> kinds = List.of(Kind.values());
    return kinds.get(random.nextInt(kinds.size()));
  }

  private static byte[] mutate(byte[] bytes, RandomMessages messages, Random random) {
    int at = random.nextInt(bytes.length + 1);
    byte[] result = bytes.clone();
    switch (random.nextInt(5)) {
      case 0 -> {
        if (at < result.length) {
          result[at] ^= (byte) (1 << random.nextInt(8));
        }
      }
      case 1 -> {
        if (at < result.length) {
          result[at] = (byte) new int[] {0, 1, 0x7f, 0x80, 0xff}[random.nextInt(5)];
        }
      }
      case 2 -> result = Arrays.copyOf(bytes, at);
      case 3 -> {
        result = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(20));
        for (int i = bytes.length; i < result.length; i++) {
          result[i] = (byte) random.nextInt();
        }
      }
      default -> {
        byte[] other = WireCodecTest.encode(messages.make(kind(random)));
        int from = random.nextInt(other.length);
        result = Arrays.copyOf(bytes, at + other.length - from);
        System.arraycopy(other, from, result, at, other.length - from);
      }
    }
    return result;
  }

  private void checkMemory(byte[] bytes) {
    long max = BYTES_ALWAYS + BYTES_PER_BYTE * bytes.length;
    // Whatever is done for the first time may load classes; the second time tells.
    long taken = taken(bytes);
    if (taken > max) {
      taken = taken(bytes);
    }
    if (taken > max) {
      throw new AssertionError(bytes.length + " bytes made the decoder take " + taken);
    }
  }

  private long taken(byte[] bytes) {
    Decoder from = new Decoder(ByteBuffer.wrap(bytes));
    long before = threads.getCurrentThreadAllocatedBytes();
    try {
      WireCodec.INSTANCE.decode(from);
    } catch (MillraceException e) {
      // what is refused must not have taken memory, either
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
