package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;

/** Ranks that make different collective calls are told so, and their next calls meet again. */
final class MixedCallsTest {

  private static final Datatype BYTE = Datatype.BYTE;

  /** A collective call that moves no data. */
  private interface Other {
    void by(File file) throws IOException;
  }

  private static final Map<String, Other> OTHERS =
      Map.of(
          "setSize", file -> file.setSize(0),
          "preallocate", file -> file.preallocate(0),
          "setInfo", file -> file.setInfo(Info.NULL),
          "setView", file -> file.setView(0, BYTE, BYTE, Ints.NATIVE),
          "seekShared", file -> file.seekShared(0, Whence.SEEK_SET),
          "setAtomicity", file -> file.setAtomicity(false),
          "sync", File::sync,
          "close", File::close,
          "readOrdered", file -> file.readOrdered(new byte[1], 1, BYTE),
          "writeOrdered", file -> file.writeOrdered(new byte[1], 1, BYTE));

  @TempDir private Path directory;

  /** The rank {@code odd} calls one thing, the other one the other. */
  private static void mix(Rank rank, int odd, ThrowingCallable one, ThrowingCallable other) {
    assertFails(ErrorClass.NOT_SAME, rank.number() == odd ? one : other);
  }

  @Test
  void accessesAndOtherCollectiveCallsDoNotMissEachOther() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          File file = File.open(rank, "mixed", Ints.CREATE);
          for (Map.Entry<String, Other> other : OTHERS.entrySet()) {
            for (AccessCall call : AccessCall.ALL) {
              if (!call.together() || call.name().startsWith(other.getKey())) {
                continue;
              }
              for (int odd = 0; odd < 2; odd++) {
                MemorySegment room = MemorySegment.ofArray(new byte[1]);
                mix(
                    rank,
                    odd,
                    () -> call.made().by(file, 0, room, 1, BYTE),
                    () -> other.getValue().by(file));
                assertThat(file.getSize()).as("%s, %s", call, other.getKey()).isZero();
                assertThat(file.getPositionShared()).isZero();
                assertThat(file.readAtAll(0, room, 1, BYTE).bytes()).isZero(); // and so the next
                file.sync();
              }
            }
          }
          int r = rank.number();
          file.writeOrdered(new byte[] {(byte) r}, 1, BYTE);
          file.close();
          assertThat(Ints.bytes(rank, "mixed")).containsExactly(0, 1);
        });
  }

  @Test
  void convertedWritesAndPlainReadsDoNotMissEachOther() throws IOException {
    Programs.run(
        directory,
        2,
        1,
        rank -> {
          try (File file = File.open(rank, "converted", Ints.CREATE)) {
            file.setView(0, BYTE, BYTE, "external32");
            for (int odd = 0; odd < 2; odd++) {
              mix(
                  rank,
                  odd,
                  () -> file.writeAtAll(0, new byte[1], 1, BYTE),
                  () -> file.readAtAll(0, new byte[1], 1, BYTE));
              assertThat(file.getSize()).isZero();
            }
            file.writeAtAll(rank.number(), new byte[] {7}, 1, BYTE);
          }
          assertThat(Ints.bytes(rank, "converted")).containsExactly(7, 7);
        });
  }
}
