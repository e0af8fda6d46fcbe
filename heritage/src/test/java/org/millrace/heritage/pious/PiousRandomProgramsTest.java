package org.millrace.heritage.pious;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.error.DeadlockException;
import org.millrace.heritage.testing.Programs;
import org.millrace.testing.Seeds;

/**
 * Random programs with transactions. One after the other they must do what {@link PiousModel} does;
 * at the same time they must do what some order of them, one after the other, does.
 */
final class PiousRandomProgramsTest {

  private static final int MAX_RANKS = 4;

  @TempDir private Path directory;

  private interface Seeded {
    void run(Rank rank, long seed) throws IOException;
  }

  private void everySeed(int count, Seeded program) throws IOException {
    long[] seeds = Seeds.of(count);
    for (int ranks = 1; ranks <= MAX_RANKS; ranks++) {
      int size = ranks;
      long[] some =
          LongStream.of(seeds).filter(seed -> Math.floorMod(seed, MAX_RANKS) + 1 == size).toArray();
      Program all =
          rank -> {
            for (long seed : some) {
              try {
                program.run(rank, seed);
              } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(rank + ": " + e + "; " + Seeds.replay(seed), e);
              }
            }
          };
      if (some.length > 0) {
        Programs.run(directory.resolve("ranks" + ranks), ranks, 1 + ranks % 3, all);
      }
    }
  }

  @Test
  void programsOneAfterTheOtherDoWhatTheModelDoes() throws IOException {
    everySeed(60, (rank, seed) -> new InTurn(rank, seed).run());
  }

  @Test
  void transactionsAtTheSameTimeAreAsIfOneAfterTheOther() throws IOException {
    everySeed(40, (rank, seed) -> new AtOnce(rank, seed).run());
  }

  /** Ranks take turns; all draw the same numbers, and each runs the model by itself. */
  private static final class InTurn {

    private final Rank rank;
    private final Random random;
    private final Pious pious;
    private final String path;
    private final int segments;

    private PiousModel model;

    InTurn(Rank rank, long seed) {
      this.rank = rank;
      random = new Random(seed);
      pious = new Pious(rank);
      path = "turn" + seed;
      segments = 1 + random.nextInt(5);
      model = new PiousModel(segments);
    }

    void run() throws IOException {
      pious.create(path, segments, 1 + random.nextInt(9));
      for (int phase = 1 + random.nextInt(4); phase > 0; phase--) {
        PiousView view = List.of(PiousView.values()).get(random.nextInt(3));
        int block = 1 + random.nextInt(12);
        int[] chosen = random.ints(rank.size(), 0, segments).toArray();
        PiousFile file =
            switch (view) {
              case SEGMENTED -> pious.openSegmented(path, chosen[rank.number()]);
              case GLOBAL -> pious.openGlobal(path, block);
              case INDEPENDENT -> pious.openIndependent(path, block);
            };
        try (file) {
          int[] pointers = new int[view == PiousView.GLOBAL ? 1 : rank.size()];
          for (int turn = 2 + random.nextInt(8); turn > 0; turn--) {
            int who = random.nextInt(rank.size());
            var order = new PiousModel.Order(view == PiousView.SEGMENTED ? chosen[who] : -1, block);
            turn(file, who, order, pointers);
            rank.barrier();
            check(file, view, chosen, block, pointers);
            rank.barrier();
          }
        }
      }
      for (int s = 0; s < segments; s++) {
        try (PiousFile file = pious.openSegmented(path, s)) {
          byte[] expected = model.segment(s);
          byte[] bytes = new byte[expected.length + 5];
          assertThat(file.read(bytes)).isEqualTo(expected.length);
          assertThat(Arrays.copyOf(bytes, expected.length)).isEqualTo(expected);
        }
      }
    }

    private void check(PiousFile file, PiousView view, int[] chosen, int block, int[] pointers)
        throws IOException {
      int r = rank.number();
      var order = new PiousModel.Order(view == PiousView.SEGMENTED ? chosen[r] : -1, block);
      assertThat(file.end()).as("end of %s", order).isEqualTo(model.end(order));
      assertThat(file.position()).isEqualTo(pointers[view == PiousView.GLOBAL ? 0 : r]);
    }

    /** One rank does something: one access, or a transaction of several. */
    private void turn(PiousFile file, int who, PiousModel.Order order, int[] pointers)
        throws IOException {
      boolean me = who == rank.number();
      boolean transaction = random.nextInt(3) == 0;
      PiousModel before = model.copy();
      int pointer = pointers.length == 1 ? 0 : who;
      int stood = pointers[pointer];
      if (transaction && me) {
        pious.begin();
      }
      for (int i = transaction ? 1 + random.nextInt(5) : 1; i > 0; i--) {
        pointers[pointer] = access(file, me, order, pointers[pointer]);
      }
      boolean commits = random.nextInt(3) > 0;
      if (transaction && me) {
        if (commits) {
          pious.commit();
        } else {
          pious.abort();
        }
      }
      if (transaction && !commits) {
        model = before;
        pointers[pointer] = stood;
      }
    }

    private int access(PiousFile file, boolean me, PiousModel.Order order, int pointer)
        throws IOException {
      int at = pointer;
      if (random.nextInt(3) == 0 || at > 300) {
        at = random.nextInt(80);
        if (me) {
          file.seek(at);
        }
      }
      byte[] data = new byte[random.nextInt(40)];
      random.nextBytes(data);
      boolean write = random.nextBoolean();
      byte[] expected = data;
      if (write) {
        model.write(order, at, data);
      } else {
        expected = model.read(order, at, data.length);
      }
      if (me) {
        byte[] buffer = data.clone();
        assertThat(write ? file.write(buffer) : file.read(buffer)).isEqualTo(expected.length);
        assertThat(Arrays.copyOf(buffer, expected.length)).isEqualTo(expected);
        assertThat(file.position()).isEqualTo(at + expected.length);
      }
      return at + expected.length;
    }
  }

  /**
   * Each transaction reads some records, and writes its own number into them; some abort, victims
   * of deadlocks begin again. What each has read says whom it followed on each record. If that can
   * be put into one order, it was as if they had come one after the other.
   */
  private static final class AtOnce {

    private static final int RECORD = 8;

    private final Rank rank;
    private final long seed;
    private final Random random; // of this rank
    private final Pious pious;
    private final String path;

    AtOnce(Rank rank, long seed) {
      this.rank = rank;
      this.seed = seed;
      random = new Random(seed * 31 + rank.number());
      pious = new Pious(rank);
      path = "once" + seed;
    }

    /** What a committed transaction did: for each record, whom it followed. */
    private record Done(long number, Map<Integer, Long> followed) {}

    void run() throws IOException {
      Random common = new Random(seed);
      int segments = 1 + common.nextInt(4);
      int records = 1 + common.nextInt(6);
      int block = RECORD * (1 + common.nextInt(3));
      pious.create(path, segments, 1 + common.nextInt(20));
      List<Done> mine = new ArrayList<>();
      Set<Long> aborted = new HashSet<>();
      try (PiousFile file = pious.openIndependent(path, block)) {
        for (int i = 1; i <= 4; i++) {
          long number = rank.number() * 1000L + i;
          boolean commits = random.nextInt(4) > 0;
          int[] wanted = random.ints(1 + random.nextInt(3), 0, records).distinct().toArray();
          Map<Integer, Long> followed = untilItEnds(file, number, wanted, commits);
          if (commits) {
            mine.add(new Done(number, followed));
          } else {
            aborted.add(number);
          }
        }
        rank.barrier();
        Map<Integer, Long> last = new HashMap<>();
        for (int record = 0; record < records; record++) {
          last.put(record, read(file, record));
        }
        verify(gather(mine), aborted, last);
      }
    }

    private Map<Integer, Long> untilItEnds(
        PiousFile file, long number, int[] wanted, boolean commits) throws IOException {
      while (true) {
        pious.begin();
        try {
          Map<Integer, Long> followed = new HashMap<>();
          for (int record : wanted) {
            followed.put(record, read(file, record));
            file.seek((long) record * RECORD);
            file.write(ByteBuffer.allocate(RECORD).putLong(number).array());
          }
          if (commits) {
            pious.commit();
          } else {
            pious.abort();
          }
          return followed;
        } catch (DeadlockException e) {
          assertThat(pious.isInTransaction()).isFalse(); // and again
        }
      }
    }

    private static long read(PiousFile file, int record) throws IOException {
      byte[] bytes = new byte[RECORD];
      file.seek((long) record * RECORD);
      file.read(bytes);
      return ByteBuffer.wrap(bytes).getLong();
    }

    /** What all ranks have done, on all ranks. */
    private List<Done> gather(List<Done> mine) throws IOException {
      ByteBuffer said = ByteBuffer.allocate(4096);
      for (Done done : mine) {
        said.putLong(done.number).putInt(done.followed.size());
        done.followed.forEach((record, before) -> said.putInt(record).putLong(before));
      }
      List<Done> all = new ArrayList<>();
      for (byte[] one : rank.allGather(Arrays.copyOf(said.array(), said.position()))) {
        ByteBuffer in = ByteBuffer.wrap(one);
        while (in.hasRemaining()) {
          long number = in.getLong();
          Map<Integer, Long> followed = new HashMap<>();
          for (int i = in.getInt(); i > 0; i--) {
            followed.put(in.getInt(), in.getLong());
          }
          all.add(new Done(number, followed));
        }
      }
      return all;
    }

    /** Runs them one after the other: always one that finds what it has read. */
    private static void verify(List<Done> all, Set<Long> aborted, Map<Integer, Long> last) {
      Map<Integer, Long> content = new HashMap<>();
      last.keySet().forEach(record -> content.put(record, 0L));
      List<Done> left = new ArrayList<>(all);
      while (!left.isEmpty()) {
        Done next =
            left.stream()
                .filter(
                    one ->
                        one.followed.entrySet().stream()
                            .allMatch(seen -> seen.getValue().equals(content.get(seen.getKey()))))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no order explains " + all));
        next.followed.keySet().forEach(record -> content.put(record, next.number));
        left.remove(next);
      }
      assertThat(last).as("%s", all).isEqualTo(content);
      assertThat(last.values()).noneMatch(aborted::contains);
    }
  }
}
