package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.NameExistsException;

/** Files and pointers: cases 1 to 9. */
abstract class PointerCases {

  private static final OpenOptions CREATE = OpenOptions.create();
  private static final byte[] NOTHING = {};

  abstract Worlds worlds();

  @Test
  void case01EachRankReadsBackItsOwnFileAfterReopening() throws Exception {
    int count = 16_384;
    worlds()
        .inEach(
            world -> {
              world.run(
                  4,
                  rank -> {
                    try (var file = rank.alone().open("own" + rank.number(), CREATE)) {
                      byte[] mine = Bytes.ints(count, i -> rank.number() * 100_000 + i);
                      assertThat(file.write(Memory.of(mine))).isEqualTo(mine.length);
                      assertThat(file.position()).isEqualTo(mine.length);
                    }
                  });
              world.reopen();
              world.run(
                  4,
                  rank -> {
                    try (var file = rank.alone().open("own" + rank.number(), OpenOptions.read())) {
                      byte[] mine = new byte[count * Bytes.INT];
                      assertThat(file.read(Memory.of(mine))).isEqualTo(mine.length);
                      assertThat(mine)
                          .isEqualTo(Bytes.ints(count, i -> rank.number() * 100_000 + i));
                      assertThat(file.read(Memory.of(mine))).isZero();
                    }
                  });
            });
  }

  @Test
  void case02ManyAsynchronousCallsAreOutstandingAtOnce() throws Exception {
    int calls = 32;
    int count = 512;
    long bytes = (long) count * Bytes.INT;
    worlds()
        .inEach(
            world ->
                world.run(
                    2,
                    rank -> {
                      try (var file = rank.alone().open("many" + rank.number(), CREATE)) {
                        List<CompletableFuture<Long>> under = new ArrayList<>();
                        for (int i = 0; i < calls; i++) {
                          int first = i * count;
                          byte[] part = Bytes.ints(count, k -> first + k);
                          under.add(file.at(i * bytes).writeAsync(MemorySegment.ofArray(part)));
                        }
                        assertThat(all(under)).hasSize(calls).containsOnly(bytes);
                        byte[] back = new byte[Math.toIntExact(calls * bytes)];
                        under.clear();
                        for (int i = 0; i < calls; i++) {
                          MemorySegment part =
                              MemorySegment.ofArray(back).asSlice(i * bytes, bytes);
                          under.add(file.at(i * bytes).readAsync(part));
                        }
                        assertThat(all(under)).hasSize(calls).containsOnly(bytes);
                        assertThat(back).isEqualTo(Bytes.ints(calls * count, k -> k));
                      }
                    }));
  }

  static List<Long> all(List<CompletableFuture<Long>> futures) {
    return futures.stream().map(CompletableFuture::join).toList();
  }

  @Test
  void case03CreatingExclusivelySucceedsOnAllOrFailsOnAll() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      rank.open("new", CREATE.withExclusive()).close();
                      rank.barrier();
                      assertThatThrownBy(() -> rank.open("new", CREATE.withExclusive()))
                          .isInstanceOf(NameExistsException.class);
                      rank.barrier();
                      if (rank.number() == 0) {
                        rank.names().remove("new");
                      }
                      rank.barrier();
                      try (var file = rank.open("new", CREATE.withExclusive())) {
                        assertThat(file.size()).isZero();
                      }
                    }));
  }

  @Test
  void case04EachSharedAppendIsWhole() throws Exception {
    int count = 1024;
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("log", CREATE.withMode(Mode.SHARED))) {
                        int first = count * rank.number();
                        file.write(Memory.of(Bytes.ints(count, i -> first + i)));
                        rank.barrier();
                        assertThat(file.size()).isEqualTo(16_384);
                        assertThat(file.position()).isEqualTo(16_384);
                        file.seekShared(0);
                        byte[] block = new byte[count * Bytes.INT];
                        assertThat(file.shared().read(MemorySegment.ofArray(block)))
                            .isEqualTo(block.length);
                        int[] ints = Bytes.toInts(block);
                        assertThat(block).isEqualTo(Bytes.ints(count, i -> ints[0] + i));
                        assertThat(rank.allGather(ints[0]))
                            .containsExactlyInAnyOrder(0L, 1024L, 2048L, 3072L);
                      }
                    }));
  }

  @Test
  void placesOfTheGroupsPointerAreTakenOnceAndUpToALimit() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("taken", CREATE.withMode(Mode.SHARED))) {
                        List<Long> places = rank.allGather(file.takeShared(10, 35));
                        assertThat(places).containsExactlyInAnyOrder(0L, 10L, 20L, 30L);
                        assertThat(file.sharedPosition()).isEqualTo(35);
                        assertThat(file.takeShared(10, 35)).isEqualTo(35);
                        assertThat(file.takeShared(10, 20)).isEqualTo(35);
                        rank.barrier();
                        assertThat(rank.allGather(file.takeShared(1, Long.MAX_VALUE)))
                            .containsExactlyInAnyOrder(35L, 36L, 37L, 38L);
                        assertThatThrownBy(() -> file.takeShared(-1, 50))
                            .isInstanceOf(IllegalArgumentException.class);
                        file.setMode(Mode.ORDERED);
                        assertThatThrownBy(() -> file.takeShared(1, 50))
                            .isInstanceOf(IllegalStateException.class);
                      }
                    }));
  }

  @Test
  void case05OrderedWritesLieInOrderOfRank() throws Exception {
    int count = 200;
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("ordered", CREATE)) {
                        int first = count * rank.number();
                        byte[] mine = Bytes.ints(count, i -> first + i);
                        file.ordered().write(MemorySegment.ofArray(mine));
                        rank.barrier();
                        assertThat(Bytes.ofFile(rank, "ordered"))
                            .isEqualTo(Bytes.ints(4 * count, i -> i));
                        file.seekShared(0);
                        byte[] back = new byte[mine.length];
                        assertThat(file.ordered().read(MemorySegment.ofArray(back)))
                            .isEqualTo(back.length);
                        assertThat(back).isEqualTo(mine);
                      }
                    }));
  }

  @Test
  void case05OrderedCallsOfNothingMoveNothingAndHoldNobodyUp() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("some", CREATE)) {
                        boolean takesPart = rank.number() % 2 == 1;
                        byte[] mine = takesPart ? Bytes.ofInts(rank.number()) : NOTHING;
                        assertThat(file.ordered().write(MemorySegment.ofArray(mine)))
                            .isEqualTo(mine.length);
                        file.seekShared(0);
                        byte[] back = new byte[takesPart ? Bytes.INT : 0];
                        assertThat(file.ordered().read(MemorySegment.ofArray(back)))
                            .isEqualTo(back.length);
                        assertThat(back).isEqualTo(mine);
                        assertThat(file.sharedPosition()).isEqualTo(2 * Bytes.INT);
                        assertThat(file.ordered().write(MemorySegment.ofArray(NOTHING))).isZero();
                        assertThat(file.ordered().read(MemorySegment.ofArray(NOTHING))).isZero();
                        assertThat(file.sharedPosition()).isEqualTo(2 * Bytes.INT);
                        rank.barrier();
                        assertThat(Bytes.ofFile(rank, "some")).isEqualTo(Bytes.ofInts(1, 3));
                      }
                    }));
  }

  @Test
  void case06CallsOfNothingReturnZeroAndMoveNoPointerInEveryMode() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("zero", CREATE)) {
                        file.at(0).all().write(MemorySegment.ofArray(new byte[10]));
                        for (Mode mode : Mode.values()) {
                          file.setMode(mode);
                          file.seek(4);
                          rank.barrier();
                          nothingMovesAnything(rank, file);
                        }
                      }
                    }));
  }

  private static void nothingMovesAnything(Rank rank, SharedFile file) throws IOException {
    Mode mode = file.mode();
    MemorySegment none = MemorySegment.ofArray(NOTHING);
    boolean ownPointer = mode == Mode.ATOMIC || mode == Mode.INDEPENDENT;
    long shared = file.sharedPosition();
    List<Long> counts = new ArrayList<>();
    counts.add(file.read(none));
    counts.add(file.write(none));
    counts.add(file.read(Memory.of(List.of())));
    counts.add(file.write(Memory.of(List.of(none, none))));
    counts.add(file.at(4).read(none));
    counts.add(file.at(1000).write(none));
    counts.add(file.at(4).all().read(none));
    counts.add(file.at(1000).all().write(none));
    counts.add(file.readAsync(none).join());
    counts.add(file.writeAsync(none).join());
    if (ownPointer || mode == Mode.SHARED) {
      counts.add(file.shared().read(none));
      counts.add(file.shared().write(none));
    }
    if (ownPointer || mode == Mode.ORDERED) {
      counts.add(file.ordered().read(none));
      counts.add(file.ordered().write(none));
    }
    if (ownPointer) {
      counts.add(file.all().read(none));
      counts.add(file.all().write(none));
    }
    assertThat(counts).as(mode.name()).containsOnly(0L);
    assertThat(file.position()).as(mode.name()).isEqualTo(4);
    assertThat(file.sharedPosition()).as(mode.name()).isEqualTo(shared);
    assertThat(file.size()).as(mode.name()).isEqualTo(10);
    rank.barrier();
  }

  @Test
  void case07ReadPastEndReturnsShortCountAndLeavesTheRestAlone() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    2,
                    rank -> {
                      try (var file = rank.open("five", CREATE)) {
                        if (rank.number() == 0) {
                          file.at(0).write(Memory.of(new byte[] {0, 1, 2, 3, 4}));
                        }
                        rank.barrier();
                        byte[] ten = new byte[10];
                        Arrays.fill(ten, (byte) -1);
                        assertThat(file.at(0).all().read(MemorySegment.ofArray(ten))).isEqualTo(5);
                        assertThat(ten).containsExactly(0, 1, 2, 3, 4, -1, -1, -1, -1, -1);
                        Arrays.fill(ten, (byte) -1);
                        assertThat(file.all().read(MemorySegment.ofArray(ten))).isEqualTo(5);
                        assertThat(ten).containsExactly(0, 1, 2, 3, 4, -1, -1, -1, -1, -1);
                        assertThat(file.position()).isEqualTo(5);
                      }
                    }));
  }

  @Test
  void case08RanksThatWantNothingTakePartInCollectiveCalls() throws Exception {
    worlds()
        .inEach(
            world -> {
              world.run(
                  3,
                  rank -> {
                    try (var file = rank.open("ten", CREATE)) {
                      file.at(0).write(Memory.of(new byte[10]));
                      rank.barrier();
                      int wanted = rank.number() == 0 ? 10 : 0;
                      assertThat(file.all().read(MemorySegment.ofArray(new byte[wanted])))
                          .isEqualTo(wanted);
                    }
                  });
              world.run(
                  16,
                  rank -> {
                    try (var file = rank.open("sixteen", CREATE)) {
                      byte[] mine = rank.number() < 8 ? Bytes.ofInts(rank.number()) : NOTHING;
                      long place = (long) rank.number() * Bytes.INT;
                      assertThat(file.at(place).all().write(MemorySegment.ofArray(mine)))
                          .isEqualTo(mine.length);
                      assertThat(Bytes.ofFile(rank, "sixteen")).isEqualTo(Bytes.ints(8, i -> i));
                    }
                  });
            });
  }

  @Test
  void extendingAloneMovesTheEndAndNothingElse() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("extended", CREATE.withStripeUnit(10))) {
                        if (rank.number() == 1) {
                          file.at(0).write(Memory.of(new byte[] {1, 2, 3}));
                          file.extend(2); // cuts nothing
                          assertThat(file.size()).isEqualTo(3);
                          file.extend(0);
                          file.extend(37);
                        }
                        rank.barrier();
                        assertThat(file.size()).isEqualTo(37);
                        byte[] all = new byte[50];
                        assertThat(file.at(0).read(Memory.of(all))).isEqualTo(37);
                        assertThat(all).startsWith(1, 2, 3, 0, 0);
                        assertThatThrownBy(() -> file.extend(-1))
                            .isInstanceOf(IllegalArgumentException.class);
                      }
                    }));
  }

  @Test
  void case09PreallocatingNeverShrinks() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("room", CREATE)) {
                        List<Long> sizes = new ArrayList<>();
                        for (long room : new long[] {1, 100, 10, 200}) {
                          file.preallocate(room);
                          sizes.add(file.size());
                          rank.barrier();
                        }
                        assertThat(sizes).containsExactly(1L, 100L, 100L, 200L);
                        assertThat(Bytes.ofFile(rank, "room")).isEqualTo(new byte[200]);
                      }
                    }));
  }
}
