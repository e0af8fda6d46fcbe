package org.millrace.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;
import org.millrace.testing.Seeds;

final class RingTest {

  private static final int SMALL = 8;

  private final MemorySegment region = region(SMALL);
  private final RingWriter writer = new RingWriter(region);
  private final RingReader reader = new RingReader(region);

  @Test
  void bytesComeOutAsTheyWentInAroundEveryCorner() throws IOException {
    for (int start = 0; start < SMALL; start++) {
      for (int in = 0; in <= SMALL + 1; in++) {
        for (int out = 0; out <= SMALL + 1; out++) {
          MemorySegment fresh = region(SMALL);
          checkCorner(new RingWriter(fresh), new RingReader(fresh), start, in, out);
        }
      }
    }
  }

  private static void checkCorner(RingWriter writer, RingReader reader, int start, int in, int out)
      throws IOException {
    put(writer, reader, start);
    MemorySegment source = bytes(in, start);
    int taken = writer.write(source, 0, in);
    assertThat(taken).isEqualTo(Math.min(in, SMALL));
    assertThat(reader.readableBytes()).as("not published yet").isZero();
    writer.publish();
    assertThat(reader.readableBytes()).isEqualTo(taken);
    assertThat(writer.writableBytes()).isEqualTo(SMALL - taken);
    MemorySegment target = MemorySegment.ofArray(new byte[SMALL + 2]);
    int read = reader.read(target, 1, out);
    assertThat(read).isEqualTo(Math.min(out, taken));
    assertThat(MemorySegment.mismatch(source, 0, read, target, 1, 1 + read)).isEqualTo(-1);
    assertThat(target.get(ValueLayout.JAVA_BYTE, 0)).isZero();
    for (long i = 1L + read; i < target.byteSize(); i++) {
      assertThat(target.get(ValueLayout.JAVA_BYTE, i)).isZero();
    }
    assertThat(writer.writableBytes()).as("not released yet").isEqualTo(SMALL - taken);
    reader.release();
    assertThat(writer.writableBytes()).isEqualTo(SMALL - taken + read);
  }

  @Test
  void randomStreamEqualsAQueue() throws IOException {
    for (long seed : Seeds.of(20)) {
      Random random = new Random(seed);
      int capacity = 8 << random.nextInt(6);
      MemorySegment fresh = region(capacity);
      RingWriter in = new RingWriter(fresh);
      RingReader out = new RingReader(fresh);
      ArrayDeque<Byte> model = new ArrayDeque<>();
      int unpublished = 0;
      int unreleased = 0;
      for (int step = 0; step < 20_000; step++) {
        String place = Seeds.replay(seed) + " step " + step;
        switch (random.nextInt(6)) {
          case 0 -> {
            byte[] bytes = new byte[random.nextInt(capacity + 4)];
            random.nextBytes(bytes);
            int taken = in.write(MemorySegment.ofArray(bytes), 0, bytes.length);
            assertThat(taken)
                .as(place)
                .isEqualTo(Math.min(bytes.length, capacity - model.size() - unreleased));
            for (int i = 0; i < taken; i++) {
              model.add(bytes[i]);
            }
            unpublished += taken;
          }
          case 1 -> {
            int room = in.stretchBytes();
            assertThat(room).as(place).isLessThanOrEqualTo(capacity - model.size() - unreleased);
            assertThat(room > 0).isEqualTo(capacity > model.size() + unreleased);
            int bytes = random.nextInt(room + 1);
            for (int i = 0; i < bytes; i++) {
              byte value = (byte) random.nextInt();
              in.memory().set(ValueLayout.JAVA_BYTE, in.stretchOffset() + i, value);
              model.add(value);
            }
            in.advance(bytes);
            unpublished += bytes;
          }
          case 2 -> {
            assertThat(in.publish()).isFalse();
            unpublished = 0;
          }
          case 3 -> {
            byte[] bytes = new byte[random.nextInt(capacity + 4)];
            int read = out.read(MemorySegment.ofArray(bytes), 0, bytes.length);
            assertThat(read)
                .as(place)
                .isEqualTo(Math.min(bytes.length, model.size() - unpublished));
            for (int i = 0; i < read; i++) {
              assertThat(bytes[i]).as(place).isEqualTo(model.remove());
            }
            unreleased += read;
          }
          case 4 -> {
            int there = out.stretchBytes();
            assertThat(there > 0).as(place).isEqualTo(model.size() > unpublished);
            int bytes = random.nextInt(there + 1);
            for (int i = 0; i < bytes; i++) {
              assertThat(out.memory().get(ValueLayout.JAVA_BYTE, out.stretchOffset() + i))
                  .as(place)
                  .isEqualTo(model.remove());
            }
            out.advance(bytes);
            unreleased += bytes;
          }
          default -> {
            assertThat(out.release()).isFalse();
            unreleased = 0;
          }
        }
      }
    }
  }

  @Test
  void sleepingReaderIsToBeWokenOnce() throws IOException {
    assertThat(reader.park()).isTrue();
    assertThat(writer.publish()).as("nothing to wake for").isFalse();
    writer.write(bytes(2, 0), 0, 1);
    assertThat(writer.publish()).isTrue();
    writer.write(bytes(2, 0), 1, 1);
    assertThat(writer.publish()).as("somebody is on the way already").isFalse();
    assertThat(reader.park()).as("there is something to read").isFalse();
    writer.write(bytes(1, 0), 0, 1);
    assertThat(writer.publish()).as("the reader did not sleep").isFalse();
  }

  @Test
  void sleepingWriterIsToBeWokenOnceThereIsTheRoomItWants() throws IOException {
    assertThat(writer.park(SMALL)).isFalse();
    put(writer, SMALL);
    assertThat(writer.park(3)).isTrue();
    MemorySegment target = MemorySegment.ofArray(new byte[SMALL]);
    assertThat(reader.release()).isFalse();
    reader.read(target, 0, 2);
    assertThat(reader.release()).as("2 of 3 bytes").isFalse();
    reader.read(target, 0, 1);
    assertThat(reader.release()).isTrue();
    reader.read(target, 0, 1);
    assertThat(reader.release()).as("once").isFalse();
    assertThat(writer.park(4)).isFalse();
    assertThat(writer.park(5)).isTrue();
    writer.unpark();
    reader.read(target, 0, 4);
    assertThat(reader.release()).as("it is awake").isFalse();
  }

  @Test
  void positionsThatCannotBeAreErrors() throws IOException {
    put(writer, 5);
    for (long tail : new long[] {-1, SMALL + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      region.set(ValueLayout.JAVA_LONG, Ring.TAIL, tail);
      assertBroken(reader::readableBytes);
      assertBroken(reader::stretchBytes);
      assertBroken(reader::park);
      assertBroken(() -> reader.read(bytes(SMALL, 0), 0, SMALL));
    }
    region.set(ValueLayout.JAVA_LONG, Ring.TAIL, 5);
    assertThat(reader.readableBytes()).isEqualTo(5);
    region.set(ValueLayout.JAVA_LONG, Ring.TAIL, 4);
    assertBroken(reader::readableBytes);
    for (long head : new long[] {-1, 6, Long.MAX_VALUE, Long.MIN_VALUE}) {
      region.set(ValueLayout.JAVA_LONG, Ring.HEAD, head);
      assertBroken(writer::writableBytes);
      assertBroken(writer::stretchBytes);
      assertBroken(() -> writer.write(bytes(SMALL, 0), 0, SMALL));
    }
    region.set(ValueLayout.JAVA_LONG, Ring.HEAD, 3);
    assertThat(writer.writableBytes()).isEqualTo(6);
    region.set(ValueLayout.JAVA_LONG, Ring.HEAD, 2);
    assertBroken(writer::writableBytes);
  }

  @Test
  void wrongUseIsRefused() throws IOException {
    assertThatThrownBy(() -> new RingWriter(MemorySegment.ofArray(new long[64])))
        .hasMessageContaining("was 0");
    assertThatThrownBy(() -> new RingReader(MemorySegment.ofArray(new long[67])))
        .hasMessageContaining("was 24");
    assertThatThrownBy(() -> writer.write(bytes(3, 0), 1, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> writer.advance(SMALL + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> reader.advance(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> writer.park(SMALL + 1)).hasMessageContaining("room of 9 bytes");
    writer.write(bytes(1, 0), 0, 1);
    assertThatThrownBy(() -> writer.park(1)).isInstanceOf(IllegalStateException.class);
  }

  private static void assertBroken(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("other side");
  }

  private static void put(RingWriter writer, int bytes) throws IOException {
    assertThat(writer.write(bytes(bytes, 0), 0, bytes)).isEqualTo(bytes);
    writer.publish();
  }

  private static void put(RingWriter writer, RingReader reader, int bytes) throws IOException {
    put(writer, bytes);
    reader.read(MemorySegment.ofArray(new byte[bytes]), 0, bytes);
    reader.release();
  }

  private static MemorySegment bytes(int count, int first) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (first + i + 1);
    }
    return MemorySegment.ofArray(bytes);
  }

  private static MemorySegment region(int capacity) {
    return Arena.ofAuto().allocate(Ring.bytesFor(capacity), 64);
  }
}
