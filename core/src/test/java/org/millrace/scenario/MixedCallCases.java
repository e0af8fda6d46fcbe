package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;

/**
 * Case 27: ranks that call different things get the same error, no harm is done, and the next
 * correct call works.
 */
abstract class MixedCallCases {

  private static final OpenOptions CREATE = OpenOptions.create();
  private static final byte[] CONTENT = Bytes.ints(100, i -> i);

  abstract Worlds worlds();

  /** The call must fail on all ranks, with one and the same error. */
  private static void fails(Rank rank, ThrowingCallable call) throws IOException {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(MixedCallException.class);
    String message = String.valueOf(thrown.getMessage());
    List<byte[]> messages = rank.allGather(message.getBytes(StandardCharsets.UTF_8));
    assertThat(messages)
        .allSatisfy(
            other -> assertThat(new String(other, StandardCharsets.UTF_8)).isEqualTo(message));
  }

  /** Two ranks are of one mind, the third is not. */
  private static boolean differs(Rank rank) {
    return rank.number() == 1;
  }

  @Test
  void aRankThatRefusesTellsAllOthersItsCodeAndDetail() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (SharedFile file = rank.open("refused", CREATE)) {
                        for (boolean atomic : new boolean[] {false, true}) {
                          file.setAtomic(atomic);
                          for (boolean write : new boolean[] {false, true}) {
                            for (boolean later : new boolean[] {false, true}) {
                              Throwable thrown =
                                  catchThrowable(() -> refused(rank, file, write, later));
                              assertThat(thrown)
                                  .isInstanceOfSatisfying(
                                      MillraceException.class,
                                      e -> {
                                        assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
                                        assertThat(e.detail()).isEqualTo(77);
                                      });
                            }
                          }
                        }
                        assertThat(file.size()).isZero();
                      }
                    }));
  }

  private static void refused(Rank rank, SharedFile file, boolean write, boolean later)
      throws IOException {
    var reason = new MillraceException(ErrorCode.INVALID, "not today").withDetail(77);
    var access = file.through(View.WHOLE).all();
    access = differs(rank) ? access.refusing(reason) : access;
    Memory memory = Memory.of(new byte[5]);
    if (later) {
      rank.await(write ? access.writeAsync(memory) : access.readAsync(memory));
    } else if (write) {
      access.write(memory);
    } else {
      access.read(memory);
    }
  }

  interface Mixed {
    void run(Rank rank, SharedFile file) throws Exception;
  }

  /**
   * A file with content, of which each rank's pointer and the group's stand at 8; afterwards all is
   * as it was.
   */
  private void unharmed(Mode mode, Mixed mixed) throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("mixed", CREATE)) {
                        file.at(0).all().write(MemorySegment.ofArray(CONTENT));
                        file.seek(8);
                        file.setMode(mode);
                        mixed.run(rank, file);
                        rank.barrier();
                        assertThat(file.isClosed()).isFalse();
                        assertThat(file.mode()).isEqualTo(mode);
                        assertThat(file.position()).isEqualTo(8);
                        assertThat(Bytes.ofFile(rank, "mixed")).isEqualTo(CONTENT);
                        rank.barrier();
                        byte[] next = new byte[4];
                        file.setMode(Mode.GLOBAL);
                        assertThat(file.read(Memory.of(next))).isEqualTo(4);
                        assertThat(next).isEqualTo(Bytes.ofInts(2));
                      }
                    }));
  }

  @Test
  void case27DifferentModes() throws Exception {
    for (Mode mode : Mode.values()) {
      unharmed(
          mode,
          (rank, file) ->
              fails(rank, () -> file.setMode(differs(rank) ? Mode.SHARED : Mode.ORDERED)));
    }
  }

  @Test
  void case27DifferentNames() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      String name = differs(rank) ? "one" : "other";
                      fails(rank, () -> rank.open(name, CREATE));
                      fails(
                          rank,
                          () -> rank.open("same", differs(rank) ? CREATE : CREATE.withTruncate()));
                      assertThat(rank.names().list("")).isEmpty();
                      rank.barrier();
                      try (var file = rank.open("one", CREATE)) {
                        assertThat(file.size()).isZero();
                      }
                    }));
  }

  @Test
  void case27OneRankClosesWhileOthersReadInSync() throws Exception {
    unharmed(
        Mode.ORDERED,
        (rank, file) -> {
          byte[] into = new byte[4];
          fails(
              rank,
              () -> {
                if (differs(rank)) {
                  file.close();
                } else {
                  file.read(Memory.of(into));
                }
              });
          assertThat(into).containsOnly(0);
        });
  }

  @Test
  void case27OneRankWritesWhileOthersRead() throws Exception {
    for (Mode mode : List.of(Mode.ORDERED, Mode.GLOBAL)) {
      unharmed(
          mode,
          (rank, file) ->
              fails(
                  rank,
                  () -> {
                    if (differs(rank)) {
                      file.write(Memory.of(new byte[4]));
                    } else {
                      file.read(Memory.of(new byte[4]));
                    }
                  }));
    }
  }

  @Test
  void case27DifferentCollectiveCalls() throws Exception {
    unharmed(
        Mode.INDEPENDENT,
        (rank, file) -> {
          fails(
              rank,
              () -> {
                if (differs(rank)) {
                  file.all().write(MemorySegment.ofArray(new byte[4]));
                } else {
                  file.all().read(MemorySegment.ofArray(new byte[4]));
                }
              });
          fails(
              rank,
              () -> {
                if (differs(rank)) {
                  file.ordered().write(MemorySegment.ofArray(new byte[4]));
                } else {
                  file.setView(View.from(4));
                }
              });
        });
  }

  @Test
  void case27DifferentPlacesAndSizes() throws Exception {
    for (Mode mode : List.of(Mode.ORDERED, Mode.RECORD, Mode.GLOBAL)) {
      unharmed(
          mode,
          (rank, file) -> {
            int own = differs(rank) ? 1 : 0;
            fails(rank, () -> file.seek(own));
            fails(rank, () -> file.seekShared(own));
            fails(rank, () -> file.resize(own));
            fails(rank, () -> file.preallocate(1000 + own));
            fails(rank, () -> file.setAtomic(differs(rank)));
            assertThat(file.isAtomic()).isFalse();
          });
    }
  }
}
