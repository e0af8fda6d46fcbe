package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.millrace.error.MixedCallException;

/** The modes of PFS: cases 25 and 26. */
abstract class PfsModeCases {

  private static final OpenOptions CREATE = OpenOptions.create();
  private static final int ROUNDS = 6;

  abstract Worlds worlds();

  /** How much rank r moves in a round: anything from nothing to a few stripe units. */
  private static int length(int round, int rank) {
    return (round * 31 + rank * 57) % 5 == 0 ? 0 : (round * 131 + rank * 71) % 300;
  }

  private static byte[] piece(int round, int rank, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) (1 + round * 16 + rank));
    return bytes;
  }

  /** The file that ordered rounds make. */
  private static byte[] orderedFile(int ranks) {
    byte[] all = new byte[0];
    for (int round = 0; round < ROUNDS; round++) {
      for (int r = 0; r < ranks; r++) {
        byte[] next = piece(round, r, length(round, r));
        all = Arrays.copyOf(all, all.length + next.length);
        System.arraycopy(next, 0, all, all.length - next.length, next.length);
      }
    }
    return all;
  }

  @Test
  void case25SyncPiecesLieInOrderOfRankWhateverTheirLengths() throws Exception {
    worlds()
        .inEach(
            world -> {
              for (int ranks : new int[] {1, 3, 4}) {
                byte[] expected = orderedFile(ranks);
                world.run(
                    ranks,
                    rank -> {
                      try (var file = rank.open("sync" + ranks, CREATE.withMode(Mode.ORDERED))) {
                        for (int round = 0; round < ROUNDS; round++) {
                          int length = length(round, rank.number());
                          assertThat(file.write(Memory.of(piece(round, rank.number(), length))))
                              .isEqualTo(length);
                        }
                        rank.barrier();
                        assertThat(file.position()).isEqualTo(expected.length);
                        file.seek(0);
                        for (int round = 0; round < ROUNDS; round++) {
                          byte[] back = new byte[length(round, rank.number())];
                          assertThat(file.read(Memory.of(back))).isEqualTo(back.length);
                          assertThat(back).isEqualTo(piece(round, rank.number(), back.length));
                        }
                      }
                    });
                assertThat(Bytes.ofFile(world, "sync" + ranks)).isEqualTo(expected);
              }
            });
  }

  @Test
  void case25SyncReadsAtTheEndAreShortInOrderOfRank() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("end", CREATE.withMode(Mode.ORDERED))) {
                        file.at(0).all().write(MemorySegment.ofArray(Bytes.ints(10, i -> i)));
                        byte[] back = new byte[16];
                        int[] there = {16, 16, 8, 0};
                        assertThat(file.read(Memory.of(back))).isEqualTo(there[rank.number()]);
                        rank.barrier();
                        assertThat(file.position()).isEqualTo(40);
                      }
                    }));
  }

  @Test
  void case25RecordsLieInRowsOfRanks() throws Exception {
    int length = 40;
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("record", CREATE.withMode(Mode.RECORD))) {
                        for (int i = 0; i < ROUNDS; i++) {
                          file.write(Memory.of(piece(i, rank.number(), length)));
                        }
                        rank.barrier();
                        byte[] all = Bytes.ofFile(rank, "record");
                        assertThat(all).hasSize(ROUNDS * 3 * length);
                        for (int at = 0; at < all.length; at++) {
                          int record = at / length;
                          assertThat(all[at]).isEqualTo(piece(record / 3, record % 3, 1)[0]);
                        }
                        file.seek(0);
                        byte[] back = new byte[length];
                        for (int i = 0; i < ROUNDS; i++) {
                          assertThat(file.read(Memory.of(back))).isEqualTo(length);
                          assertThat(back).isEqualTo(piece(i, rank.number(), length));
                        }
                        assertThat(file.read(Memory.of(back))).isZero();
                      }
                    }));
  }

  @Test
  void case25OneDiskReadServesAllInGlobalMode() throws Exception {
    byte[] content = Bytes.ints(1000, i -> i * i);
    for (Worlds.Build build :
        List.of(
            new Worlds.Build(1, Worlds.Build.DEFAULT_UNIT),
            new Worlds.Build(4, Worlds.Build.DEFAULT_UNIT))) {
      worlds()
          .in(
              build,
              world -> {
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("global", CREATE.withMode(Mode.GLOBAL))) {
                        byte[] mine = rank.number() == 0 ? content : new byte[content.length];
                        assertThat(file.write(Memory.of(mine))).isEqualTo(content.length);
                        assertThat(file.position()).isEqualTo(content.length);
                      }
                    });
                world.reopen(); // with empty caches
                long before = sum(world, "reads");
                world.run(
                    4,
                    rank -> {
                      try (var file =
                          rank.open("global", OpenOptions.read().withMode(Mode.GLOBAL))) {
                        byte[] back = new byte[content.length];
                        assertThat(file.read(Memory.of(back))).isEqualTo(content.length);
                        assertThat(back).isEqualTo(content);
                        assertThat(file.position()).isEqualTo(content.length);
                        assertThat(file.read(Memory.of(back))).isZero();
                      }
                    });
                assertThat(sum(world, "reads") - before).isEqualTo(1);
              });
    }
  }

  private static long sum(World world, String counter) throws Exception {
    return world.report().stream().mapToLong(node -> node.getOrDefault(counter, 0L)).sum();
  }

  @Test
  void case25DifferingLengthsInGlobalModeFailOnAllAndMoveNothing() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("differ", CREATE.withMode(Mode.GLOBAL))) {
                        file.write(Memory.of(Bytes.ofInts(1, 2, 3)));
                        file.seek(4);
                        int odd = rank.number() == 1 ? 5 : 4;
                        assertThatThrownBy(() -> file.write(Memory.of(new byte[odd])))
                            .isInstanceOf(MixedCallException.class);
                        assertThatThrownBy(() -> file.read(Memory.of(new byte[odd])))
                            .isInstanceOf(MixedCallException.class);
                        assertThat(file.position()).isEqualTo(4);
                        assertThat(Bytes.ofFile(rank, "differ")).isEqualTo(Bytes.ofInts(1, 2, 3));
                        rank.barrier();
                        byte[] next = new byte[4];
                        assertThat(file.read(Memory.of(next))).isEqualTo(4);
                        assertThat(next).isEqualTo(Bytes.ofInts(2));
                      }
                    }));
  }

  @Test
  void case25LogRangesAreDisjointAndWithoutGaps() throws Exception {
    int count = 20;
    worlds()
        .inEach(
            world ->
                world.run(
                    4,
                    rank -> {
                      try (var file = rank.open("log", CREATE.withMode(Mode.SHARED))) {
                        List<CompletableFuture<Long>> under = new ArrayList<>();
                        for (int i = 0; i < count; i++) {
                          MemorySegment entry = MemorySegment.ofArray(entry(rank, i));
                          if (i % 3 == 0) {
                            under.add(file.writeAsync(entry));
                          } else {
                            file.write(entry);
                          }
                        }
                        PointerCases.all(under);
                        rank.barrier();
                        checkLog(Bytes.toInts(Bytes.ofFile(rank, "log")), 4, count);
                      }
                    }));
  }

  /** Rank, number and length, then the number as often as the length says. */
  private static byte[] entry(Rank rank, int number) {
    int extra = (rank.number() * 7 + number * 3) % 11;
    return Bytes.ints(3 + extra, k -> k == 0 ? rank.number() : k == 2 ? extra : number);
  }

  private static void checkLog(int[] log, int ranks, int count) {
    int[] next = new int[ranks];
    int at = 0;
    while (at < log.length) {
      int writer = log[at];
      assertThat(log[at + 1]).as("order of issue of rank %d", writer).isEqualTo(next[writer]++);
      int extra = log[at + 2];
      for (int k = 0; k < extra; k++) {
        assertThat(log[at + 3 + k]).isEqualTo(log[at + 1]);
      }
      at += 3 + extra;
    }
    assertThat(next).containsOnly(count);
  }

  @Test
  void case25AsynchronousCallsTakePlacesInOrderOfIssue() throws Exception {
    int length = 30;
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      for (Mode mode : List.of(Mode.ORDERED, Mode.RECORD, Mode.GLOBAL)) {
                        boolean global = mode == Mode.GLOBAL;
                        try (var file = rank.open("async " + mode, CREATE.withMode(mode))) {
                          List<CompletableFuture<Long>> under = new ArrayList<>();
                          for (int i = 0; i < ROUNDS; i++) {
                            byte[] piece = piece(i, global ? 0 : rank.number(), length);
                            under.add(file.writeAsync(MemorySegment.ofArray(piece)));
                          }
                          assertThat(PointerCases.all(under)).containsOnly((long) length);
                          rank.barrier();
                          byte[] all = Bytes.ofFile(rank, "async " + mode);
                          int across = global ? 1 : 3;
                          assertThat(all).as(mode.name()).hasSize(ROUNDS * across * length);
                          for (int at = 0; at < all.length; at++) {
                            int record = at / length;
                            assertThat(all[at])
                                .as(mode.name())
                                .isEqualTo(piece(record / across, record % across, 1)[0]);
                          }
                        }
                      }
                    }));
  }

  @Test
  void case26AppendedRecordsLieWhereTheFormulaPutsThem() throws Exception {
    int length = 12;
    for (int base : new int[] {0, 100}) {
      worlds()
          .inEach(
              world -> {
                world.run(
                    1,
                    rank -> {
                      try (var file = rank.open("append", CREATE)) {
                        file.write(Memory.of(piece(7, 7, base)));
                      }
                    });
                int ranks = 4;
                world.run(
                    ranks,
                    rank -> {
                      var append = OpenOptions.readWrite().withAppend().withMode(Mode.RECORD);
                      try (var file = rank.open("append", append)) {
                        for (int i = 0; i <= 2 * rank.number(); i++) {
                          file.write(Memory.of(piece(i, rank.number(), length)));
                        }
                      }
                    });
                byte[] expected = Arrays.copyOf(piece(7, 7, base), base + (6 * 4 + 4) * length);
                for (int r = 0; r < ranks; r++) {
                  for (int i = 0; i <= 2 * r; i++) {
                    int place = base + (i * ranks + r) * length;
                    System.arraycopy(piece(i, r, length), 0, expected, place, length);
                  }
                }
                assertThat(Bytes.ofFile(world, "append")).isEqualTo(expected);
              });
    }
  }

  @Test
  void case26AppendingGoesToTheEndInEveryOtherMode() throws Exception {
    int length = 12;
    byte[] before = piece(7, 7, 50);
    worlds()
        .inEach(
            world -> {
              for (Mode mode : Mode.values()) {
                if (mode == Mode.RECORD) {
                  continue;
                }
                String name = "append " + mode;
                world.run(
                    3,
                    rank -> {
                      var append = CREATE.withAppend().withMode(mode);
                      try (var file = rank.open(name, append)) {
                        file.at(0).all().write(MemorySegment.ofArray(before));
                        for (int i = 0; i < ROUNDS; i++) {
                          assertThat(file.write(Memory.of(piece(i, rank.number(), length))))
                              .isEqualTo(length);
                        }
                      }
                    });
                checkAppended(mode, Bytes.ofFile(world, name), before, length);
              }
            });
  }

  private static void checkAppended(Mode mode, byte[] all, byte[] before, int length) {
    int across = mode == Mode.GLOBAL ? 1 : 3;
    assertThat(all).as(mode.name()).hasSize(before.length + ROUNDS * across * length);
    assertThat(Arrays.copyOf(all, before.length)).as(mode.name()).isEqualTo(before);
    int[] next = new int[across];
    for (int k = 0; k < ROUNDS * across; k++) {
      int start = before.length + k * length;
      byte[] found = Arrays.copyOfRange(all, start, start + length);
      int writer = (found[0] - 1) % 16;
      assertThat(found)
          .as("%s, record %d", mode, k)
          .isEqualTo(piece(next[writer]++, writer, length));
      if (mode == Mode.ORDERED) {
        assertThat(writer).isEqualTo(k % across);
      }
    }
  }

  @Test
  void changingTheModeKeepsWhatIsWrittenUntilTheLastRankComes() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    3,
                    rank -> {
                      try (var file = rank.open("late", CREATE.withMode(Mode.SHARED))) {
                        if (rank.number() != 0) {
                          Waiting.until(rank, world, "setMode", 0);
                          file.write(Memory.of(Bytes.ofInts(7)));
                        }
                        file.setMode(Mode.ORDERED);
                        assertThat(file.position()).isEqualTo(2 * Bytes.INT);
                        rank.barrier();
                        file.write(Memory.of(Bytes.ofInts(rank.number())));
                        rank.barrier();
                        assertThat(Bytes.ofFile(rank, "late"))
                            .isEqualTo(Bytes.ofInts(7, 7, 0, 1, 2));
                      }
                    }));
  }
}
