package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Case 18: readers see a write whole or not at all; the control shows that this is not for want of
 * trying.
 */
abstract class AtomicityCases {

  private static final int COUNT = 10_000;
  private static final int RANKS = 4;
  private static final View EVERY_OTHER =
      new View(
          0, Pattern.loop(COUNT, 2 * Bytes.INT, Pattern.run(Bytes.INT)), 2L * COUNT * Bytes.INT);

  /** Which calls are made atomic, and how. */
  private enum Way {
    ATOMIC,
    ATOMIC_MODE,
    NEITHER
  }

  abstract Worlds worlds();

  abstract int rounds();

  @Test
  void case18ReadersSeeAllOrNothingOfAContiguousWrite() throws Exception {
    worlds().inEach(world -> assertThat(torn(world, Way.ATOMIC, View.WHOLE, rounds())).isZero());
  }

  @Test
  void case18ReadersSeeAllOrNothingOfAStridedWrite() throws Exception {
    worlds().inEach(world -> assertThat(torn(world, Way.ATOMIC, EVERY_OTHER, rounds())).isZero());
  }

  @Test
  void case18ReadersSeeAllOrNothingInModeUnix() throws Exception {
    worlds()
        .inEach(world -> assertThat(torn(world, Way.ATOMIC_MODE, View.WHOLE, rounds())).isZero());
  }

  @Test
  void case18ControlWithoutAtomicityIsTornSometimes() throws Exception {
    for (View view : new View[] {View.WHOLE, EVERY_OTHER}) {
      AtomicInteger torn = new AtomicInteger();
      for (int tries = 0; torn.get() == 0 && tries < 1000; tries++) { // chance decides when
        worlds()
            .in(
                new Worlds.Build(4, 100),
                world -> {
                  if (torn.get() == 0) {
                    torn.addAndGet(torn(world, Way.NEITHER, view, 10 * rounds()));
                  }
                });
      }
      assertThat(torn.get()).as("torn reads through %s", view).isPositive();
    }
  }

  @Test
  void overlappingWritesOfAllRanksEndInOrderOfRankInAtomicModeToo() throws Exception {
    worlds()
        .inEach(
            world ->
                world.run(
                    RANKS,
                    rank -> {
                      try (SharedFile file = rank.open("ordered", OpenOptions.create())) {
                        file.setAtomic(true);
                        for (int round = 0; round < rounds(); round++) {
                          byte[] mine = new byte[300];
                          Arrays.fill(mine, (byte) (rank.number() + 1));
                          write(rank, file, round, mine);
                          rank.barrier();
                          byte[] all = new byte[300 + 100 * (RANKS - 1)];
                          file.at(0).read(Memory.of(all));
                          for (int i = 0; i < all.length; i++) {
                            assertThat(all[i]).isEqualTo((byte) Math.min(i / 100 + 1, RANKS));
                          }
                          rank.barrier();
                        }
                      }
                    }));
  }

  /** Rank 0 comes last; every other round without waiting. */
  private static void write(Rank rank, SharedFile file, int round, byte[] mine) throws IOException {
    var access = file.at(100L * rank.number()).all();
    if (round % 2 == 0) {
      access.write(Memory.of(mine));
      return;
    }
    for (int other = 1; rank.number() == 0 && other < RANKS; other++) {
      rank.receive(other, 1);
    }
    var written = access.writeAsync(Memory.of(mine));
    if (rank.number() > 0) {
      rank.send(0, 1, new byte[0]);
    }
    rank.await(written);
  }

  /** How many reads saw part of a write. */
  private static int torn(World world, Way way, View view, int rounds) throws IOException {
    AtomicInteger torn = new AtomicInteger();
    world.run(
        RANKS,
        rank -> {
          try (var file = rank.open("atomic", OpenOptions.create())) {
            file.setMode(way == Way.ATOMIC_MODE ? Mode.ATOMIC : Mode.INDEPENDENT);
            file.setAtomic(way == Way.ATOMIC);
            file.setView(view);
            assertThat(file.isAtomic()).isEqualTo(way != Way.NEITHER);
            for (int round = 0; round < rounds; round++) {
              torn.addAndGet(round(rank, file, round));
            }
          }
        });
    return torn.get();
  }

  private static int round(Rank rank, SharedFile file, int round) throws IOException {
    byte[] zeros = new byte[COUNT * Bytes.INT];
    byte[] tens = Bytes.ints(COUNT, _ -> 10);
    if (rank.number() == 0) {
      file.at(0).write(Memory.of(zeros));
    }
    rank.barrier();
    // A read asks for the size first. In simulated time the writer must do that once more than a
    // reader so that they come to the
    // strands together; else they follow each other at the same speed and never meet.
    for (int i = rank.number() == 0 ? 1 + round % 4 : rank.number() - 1; i > 0; i--) {
      file.size();
    }
    int torn = 0;
    if (rank.number() == 0) {
      file.at(0).write(Memory.of(tens));
    } else {
      byte[] seen = new byte[tens.length];
      Arrays.fill(seen, (byte) -1);
      assertThat(file.at(0).read(Memory.of(seen))).isEqualTo(seen.length);
      torn = Arrays.equals(seen, zeros) || Arrays.equals(seen, tens) ? 0 : 1;
    }
    rank.barrier();
    return torn;
  }
}
