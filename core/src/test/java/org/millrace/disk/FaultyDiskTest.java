package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.millrace.disk.Faults.Operation;
import org.millrace.env.SeededEnv;
import org.millrace.error.DiskFullException;

/** The faults come when and where they were ordered. */
final class FaultyDiskTest {

  private final MemoryDisk memory = new MemoryDisk("memory");
  private final Faults faults = Faults.seeded(1);
  private final FaultyDisk disk = new FaultyDisk(memory, faults);

  private static MemorySegment ones(int bytes) {
    MemorySegment ones = MemorySegment.ofArray(new byte[bytes]);
    return ones.fill((byte) 1);
  }

  @Test
  void operationsFailByNameAndCount() throws IOException {
    faults.fail(Operation.WRITE, name -> name.equals("b"), 1, 2);
    DiskFile a = disk.create("a");
    DiskFile b = disk.create("b");
    a.write(0, ones(1));
    b.write(0, ones(1));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> b.write(0, ones(1)))
          .hasMessageContaining("injected")
          .hasMessageContaining("memory");
      a.write(0, ones(1));
    }
    b.write(0, ones(1));
    faults.fail(Operation.OPEN, name -> true, 0, 1).fail(Operation.READ, name -> true, 0, 1);
    assertThatThrownBy(() -> disk.open("a")).hasMessageContaining("OPEN");
    assertThatThrownBy(() -> a.read(0, ones(1))).hasMessageContaining("READ");
  }

  @Test
  void failedForceIsFinal() throws IOException {
    faults.fail(Operation.FORCE, name -> true, 0, 1);
    DiskFile a = disk.create("a");
    assertThatThrownBy(a::force).hasMessageContaining("injected");
    faults.clear();
    assertThatThrownBy(a::force).hasMessageContaining("earlier");
  }

  @Test
  void droppedForceIsNoForce() throws IOException {
    faults.dropForces(name -> name.equals("a"));
    DiskFile a = disk.create("a");
    a.write(0, ones(1));
    a.force();
    disk.force();
    assertThat(memory.crash().open("a").size()).isZero();
  }

  @Test
  void fullDiskTakesNothingMore() throws IOException {
    faults.fullAfter(10);
    DiskFile a = disk.create("a");
    a.write(0, ones(8));
    assertThatThrownBy(() -> a.write(8, ones(3)))
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("2 are left");
    a.write(8, ones(2));
  }

  @Test
  void powerFailsForGood() throws IOException {
    DiskFile a = disk.create("a");
    faults.cutPowerAfter(1);
    a.write(0, ones(1));
    assertThatThrownBy(() -> a.write(0, ones(1))).hasMessageContaining("no power");
    assertThatThrownBy(disk::force).hasMessageContaining("no power");
  }

  @Test
  void bitsFlipOnReadAndAtRest() throws IOException {
    DiskFile a = disk.create("a");
    a.write(0, MemorySegment.ofArray(new byte[100]));
    faults.flipOnRead(name -> true, 0, 1);
    assertThat(flipped(a)).isEqualTo(1);
    assertThat(flipped(a)).isZero();
    disk.flipBit("a", 8 * 99 + 7);
    assertThat(flipped(a)).isEqualTo(1);
  }

  private static int flipped(DiskFile file) throws IOException {
    byte[] read = new byte[100];
    assertThat(file.read(0, MemorySegment.ofArray(read))).isEqualTo(100);
    int bits = 0;
    for (byte b : read) {
      bits += Integer.bitCount(b & 0xff);
    }
    return bits;
  }

  @Test
  void transfersComeShort() throws IOException {
    faults.shortTransfers(1);
    DiskFile a = disk.create("a");
    assertThatThrownBy(() -> a.write(0, ones(99_999))).hasMessageContaining("of 99999 bytes");
    assertThat(a.size()).isBetween(1L, 99_998L);
    assertThat(a.size() % 512).as("sectors are written whole").isZero();
    long size = a.size();
    MemorySegment read = MemorySegment.ofArray(new byte[99_999]);
    assertThat(a.read(0, read)).isLessThan(size);
    assertThat(FullReads.full(a, 0, read)).isEqualTo(size);
    assertThat(read.get(ValueLayout.JAVA_BYTE, size - 1)).isEqualTo((byte) 1);
  }

  @Test
  void delaysPassOnTheClockOfTheEnvironment() {
    SeededEnv env = SeededEnv.of(1);
    faults.delay(Operation.FORCE, env, 5_000_000);
    long before = env.nanoTime();
    env.run(
        () -> {
          try {
            DiskFile a = disk.create("a");
            a.write(0, ones(1));
            a.force();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    assertThat(env.nanoTime() - before).isEqualTo(5_000_000);
  }
}
