package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.scenario.BadInputs.assertFails;
import static org.millrace.scenario.BadInputs.segment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;

/**
 * Arguments that no call can mean: refused at once, on the rank that gave them, and nothing is
 * harmed.
 */
final class BadInputArgumentsTest {

  private static final byte[] CONTENT = BadInputs.content(200_000, 1);

  interface Wrong {
    void run(Rank rank, SharedFile file) throws Exception;
  }

  /** Does wrong things to a file of known content, which must then be as it was and work on. */
  private static void unharmed(OpenOptions how, Wrong wrong) throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(3)) {
      BadInputs.store(cluster, "file", CONTENT);
      cluster.run(
          2,
          rank -> {
            SharedFile file = rank.open("file", how);
            file.seek(7);
            wrong.run(rank, file);
            rank.barrier();
            if (!file.isClosed()) {
              assertThat(file.position()).isEqualTo(7);
              assertThat(file.size()).isEqualTo(CONTENT.length);
              if (how.has(OpenFlag.READ)) {
                byte[] next = new byte[100];
                assertThat(file.at(0).read(Memory.of(next))).isEqualTo(100);
                assertThat(next).startsWith(CONTENT[0], CONTENT[1]);
              }
              file.close();
            }
            BadInputs.assertContent(rank, "file", CONTENT);
          });
    }
  }

  private static void refused(
      Class<? extends Throwable> kind, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOf(kind)
        .satisfies(e -> assertThat(e.getMessage()).contains(words));
  }

  private static void refused(ThrowingCallable call, String... words) {
    refused(IllegalArgumentException.class, call, words);
  }

  @Test
  void negativePositionsAreRefusedByEveryCallThatTakesOne() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          String said = "-3";
          refused(() -> file.at(-3).read(eight), said);
          refused(() -> file.at(-3).write(eight), said);
          refused(() -> file.at(-3).read(Memory.of(List.of(eight))), said);
          refused(() -> file.at(-3).write(Memory.of(List.of(eight))), said);
          refused(() -> file.at(-3).read(Memory.of(new byte[8])), said);
          refused(() -> file.at(-3).write(Memory.of(ByteBuffer.allocate(8))), said);
          refused(() -> file.at(-3).readAsync(eight), said);
          refused(() -> file.at(-3).writeAsync(eight), said);
          refused(() -> file.at(-3).all().read(eight), said);
          refused(() -> file.at(-3).all().write(eight), said);
          refused(() -> file.at(-3).all().readAsync(eight), said);
          refused(() -> file.at(-3).all().writeAsync(eight), said);
          refused(() -> file.seek(-3), said);
          refused(() -> file.seekShared(-3), said);
          refused(() -> file.resize(-3), said);
          refused(() -> file.preallocate(-3), said);
          refused(() -> file.seekToEnd(-CONTENT.length - 3), said);
          refused(() -> View.from(-3), said);
        });
  }

  @Test
  void positionsThatOverflowAreRefusedByEveryCallThatTakesOne() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          long near = Long.MAX_VALUE - 7;
          String said = Long.toString(near);
          refused(() -> file.at(near).read(eight), said, "8");
          refused(() -> file.at(near).write(eight), said, "8");
          refused(() -> file.at(near).read(Memory.of(List.of(eight))), said);
          refused(() -> file.at(near).write(Memory.of(List.of(eight))), said);
          refused(() -> file.at(near).readAsync(eight), said);
          refused(() -> file.at(near).writeAsync(eight), said);
          refused(() -> file.at(near).all().read(eight), said);
          refused(() -> file.at(near).all().write(eight), said);
          assertThatThrownBy(() -> file.seekToEnd(Long.MAX_VALUE))
              .isInstanceOfAny(ArithmeticException.class, IllegalArgumentException.class);
        });
  }

  @Test
  void writesAtPointersThatWouldOverflowAreRefused() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          for (Mode mode : List.of(Mode.ATOMIC, Mode.INDEPENDENT, Mode.SHARED, Mode.RECORD)) {
            file.setMode(mode);
            file.seek(Long.MAX_VALUE - 7);
            assertThatThrownBy(() -> file.write(eight))
                .as(mode.name())
                .isInstanceOfAny(
                    IllegalArgumentException.class, ArithmeticException.class, IOException.class);
          }
          file.setMode(Mode.INDEPENDENT);
          file.seekShared(0);
          file.seek(7);
        });
  }

  @Test
  void collectiveWritesAtPointersThatWouldOverflowAreRefusedOnAllRanks() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          for (Mode mode : List.of(Mode.ORDERED, Mode.GLOBAL)) {
            file.setMode(mode);
            file.seek(Long.MAX_VALUE - 7);
            assertFails(
                ErrorCode.INVALID, () -> file.write(eight), Long.toString(Long.MAX_VALUE - 7));
            assertThat(file.position()).isEqualTo(Long.MAX_VALUE - 7);
          }
          file.setMode(Mode.INDEPENDENT);
          file.seek(7);
        });
  }

  @Test
  void offsetsThatOverflowThroughAViewAreRefused() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          file.setView(View.from(1000));
          assertThatThrownBy(() -> file.at(Long.MAX_VALUE - 900).write(eight))
              .isInstanceOfAny(IllegalArgumentException.class, ArithmeticException.class);
          assertThatThrownBy(() -> file.at(Long.MAX_VALUE - 900).read(eight))
              .isInstanceOfAny(IllegalArgumentException.class, ArithmeticException.class);
          file.setView(new View(0, Pattern.run(4), 1L << 40));
          assertThatThrownBy(() -> file.at(1L << 60).write(eight))
              .isInstanceOfAny(IllegalArgumentException.class, ArithmeticException.class);
          file.setView(View.WHOLE);
          file.seek(7);
        });
  }

  @Test
  void aClosedFileRefusesEverythingAndClosesAgain() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          file.close();
          file.close();
          MemorySegment eight = Arena.ofAuto().allocate(8);
          List<ThrowingCallable> calls =
              List.of(
                  () -> file.at(0).read(eight),
                  () -> file.at(0).read(Memory.of(List.of(eight))),
                  () -> file.at(0).write(eight),
                  () -> file.at(0).write(Memory.of(List.of(eight))),
                  () -> file.read(eight),
                  () -> file.read(Memory.of(List.of(eight))),
                  () -> file.write(eight),
                  () -> file.write(Memory.of(List.of(eight))),
                  () -> file.shared().read(eight),
                  () -> file.shared().write(eight),
                  () -> file.ordered().read(eight),
                  () -> file.ordered().write(eight),
                  () -> file.at(0).all().read(eight),
                  () -> file.at(0).all().write(eight),
                  () -> file.all().read(eight),
                  () -> file.all().write(eight),
                  () -> file.at(0).readAsync(eight),
                  () -> file.at(0).writeAsync(eight),
                  () -> file.readAsync(eight),
                  () -> file.writeAsync(eight),
                  () -> file.shared().readAsync(eight),
                  () -> file.shared().writeAsync(eight),
                  () -> file.ordered().readAsync(eight),
                  () -> file.ordered().writeAsync(eight),
                  () -> file.at(0).all().readAsync(eight),
                  () -> file.at(0).all().writeAsync(eight),
                  () -> file.all().readAsync(eight),
                  () -> file.all().writeAsync(eight),
                  () -> file.seek(0),
                  () -> file.seekToEnd(0),
                  () -> file.seekShared(0),
                  () -> file.setMode(Mode.SHARED),
                  () -> file.setView(View.WHOLE),
                  () -> file.setAtomic(true),
                  () -> file.resize(0),
                  () -> file.preallocate(1),
                  file::preload,
                  file::position,
                  file::sharedPosition,
                  file::size,
                  file::flush);
          for (ThrowingCallable call : calls) {
            assertFails(ErrorCode.CLOSED, call, "file", "closed");
          }
        });
  }

  @Test
  void aFileOpenedForReadingIsNotWritten() throws Exception {
    unharmed(
        OpenOptions.read(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          List<ThrowingCallable> calls =
              List.of(
                  () -> file.at(0).write(eight),
                  () -> file.write(eight),
                  () -> file.shared().write(eight),
                  () -> file.ordered().write(eight),
                  () -> file.at(0).all().write(eight),
                  () -> file.all().write(eight),
                  () -> file.at(0).writeAsync(eight),
                  () -> file.writeAsync(eight),
                  () -> file.resize(0),
                  () -> file.preallocate(1 << 20));
          for (ThrowingCallable call : calls) {
            assertFails(ErrorCode.NOT_PERMITTED, call, "file", "reading only");
          }
        });
  }

  @Test
  void aFileOpenedForWritingIsNotRead() throws Exception {
    unharmed(
        OpenOptions.write(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          List<ThrowingCallable> calls =
              List.of(
                  () -> file.at(0).read(eight),
                  () -> file.read(eight),
                  () -> file.shared().read(eight),
                  () -> file.at(0).all().read(eight),
                  () -> file.readAsync(eight));
          for (ThrowingCallable call : calls) {
            assertFails(ErrorCode.NOT_PERMITTED, call, "file", "writing only");
          }
        });
  }

  @Test
  void callsOfAnotherModeAreRefusedAndNameIt() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          MemorySegment eight = Arena.ofAuto().allocate(8);
          for (Mode mode : List.of(Mode.SHARED, Mode.ORDERED, Mode.RECORD, Mode.GLOBAL)) {
            file.setMode(mode);
            if (mode != Mode.SHARED) {
              refused(IllegalStateException.class, () -> file.shared().write(eight), mode.name());
              refused(
                  IllegalStateException.class, () -> file.shared().readAsync(eight), mode.name());
            }
            if (mode != Mode.ORDERED) {
              refused(IllegalStateException.class, () -> file.ordered().write(eight), mode.name());
              refused(
                  IllegalStateException.class, () -> file.ordered().readAsync(eight), mode.name());
            }
            refused(IllegalStateException.class, () -> file.all().write(eight), mode.name());
            refused(IllegalStateException.class, () -> file.all().readAsync(eight), mode.name());
          }
          file.setMode(Mode.INDEPENDENT);
        });
  }

  @Test
  void optionsThatContradictEachOtherAreRefusedBeforeAnybodyWaits() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (rank, _) -> {
          refused(() -> rank.open("x", OpenOptions.read().withTruncate()), "writing");
          refused(() -> rank.open("x", OpenOptions.read().withCreate()), "writing");
          refused(() -> rank.open("x", OpenOptions.readWrite().withExclusive()), "creating");
          refused(() -> OpenOptions.create().withStripeUnit(0), "0");
          refused(() -> OpenOptions.create().withStrands(-1), "-1");
          refused(() -> rank.send(5, 0, new byte[1]), "5");
          refused(() -> rank.send(1, -1, new byte[1]), "-1");
          refused(() -> rank.receive(-2, 0), "-2");
          refused(() -> rank.broadcast(2, new byte[1]), "2");
          rank.barrier();
          assertThat(rank.names().list("")).containsExactly("file");
        });
  }

  @Test
  void aViewThatShowsBytesTwiceIsReadButNotWritten() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          List<View> overlapping =
              List.of(
                  new View(0, Pattern.run(8), 4),
                  new View(0, Pattern.run(8), 0),
                  new View(10, Pattern.loop(3, 6, Pattern.run(8)), 100),
                  new View(0, Pattern.indexed(new long[] {50, 0, 54}, new long[] {8, 8, 8}), 100));
          for (View view : overlapping) {
            file.setView(view);
            MemorySegment eight = Arena.ofAuto().allocate(8);
            List<ThrowingCallable> writes =
                List.of(
                    () -> file.at(0).write(eight),
                    () -> file.write(eight),
                    () -> file.shared().write(eight),
                    () -> file.ordered().write(eight),
                    () -> file.at(0).all().write(eight),
                    () -> file.all().write(eight),
                    () -> file.writeAsync(eight));
            for (ThrowingCallable write : writes) {
              refused(IllegalStateException.class, write, "file", "twice");
            }
            byte[] seen = new byte[16];
            assertThat(file.at(0).read(Memory.of(seen))).isEqualTo(16);
            assertThat(seen[0]).isEqualTo(CONTENT[(int) view.offsetOf(0)]);
            assertThat(seen[15]).isEqualTo(CONTENT[(int) view.offsetOf(15)]);
          }
          file.setView(View.WHOLE);
          file.seek(7);
        });
  }

  @Test
  void namesThatTryToEscapeAreRefusedOnAllRanksByEveryCall() throws Exception {
    String long300 = "n".repeat(300);
    String deep = "d/".repeat(3000) + "f";
    List<String> names =
        List.of(
            "..",
            "../x",
            "a/../../x",
            "a/..",
            ".",
            "./x",
            "/../etc/passwd", // one "/" in front means nothing: names begin at the cluster's root
            "//x",
            "a//b",
            "a/",
            "nul\0",
            "\0",
            "a/\0/b",
            "line\nfeed",
            "\ud800",
            long300,
            deep);
    unharmed(
        OpenOptions.readWrite(),
        (rank, _) -> {
          for (String name : names) {
            for (OpenOptions how : List.of(OpenOptions.create(), OpenOptions.read())) {
              assertFails(ErrorCode.INVALID, () -> rank.open(name, how), "path");
            }
            assertFails(ErrorCode.INVALID, () -> rank.names().stat(name), "path");
            assertFails(ErrorCode.INVALID, () -> rank.names().list(name), "path");
            assertFails(ErrorCode.INVALID, () -> rank.names().size(name), "path");
            assertFails(ErrorCode.INVALID, () -> rank.names().makeDirectory(name), "path");
            assertFails(ErrorCode.INVALID, () -> rank.names().rename("file", name), "path");
            assertFails(ErrorCode.INVALID, () -> rank.names().rename(name, "other"), "path");
            assertFails(ErrorCode.INVALID, () -> rank.names().remove(name), "path");
            assertFails(ErrorCode.INVALID, () -> rank.names().setPermissions(name, 0), "path");
          }
          assertFails(ErrorCode.INVALID, () -> rank.open("", OpenOptions.create()), "root");
          rank.barrier();
          assertThat(rank.names().list("")).containsExactly("file");
          // the longest that is allowed is allowed, with bytes that are no ASCII
          rank.barrier();
          try (var longest =
              rank.open("\u00e9".repeat(127), OpenOptions.create().withDeleteOnClose())) {
            assertThat(longest.write(Memory.of(new byte[] {1}))).isEqualTo(1);
          }
        });
  }

  @Test
  void readOnlyMemoryIsNotReadInto() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (_, file) -> {
          MemorySegment readOnly = Arena.ofAuto().allocate(8).asReadOnly();
          refused(() -> file.at(0).read(readOnly), "read-only");
          refused(() -> file.read(readOnly), "read-only");
          refused(
              () -> file.at(0).read(Memory.of(List.of(segment(new byte[4]), readOnly))),
              "read-only");
          refused(() -> file.shared().read(readOnly), "read-only");
          refused(() -> file.ordered().read(readOnly), "read-only");
          refused(() -> file.at(0).all().read(readOnly), "read-only");
          refused(() -> file.readAsync(readOnly), "read-only");
          assertThatThrownBy(
                  () -> file.at(0).read(Memory.of(ByteBuffer.allocate(8).asReadOnlyBuffer())))
              .isInstanceOfAny(IllegalArgumentException.class, ReadOnlyBufferException.class);
          // writing from it is fine
          MemorySegment same = segment(CONTENT.clone()).asSlice(0, 8).asReadOnly();
          assertThat(file.at(0).write(same)).isEqualTo(8);
        });
  }

  @Test
  void memoryOfAnotherThreadOrOfAClosedArenaIsRefused() throws Exception {
    try (Arena mine = Arena.ofConfined()) {
      MemorySegment testThreads = mine.allocate(8);
      unharmed(
          OpenOptions.readWrite(),
          (_, file) -> {
            refused(WrongThreadException.class, () -> file.at(0).read(testThreads), "thread");
            refused(WrongThreadException.class, () -> file.at(0).write(testThreads), "thread");
            refused(WrongThreadException.class, () -> file.read(testThreads), "thread");
            refused(WrongThreadException.class, () -> file.shared().write(testThreads), "thread");
            refused(
                WrongThreadException.class, () -> file.at(0).all().write(testThreads), "thread");
            MemorySegment dead;
            try (Arena own = Arena.ofConfined()) {
              MemorySegment confined = own.allocate(8);
              refused(WrongThreadException.class, () -> file.readAsync(confined), "confined");
              refused(
                  WrongThreadException.class, () -> file.at(0).writeAsync(confined), "confined");
              refused(
                  WrongThreadException.class, () -> file.all().writeAsync(confined), "confined");
              assertThat(file.at(0).read(confined)).isEqualTo(8); // the rank's own is fine
              dead = confined;
            }
            refused(IllegalStateException.class, () -> file.at(0).read(dead), "closed");
            refused(IllegalStateException.class, () -> file.writeAsync(dead), "closed");
          });
    }
  }

  @Test
  void aMessageLongerThanTheMemoryForItIsRefusedAndTouchesNothing() throws Exception {
    unharmed(
        OpenOptions.readWrite(),
        (rank, _) -> {
          if (rank.number() == 0) {
            rank.send(1, 1, new byte[] {1, 2, 3});
            rank.send(1, 1, new byte[] {4, 5});
          } else {
            byte[] two = new byte[2];
            assertFails(
                ErrorCode.INVALID, () -> rank.receive(0, 1, segment(two)), "3", "2", "rank 0");
            assertThat(two).containsOnly(0);
            byte[] three = new byte[3]; // it stays until somebody has room for it
            assertThat(rank.receive(0, 1, segment(three))).isEqualTo(3);
            assertThat(three).containsExactly(1, 2, 3);
            assertThat(rank.receive(0, 1, segment(two))).isEqualTo(2);
            assertThat(two).containsExactly(4, 5);
          }
        });
  }
}
