package org.millrace.mount.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.error.ErrorCode;
import org.millrace.mount.fuse.Opcode;
import org.millrace.mount.serve.FakeKernel.Answer;
import org.millrace.mount.system.Errno;
import org.millrace.mount.system.Libc;
import org.millrace.testing.files.MemoryTree;

/** Every operation, as the kernel asks for it, from a tree in memory. */
final class ServeTest {

  private static final long ROOT = 1;
  private static final int READ_WRITE = 2;

  private final MemoryTree tree = new MemoryTree();
  private FakeKernel kernel = start();

  private FakeKernel start() {
    assumeTrue(Libc.isPossible(), "native calls need Linux and native access");
    return new FakeKernel(tree, 3);
  }

  @BeforeEach
  void begin() {
    kernel.user = 0;
  }

  @AfterEach
  void end() throws InterruptedException {
    kernel.close();
    assertThat(kernel.log).isEmpty();
  }

  @Test
  void versionAndFlagsAreWhatBothCanDo() throws IOException {
    Answer reply = kernel.ask(Opcode.INIT, 0, 7, 45, 1 << 20, -1, -1, new byte[44]);
    assertThat(reply.bytes().remaining()).isEqualTo(64);
    assertThat(reply.i4(0)).isEqualTo(7);
    assertThat(reply.i4(4)).isEqualTo(39);
    assertThat(reply.i4(12)).isEqualTo(0x50c4f43b);
    assertThat(reply.i4(20)).isEqualTo(1 << 20);
    assertThat(reply.bytes().getShort(28)).isEqualTo((short) 256);
    assertThat(reply.i4(32)).isEqualTo(1 << 4);
    Answer old = kernel.ask(Opcode.INIT, 0, 7, 31, 1 << 17, 1 << 5 | 1);
    assertThat(List.of(old.i4(4), old.i4(12), old.i4(32))).containsExactly(31, 1 << 5 | 1, 0);
    assertThat(kernel.ask(Opcode.INIT, 0, 7, 20, 0, 0).error()).isEqualTo(Errno.EPROTO.number());
    assertThat(kernel.ask(Opcode.INIT, 0, 8, 1, 0, 0).i4(0)).isEqualTo(7);
  }

  @Test
  void nodeHasGoldenBytes() throws IOException {
    make("f");
    Answer set =
        kernel.ask(
            Opcode.SETATTR,
            node("f"),
            1 << 4 | 1 << 5 | 1,
            0,
            0L,
            0L,
            0L,
            -2L,
            7L,
            0L,
            500,
            9,
            0,
            0100640,
            0,
            0,
            0,
            0);
    assertThat(set.error()).isZero();
    ByteBuffer entry = kernel.ask(Opcode.LOOKUP, ROOT, "f").bytes();
    entry.putLong(40 + 40, 0L).putInt(40 + 56, 0); // the time of the change is now
    byte[] golden =
        FakeKernel.packed(
            2L,
            0L,
            1L,
            1L,
            500_000_000,
            500_000_000, // node, generation, kept for 1.5 s
            2L,
            0L,
            0L,
            -2L,
            7L,
            0L,
            500,
            9,
            0, // number, size, blocks, times
            0100640,
            1,
            0,
            0,
            0,
            1 << 18,
            0); // mode, links, owner, group, device, block
    byte[] bytes = new byte[128];
    entry.get(0, bytes);
    assertThat(bytes).isEqualTo(golden);
  }

  @Test
  void namesComeGoAndChange() throws IOException {
    ok(kernel.ask(Opcode.MKDIR, ROOT, 0755, 022, "d"));
    fails(Errno.EEXIST, kernel.ask(Opcode.MKDIR, ROOT, 0755, 022, "d"));
    long open = make("f");
    long f = node("f");
    ok(kernel.ask(Opcode.LINK, node("d"), f, "g"));
    assertThat(kernel.ask(Opcode.LOOKUP, node("d"), "g").i8(0)).isEqualTo(f);
    assertThat(kernel.ask(Opcode.LOOKUP, node("d"), ".").i8(0)).isEqualTo(node("d"));
    assertThat(kernel.ask(Opcode.LOOKUP, node("d"), "..").i8(0)).isEqualTo(ROOT);
    fails(Errno.ENOTEMPTY, kernel.ask(Opcode.RMDIR, ROOT, "d"));
    fails(Errno.EISDIR, kernel.ask(Opcode.UNLINK, ROOT, "d"));
    ok(kernel.ask(Opcode.RENAME, ROOT, node("d"), "f", "g"));
    ok(kernel.ask(Opcode.RENAME2, node("d"), ROOT, 1, 0, "g", "h"));
    fails(Errno.EEXIST, kernel.ask(Opcode.RENAME2, ROOT, ROOT, 1, 0, "h", "d"));
    ok(kernel.ask(Opcode.RENAME2, ROOT, ROOT, 2, 0, "h", "d"));
    assertThat(node("d")).isEqualTo(f);
    fails(Errno.EINVAL, kernel.ask(Opcode.RENAME2, ROOT, ROOT, 4, 0, "h", "d"));
    ok(kernel.ask(Opcode.RMDIR, ROOT, "h"));
    ok(kernel.ask(Opcode.UNLINK, ROOT, "d"));
    ok(kernel.ask(Opcode.UNLINK, ROOT, "f"));
    fails(Errno.ENOENT, kernel.ask(Opcode.LOOKUP, ROOT, "d"));
    fails(Errno.ENAMETOOLONG, kernel.ask(Opcode.LOOKUP, ROOT, "x".repeat(256)));
    fails(Errno.EILSEQ, kernel.ask(Opcode.LOOKUP, ROOT, new byte[] {(byte) 0xff, 0}));
    assertThat(kernel.ask(Opcode.GETATTR, f, 0, 0, 0L).i4(16 + 64)).isZero();
    ok(kernel.ask(Opcode.RELEASE, f, open, READ_WRITE, 0, 0L));
    fails(Errno.ESTALE, kernel.ask(Opcode.GETATTR, f, 0, 0, 0L));
  }

  @Test
  void linksAndSpecialFilesAreMade() throws IOException {
    ok(kernel.ask(Opcode.SYMLINK, ROOT, "l", "where/ever"));
    assertThat(kernel.ask(Opcode.READLINK, node("l")).text()).isEqualTo("where/ever");
    fails(Errno.EINVAL, kernel.ask(Opcode.READLINK, ROOT));
    ok(kernel.ask(Opcode.MKNOD, ROOT, 0010600, 0, 0, 0, "pipe"));
    ok(kernel.ask(Opcode.MKNOD, ROOT, 0020600, 259, 0, 0, "null"));
    ok(kernel.ask(Opcode.MKNOD, ROOT, 0100600, 0, 0, 0, "plain"));
    fails(Errno.EINVAL, kernel.ask(Opcode.MKNOD, ROOT, 0150600, 0, 0, 0, "odd"));
    Answer device = kernel.ask(Opcode.GETATTR, node("null"), 0, 0, 0L);
    assertThat(List.of(device.i4(16 + 60), device.i4(16 + 76))).containsExactly(0020600, 259);
    assertThat(tree.openHandles()).isZero();
  }

  @Test
  void bytesAreWrittenReadAndCut() throws IOException {
    long handle = make("f");
    byte[] block = new byte[1 << 17]; // sockets take no more in one message
    for (int i = 0; i < block.length; i++) {
      block[i] = (byte) (i * 31 >> 3);
    }
    assertThat(write(handle, 5, 0, READ_WRITE, block).i4(0)).isEqualTo(block.length);
    Answer read = kernel.ask(Opcode.READ, node("f"), handle, 5L, 1 << 17, 0, 0L, 0, 0);
    assertThat(read.bytes().array()).endsWith(block);
    assertThat(read.bytes().remaining()).isEqualTo(block.length);
    Answer end = kernel.ask(Opcode.READ, node("f"), handle, (1L << 17) + 2, 4096, 0, 0L, 0, 0);
    assertThat(end.bytes().remaining()).isEqualTo(3);
    write(handle, 0, 0, 0x400 | READ_WRITE, "tail".getBytes(UTF_8));
    write(handle, 1, 1, 0x400 | READ_WRITE, "X".getBytes(UTF_8)); // from the page cache: in place
    assertThat(size("f")).isEqualTo((1 << 17) + 9);
    assertThat(kernel.ask(Opcode.READ, node("f"), handle, 0L, 3, 0, 0L, 0, 0).text())
        .isEqualTo("\0X\0");
    ok(
        kernel.ask(
            Opcode.SETATTR,
            node("f"),
            1 << 3 | 1 << 6,
            0,
            handle,
            6L,
            0L,
            0L,
            0L,
            0L,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0));
    assertThat(size("f")).isEqualTo(6);
    ok(kernel.ask(Opcode.FSYNC, node("f"), handle, 1, 0));
    ok(kernel.ask(Opcode.FALLOCATE, node("f"), handle, 0L, 100L, 0, 0));
    assertThat(size("f")).isEqualTo(100);
    ok(kernel.ask(Opcode.FALLOCATE, node("f"), handle, 0L, 200L, 1, 0));
    assertThat(size("f")).isEqualTo(100);
    fails(Errno.EOPNOTSUPP, kernel.ask(Opcode.FALLOCATE, node("f"), handle, 0L, 9L, 3, 0));
    ok(kernel.ask(Opcode.RELEASE, node("f"), handle, READ_WRITE, 0, 0L));
    fails(Errno.EBADF, kernel.ask(Opcode.READ, node("f"), handle, 0L, 3, 0, 0L, 0, 0));
    assertThat(tree.openHandles()).isZero();
  }

  @Test
  void openTruncatesAndHasAttributesAskedForAgain() throws IOException {
    long handle = make("f");
    write(handle, 0, 0, READ_WRITE, "hello".getBytes(UTF_8));
    Answer again = kernel.ask(Opcode.OPEN, node("f"), 0x200 | 1, 0);
    assertThat(again.i4(8)).isEqualTo(1 | 1 << 6);
    assertThat(size("f")).isZero();
    assertThat(kernel.notices).hasSize(1);
    ByteBuffer notice = kernel.notices.getFirst();
    assertThat(List.of(notice.getInt(4), notice.getLong(16), notice.getLong(24)))
        .isEqualTo(List.of(2, node("f"), -1L));
    fails(Errno.EEXIST, kernel.ask(Opcode.CREATE, ROOT, 0x80 | 2, 0100644, 0, 0, "f"));
  }

  @Test
  void fileWithoutNameLivesWhileItIsOpen() throws IOException {
    long handle = make("f");
    long node = node("f");
    ok(kernel.ask(Opcode.UNLINK, ROOT, "f"));
    write(handle, 0, 0, READ_WRITE, "hello".getBytes(UTF_8));
    assertThat(kernel.ask(Opcode.GETATTR, node, 0, 0, 0L).i8(16 + 8)).isEqualTo(5);
    assertThat(kernel.ask(Opcode.GETATTR, node, 1, 0, handle).i4(16 + 64)).isZero();
    ok(kernel.ask(Opcode.RELEASE, node, handle, READ_WRITE, 0, 0L));
    fails(Errno.ESTALE, kernel.ask(Opcode.GETATTR, node, 0, 0, 0L));
  }

  @Test
  void holesAreFoundAndRangesCopied() throws IOException {
    long handle = make("f");
    write(handle, 1 << 20, 0, READ_WRITE, "data".getBytes(UTF_8));
    assertThat(kernel.ask(Opcode.LSEEK, node("f"), handle, 0L, 3, 0).i8(0)).isEqualTo(1 << 20);
    assertThat(kernel.ask(Opcode.LSEEK, node("f"), handle, 0L, 4, 0).i8(0)).isZero();
    assertThat(kernel.ask(Opcode.LSEEK, node("f"), handle, 1L << 20, 4, 0).i8(0))
        .isEqualTo((1 << 20) + 4);
    fails(Errno.ENXIO, kernel.ask(Opcode.LSEEK, node("f"), handle, 2L << 20, 3, 0));
    long other = make("g");
    Answer copied =
        kernel.ask(
            Opcode.COPY_FILE_RANGE,
            node("f"),
            handle,
            (1L << 20) - 2,
            node("g"),
            other,
            7L,
            100L,
            0L);
    assertThat(copied.i4(0)).isEqualTo(6);
    assertThat(kernel.ask(Opcode.READ, node("g"), other, 7L, 100, 0, 0L, 0, 0).text())
        .isEqualTo("\0\0data");
  }

  @Test
  void ownersAreTheCallersAndRightsAreClearedOnWrite() throws IOException {
    kernel.user = 12345;
    long handle = make("f");
    assertThat(kernel.ask(Opcode.GETATTR, node("f"), 0, 0, 0L).i4(16 + 68)).isEqualTo(12345);
    chmod("f", 04755);
    write(handle, 0, 1 << 2, READ_WRITE, "x".getBytes(UTF_8));
    assertThat(kernel.ask(Opcode.GETATTR, node("f"), 0, 0, 0L).i4(16 + 60)).isEqualTo(0100755);
    chmod("f", 02755);
    ok(
        kernel.ask(
            Opcode.SETATTR, node("f"), 2, 0, 0L, 0L, 0L, 0L, 0L, 0L, 0, 0, 0, 0, 0, 99, 0, 0));
    Answer given = kernel.ask(Opcode.GETATTR, node("f"), 0, 0, 0L);
    assertThat(List.of(given.i4(16 + 60), given.i4(16 + 68))).containsExactly(0100755, 99);
  }

  @Test
  void setGroupDirectoryHandsItsGroupOn() throws IOException {
    ok(kernel.ask(Opcode.MKDIR, ROOT, 0777, 0, "d"));
    ok(
        kernel.ask(
            Opcode.SETATTR,
            node("d"),
            1 | 4,
            0,
            0L,
            0L,
            0L,
            0L,
            0L,
            0L,
            0,
            0,
            0,
            02777,
            0,
            0,
            77,
            0));
    Answer made = kernel.ask(Opcode.MKDIR, node("d"), 0755, 022, "e");
    assertThat(List.of(made.i4(40 + 60), made.i4(40 + 72))).containsExactly(0042755, 77);
    Answer file = kernel.ask(Opcode.CREATE, node("d"), 1, 0100644, 022, 0, "f");
    assertThat(List.of(file.i4(40 + 60), file.i4(40 + 72))).containsExactly(0100644, 77);
  }

  @Test
  void attributesOfUsersAreKept() throws IOException {
    make("f");
    long f = node("f");
    ok(kernel.ask(Opcode.SETXATTR, f, 3, 1, "user.a", new byte[] {1, 2, 3}));
    fails(Errno.EEXIST, kernel.ask(Opcode.SETXATTR, f, 1, 1, "user.a", new byte[] {1}));
    fails(Errno.ENODATA, kernel.ask(Opcode.SETXATTR, f, 1, 2, "user.b", new byte[] {1}));
    fails(Errno.ENOSPC, kernel.ask(Opcode.SETXATTR, f, 5000, 0, "user.b", new byte[5000]));
    assertThat(kernel.ask(Opcode.GETXATTR, f, 0, 0, "user.a").i4(0)).isEqualTo(3);
    fails(Errno.ERANGE, kernel.ask(Opcode.GETXATTR, f, 2, 0, "user.a"));
    assertThat(kernel.ask(Opcode.GETXATTR, f, 3, 0, "user.a").text()).isEqualTo("\1\2\3");
    fails(Errno.ENODATA, kernel.ask(Opcode.GETXATTR, f, 3, 0, "user.b"));
    fails(Errno.EOPNOTSUPP, kernel.ask(Opcode.GETXATTR, f, 3, 0, "system.posix_acl_access"));
    assertThat(kernel.ask(Opcode.LISTXATTR, f, 99, 0).text()).isEqualTo("user.a\0");
    ok(kernel.ask(Opcode.REMOVEXATTR, f, "user.a"));
    fails(Errno.ENODATA, kernel.ask(Opcode.REMOVEXATTR, f, "user.a"));
  }

  @Test
  void directoryIsReadInPartsWhileNamesGo() throws IOException {
    for (int i = 0; i < 2100; i++) {
      ok(kernel.ask(Opcode.MKNOD, ROOT, 0100600, 0, 0, 0, "n%04d".formatted(i)));
    }
    for (Opcode opcode : List.of(Opcode.READDIR, Opcode.READDIRPLUS)) {
      long handle = kernel.ask(Opcode.OPENDIR, ROOT, 0, 0).i8(0);
      List<String> names = new ArrayList<>();
      long cookie = 0;
      for (List<Entry> part = read(opcode, handle, cookie);
          !part.isEmpty();
          part = read(opcode, handle, cookie)) {
        part.forEach(entry -> names.add(entry.name()));
        cookie = part.getLast().cookie();
        if (opcode == Opcode.READDIRPLUS) { // as rm -r does
          for (Entry entry : part) {
            kernel.ask(Opcode.UNLINK, ROOT, entry.name());
          }
        }
      }
      assertThat(names).hasSize(2102).doesNotHaveDuplicates().startsWith(".", "..", "n0000");
      assertThat(read(opcode, handle, 0)).isNotEmpty();
      ok(kernel.ask(Opcode.FSYNCDIR, ROOT, handle, 0, 0));
      ok(kernel.ask(Opcode.RELEASEDIR, ROOT, handle, 0, 0, 0L));
    }
    fails(Errno.ENOENT, kernel.ask(Opcode.LOOKUP, ROOT, "n0000"));
  }

  @Test
  void locksOfOneProcessGoWithItsDescriptorAndKindsDoNotMeet() throws IOException {
    long one = make("f");
    long two = kernel.ask(Opcode.OPEN, node("f"), READ_WRITE, 0).i8(0);
    ok(lock(Opcode.SETLK, one, 111, 0, 99, 1, 0));
    ok(lock(Opcode.SETLK, one, 888, 0, Long.MAX_VALUE, 1, 1)); // flock of the same process
    fails(Errno.EAGAIN, lock(Opcode.SETLK, two, 222, 50, Long.MAX_VALUE, 0, 0));
    Answer found = lock(Opcode.GETLK, two, 222, 50, Long.MAX_VALUE, 1, 0);
    assertThat(List.of(found.i8(0), found.i8(8))).containsExactly(0L, 99L);
    assertThat(List.of(found.i4(16), found.i4(20))).containsExactly(1, 4711);
    fails(Errno.EAGAIN, lock(Opcode.SETLK, two, 999, 0, Long.MAX_VALUE, 0, 1));
    ok(kernel.ask(Opcode.FLUSH, node("f"), one, 0, 0, 111L));
    ok(lock(Opcode.SETLK, two, 222, 50, Long.MAX_VALUE, 1, 0));
    assertThat(lock(Opcode.GETLK, two, 222, 0, 10, 1, 0).i4(16)).isEqualTo(2);
    ok(kernel.ask(Opcode.RELEASE, node("f"), one, READ_WRITE, 2, 888L));
    ok(lock(Opcode.SETLK, two, 999, 0, Long.MAX_VALUE, 1, 1));
  }

  @Test
  void waitForALockHoldsUpNobodyAndCanBeInterrupted() throws IOException {
    long one = make("f");
    ok(lock(Opcode.SETLK, one, 1, 0, 9, 1, 0));
    List<Long> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) { // more than there are threads
      waiting.add(sendLock(one, 100 + i));
    }
    long gone = sendLock(one, 500);
    kernel.send(Opcode.INTERRUPT.number(), 0, gone);
    assertThat(kernel.await(gone).error()).isEqualTo(Errno.EINTR.number());
    ok(lock(Opcode.SETLK, one, 1, 0, 9, 2, 0));
    for (long unique : waiting) { // shared: all of them get it
      ok(kernel.await(unique));
    }
    for (int i = 0; i < 10; i++) {
      ok(kernel.ask(Opcode.FLUSH, node("f"), one, 0, 0, 100L + i));
    }
  }

  @Test
  void whatIsNotKnownIsRefusedAndForgettingHasNoAnswer() throws IOException {
    kernel.send(Opcode.FORGET.number(), 5, 1L);
    kernel.send(Opcode.BATCH_FORGET.number(), 0, 1, 0, 5L, 1L);
    for (Opcode opcode : List.of(Opcode.IOCTL, Opcode.POLL, Opcode.ACCESS, Opcode.TMPFILE)) {
      fails(Errno.ENOSYS, kernel.ask(opcode, ROOT, new byte[32]));
    }
    fails(Errno.ENOSYS, kernel.await(kernel.send(7, ROOT)));
    fails(Errno.ENOSYS, kernel.await(kernel.send(777, ROOT)));
    Answer space = kernel.ask(Opcode.STATFS, ROOT);
    assertThat(List.of(space.i8(0), (long) space.i4(44))).containsExactly((1L << 40) / 4096, 255L);
    ok(kernel.ask(Opcode.DESTROY, ROOT));
  }

  @Test
  void everyCodeHasAnErrorNumber() {
    for (ErrorCode code : ErrorCode.values()) {
      assertThat(Errors.of(code).number()).isPositive();
    }
  }

  private record Entry(String name, long cookie) {}

  private List<Entry> read(Opcode opcode, long handle, long cookie) throws IOException {
    ByteBuffer bytes = kernel.ask(opcode, ROOT, handle, cookie, 4096, 0, 0L, 0, 0).bytes();
    List<Entry> entries = new ArrayList<>();
    int front = opcode == Opcode.READDIRPLUS ? 128 : 0;
    for (int at = 0; at < bytes.remaining(); ) {
      int length = bytes.getInt(at + front + 16);
      byte[] name = new byte[length];
      bytes.get(at + front + 24, name);
      String text = new String(name, UTF_8);
      entries.add(new Entry(text, bytes.getLong(at + front + 8)));
      if (front > 0) {
        boolean dots = text.startsWith(".");
        assertThat(bytes.getLong(at)).isEqualTo(dots ? 0 : bytes.getLong(at + front));
      }
      at += front + (24 + length + 7) / 8 * 8;
    }
    return entries;
  }

  private long sendLock(long handle, long owner) throws IOException {
    return kernel.send(Opcode.SETLKW.number(), node("f"), handle, owner, 0L, 9L, 0, 4711, 0, 0);
  }

  private Answer lock(
      Opcode opcode, long handle, long owner, long start, long end, int type, int flags)
      throws IOException {
    return kernel.ask(opcode, node("f"), handle, owner, start, end, type, 4711, flags, 0);
  }

  private Answer write(long handle, long position, int how, int flags, byte[] bytes)
      throws IOException {
    return kernel.ask(Opcode.WRITE, 2, handle, position, bytes.length, how, 0L, flags, 0, bytes);
  }

  private void chmod(String name, int mode) throws IOException {
    ok(
        kernel.ask(
            Opcode.SETATTR, node(name), 1, 0, 0L, 0L, 0L, 0L, 0L, 0L, 0, 0, 0, mode, 0, 0, 0, 0));
  }

  private long make(String name) throws IOException {
    Answer made = kernel.ask(Opcode.CREATE, ROOT, READ_WRITE, 0100644, 022, 0, name);
    ok(made);
    return made.i8(128);
  }

  private long node(String name) throws IOException {
    return kernel.ask(Opcode.LOOKUP, ROOT, name).i8(0);
  }

  private long size(String name) throws IOException {
    return kernel.ask(Opcode.LOOKUP, ROOT, name).i8(40 + 8);
  }

  private static void ok(Answer answer) {
    assertThat(answer.error()).isZero();
  }

  private static void fails(Errno errno, Answer answer) {
    assertThat(answer.error()).isEqualTo(errno.number());
  }
}
