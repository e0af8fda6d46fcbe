package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.testing.Seeds;

/** What every disk promises. */
abstract class DiskContractTest {

  private Disk disk;

  /** A fresh, empty disk. */
  abstract Disk make() throws IOException;

  @BeforeEach
  final void makeDisk() throws IOException {
    disk = make();
  }

  @AfterEach
  final void closeDisk() throws IOException {
    disk.close();
  }

  static MemorySegment bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return MemorySegment.ofArray(bytes);
  }

  private static void assertCode(
      ErrorCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void writtenBytesAreReadBack() throws IOException {
    DiskFile file = disk.create("a");
    file.write(3, bytes(1, 2, 3));
    assertThat(file.size()).isEqualTo(6);
    byte[] read = new byte[6];
    assertThat(file.read(0, MemorySegment.ofArray(read))).isEqualTo(6);
    assertThat(read).containsExactly(0, 0, 0, 1, 2, 3);
  }

  @Test
  void readPastEndReturnsShortCountAndLeavesTheRestAlone() throws IOException {
    DiskFile file = disk.create("a");
    file.write(0, bytes(1, 2, 3));
    byte[] read = {9, 9, 9, 9};
    assertThat(file.read(1, MemorySegment.ofArray(read))).isEqualTo(2);
    assertThat(read).containsExactly(2, 3, 9, 9);
    assertThat(file.read(3, MemorySegment.ofArray(read))).isZero();
    assertThat(file.read(1L << 40, MemorySegment.ofArray(read))).isZero();
  }

  @Test
  void readIntoSeveralSegmentsFillsOneAfterTheOther() throws IOException {
    DiskFile file = disk.create("a");
    byte[] content = new byte[1000];
    new Random(1).nextBytes(content);
    file.write(0, MemorySegment.ofArray(content));
    try (Arena arena = Arena.ofShared()) {
      for (boolean heap : new boolean[] {false, true}) {
        List<MemorySegment> into = new ArrayList<>();
        for (int size : new int[] {1, 100, 0, 399, 600}) {
          into.add(
              heap
                  ? MemorySegment.ofArray(new byte[size])
                  : arena.allocate(Math.max(1, size)).asSlice(0, size));
        }
        assertThat(file.read(10, into)).isEqualTo(990);
        int at = 10;
        for (MemorySegment segment : into) {
          byte[] expected =
              Arrays.copyOf(
                  Arrays.copyOfRange(content, at, Math.min(1000, at + (int) segment.byteSize())),
                  (int) segment.byteSize());
          assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
          at += (int) segment.byteSize();
        }
      }
      MemorySegment last = arena.allocate(20);
      assertThat(file.read(985, List.of(arena.allocate(5), last))).isEqualTo(15);
      assertThat(last.toArray(ValueLayout.JAVA_BYTE))
          .isEqualTo(Arrays.copyOf(Arrays.copyOfRange(content, 990, 1000), 20));
      assertThat(file.read(2000, List.of(arena.allocate(5), arena.allocate(5)))).isZero();
    }
  }

  @Test
  void moreSegmentsThanOneSystemCallTakesAreAllFilled() throws IOException {
    DiskFile file = disk.create("a");
    byte[] content = new byte[3000];
    new Random(2).nextBytes(content);
    file.write(0, MemorySegment.ofArray(content));
    try (Arena arena = Arena.ofShared()) {
      MemorySegment all = arena.allocate(3000);
      List<MemorySegment> into = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        into.add(all.asSlice(i, 1));
      }
      assertThat(file.read(0, into)).isEqualTo(3000);
      assertThat(all.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
    }
  }

  @Test
  void filesAreSparse() throws IOException {
    DiskFile file = disk.create("a");
    long far = (16L << 40) - 4097;
    file.write(far, bytes(7));
    assertThat(file.size()).isEqualTo(far + 1);
    MemorySegment read = bytes(1, 1);
    assertThat(file.read(far - 1, read)).isEqualTo(2);
    assertThat(read.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 7);
  }

  @Test
  void resizeCutsAndExtendsWithZeros() throws IOException {
    DiskFile file = disk.create("a");
    file.write(0, bytes(1, 2, 3, 4));
    file.resize(2);
    assertThat(file.size()).isEqualTo(2);
    file.resize(1000);
    assertThat(file.size()).isEqualTo(1000);
    MemorySegment read = bytes(9, 9, 9, 9);
    assertThat(file.read(0, read)).isEqualTo(4);
    assertThat(read.toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 0, 0);
  }

  @Test
  void preallocateDoesNotChangeTheSize() throws IOException {
    DiskFile file = disk.create("a");
    file.write(0, bytes(1));
    file.preallocate(1 << 20);
    assertThat(file.size()).isEqualTo(1);
  }

  @Test
  void randomOperationsAgreeWithAPlainArray() throws IOException {
    for (long seed : Seeds.of(5)) {
      Random random = new Random(seed);
      DiskFile file = disk.create("f" + Long.toUnsignedString(seed));
      byte[] model = new byte[1 << 18];
      int size = 0;
      try (Arena arena = Arena.ofShared()) {
        MemorySegment buffer = arena.allocate(1 << 16, 4096);
        for (int step = 0; step < 200; step++) {
          boolean aligned = random.nextBoolean();
          int at = aligned ? 4096 * random.nextInt(40) : random.nextInt(1 << 17);
          int count = aligned ? 4096 * random.nextInt(17) : random.nextInt(1 << 16);
          MemorySegment part =
              buffer.asSlice(
                  aligned ? 0 : random.nextInt(10),
                  count == 1 << 16 ? count : Math.min(count, 60_000));
          count = (int) part.byteSize();
          switch (random.nextInt(5)) {
            case 0, 1 -> {
              byte[] bytes = new byte[count];
              random.nextBytes(bytes);
              part.copyFrom(MemorySegment.ofArray(bytes));
              file.write(at, part);
              System.arraycopy(bytes, 0, model, at, count);
              size = count == 0 ? size : Math.max(size, at + count);
            }
            case 2, 3 -> {
              int there = Math.clamp(size - at, 0, count);
              assertThat(file.read(at, part)).as(Seeds.replay(seed)).isEqualTo(there);
              assertThat(part.asSlice(0, there).toArray(ValueLayout.JAVA_BYTE))
                  .as(Seeds.replay(seed))
                  .isEqualTo(Arrays.copyOfRange(model, at, at + there));
            }
            default -> {
              file.resize(at);
              if (at < size) {
                Arrays.fill(model, at, model.length, (byte) 0);
              }
              size = at;
              file.force();
            }
          }
          assertThat(file.size()).as(Seeds.replay(seed)).isEqualTo(size);
        }
      }
    }
  }

  @Test
  void anOpenFileGoesOnUnderItsNewName() throws IOException {
    disk.create("b").close();
    DiskFile file = disk.create("a");
    file.write(0, bytes(1, 2, 3));
    disk.rename("a", "b");
    file.preallocate(10_000);
    file.resize(5_000);
    file.write(4_999, bytes(9));
    file.force();
    assertThat(disk.list()).containsExactly("b");
    file.close();
    try (DiskFile again = disk.open("b")) {
      assertThat(again.size()).isEqualTo(5_000);
    }
  }

  @Test
  void namesAreCreatedListedRenamedAndDeleted() throws IOException {
    disk.create("b").write(0, bytes(1));
    disk.create("a-1.x_Y");
    assertThat(disk.list()).containsExactly("a-1.x_Y", "b");
    disk.rename("b", "a-1.x_Y");
    assertThat(disk.list()).containsExactly("a-1.x_Y");
    assertThat(disk.open("a-1.x_Y").size()).isEqualTo(1);
    assertThat(disk.exists("b")).isFalse();
    disk.delete("a-1.x_Y");
    disk.delete("a-1.x_Y");
    assertThat(disk.list()).isEmpty();
    disk.force();
  }

  @Test
  void missingAndTakenNamesAreErrors() throws IOException {
    disk.create("a");
    assertThatThrownBy(() -> disk.open("b"))
        .isInstanceOf(NoSuchNameException.class)
        .hasMessageContaining("b");
    assertThatThrownBy(() -> disk.rename("b", "c")).isInstanceOf(NoSuchNameException.class);
    assertThatThrownBy(() -> disk.create("a"))
        .isInstanceOf(NameExistsException.class)
        .hasMessageContaining(disk.name());
  }

  @Test
  void namesThatAreNotPlainAreRefused() {
    for (String name :
        new String[] {"", ".", "..", "a/b", "/a", "a\0b", "ä", ".hidden", "x".repeat(300), "a b"}) {
      assertThatThrownBy(() -> disk.create(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> disk.open(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> disk.delete(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> disk.rename("a", name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void positionsBelowZeroAndBeyondTheLongsAreRefused() throws IOException {
    DiskFile file = disk.create("a");
    assertThatThrownBy(() -> file.read(-1, bytes(1))).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> file.write(Long.MAX_VALUE, bytes(1)))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> file.resize(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void closedFilesAndDisksRefuse() throws IOException {
    DiskFile file = disk.create("a");
    DiskFile other = disk.create("b");
    file.close();
    file.close();
    assertCode(ErrorCode.CLOSED, () -> file.write(0, bytes(1)));
    assertCode(ErrorCode.CLOSED, () -> file.read(0, bytes(1)));
    assertCode(ErrorCode.CLOSED, file::force);
    other.write(0, bytes(1));
    disk.close();
    disk.close();
    assertCode(ErrorCode.CLOSED, () -> other.read(0, bytes(1)));
    assertCode(ErrorCode.CLOSED, () -> disk.open("a"));
    assertCode(ErrorCode.CLOSED, disk::list);
  }

  @Test
  void interruptedThreadCanStillTransfer() throws IOException {
    DiskFile file = disk.create("a");
    Thread.currentThread().interrupt();
    file.write(0, bytes(1, 2));
    file.force();
    MemorySegment read = bytes(0, 0);
    assertThat(file.read(0, read)).isEqualTo(2);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(read.toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2);
  }

  @Test
  void threadsTransferSideBySide() throws Exception {
    DiskFile file = disk.create("a");
    List<Thread> threads = new ArrayList<>();
    List<Throwable> errors = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int t = 0; t < 4; t++) {
      int me = t;
      threads.add(
          Env.real()
              .start(
                  ThreadKind.DISK,
                  "t" + t,
                  () -> {
                    try (Arena arena = Arena.ofShared()) {
                      MemorySegment one = arena.allocate(4096, 4096);
                      MemorySegment two = arena.allocate(4096, 4096);
                      for (int i = 0; i < 100; i++) {
                        long at = 8192L * (4 * i + me);
                        one.fill((byte) (me + i));
                        two.fill((byte) (me - i));
                        file.write(at, one);
                        file.write(at + 4096, two);
                        one.fill((byte) 0);
                        two.fill((byte) 0);
                        assertThat(file.read(at, List.of(one, two))).isEqualTo(8192);
                        assertThat(one.get(ValueLayout.JAVA_BYTE, 4095)).isEqualTo((byte) (me + i));
                        assertThat(two.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) (me - i));
                      }
                    } catch (Throwable e) {
                      errors.add(e);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(errors).isEmpty();
  }
}
