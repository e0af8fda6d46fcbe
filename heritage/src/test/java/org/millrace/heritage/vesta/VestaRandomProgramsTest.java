package org.millrace.heritage.vesta;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;
import org.millrace.testing.Seeds;

/**
 * Random programs in all modes over random partitions, against {@link VestaModel}. All ranks draw
 * the same numbers, so each knows what all do, and runs the model by itself.
 */
final class VestaRandomProgramsTest {

  private static final int MAX_RANKS = 4;

  @TempDir private Path directory;

  @Test
  void randomProgramsInAllModesDoWhatTheModelDoes() throws IOException {
    long[] seeds = Seeds.of(100);
    for (int ranks = 1; ranks <= MAX_RANKS; ranks++) {
      int size = ranks;
      long[] some =
          LongStream.of(seeds).filter(seed -> Math.floorMod(seed, MAX_RANKS) + 1 == size).toArray();
      if (some.length > 0) {
        Programs.run(
            directory.resolve("ranks" + ranks),
            ranks,
            1 + ranks % 3,
            rank -> {
              for (long seed : some) {
                run(rank, seed);
              }
            });
      }
    }
  }

  private static void run(Rank rank, long seed) throws IOException {
    try {
      new RandomProgram(rank, seed).run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(rank + ": " + e + "; " + Seeds.replay(seed), e);
    }
  }

  /** One seed's program, as one rank runs it. */
  private static final class RandomProgram {

    private final Rank rank;
    private final Random random;
    private final String name;
    private final int bsu;
    private final int cells;
    private final VestaModel model;

    private List<Partition> partitions = List.of();
    private SpmdMode mode = SpmdMode.A;
    private long[] own = {};
    private long shared;

    RandomProgram(Rank rank, long seed) {
      this.rank = rank;
      random = new Random(seed);
      name = "f" + seed;
      bsu = 1 + random.nextInt(5);
      cells = 1 + random.nextInt(6);
      model = new VestaModel(bsu, cells);
    }

    void run() throws IOException {
      Vesta vesta = new Vesta(rank);
      for (int phase = 2 + random.nextInt(4); phase > 0; phase--) {
        choose();
        OpenOptions options = Vesta.structure(bsu, cells);
        Partition mine = partitions.get(rank.number());
        try (Subfile file = vesta.open(name, options, mine, mode)) {
          assertThat(file.offset()).isZero();
          rank.barrier();
          for (int round = 2 + random.nextInt(6); round > 0; round--) {
            round(file);
            rank.barrier();
            check(file);
            rank.barrier();
          }
        }
      }
      rank.barrier();
      try (Subfile file = vesta.open(name, OpenOptions.read(), Partition.whole(cells))) {
        byte[] expected = model.plain();
        byte[] plain = new byte[expected.length + 3];
        assertThat(file.fileBytes()).isEqualTo(expected.length);
        assertThat(file.read(plain)).isEqualTo(expected.length);
        assertThat(Arrays.copyOf(plain, expected.length)).isEqualTo(expected);
      }
      rank.barrier();
    }

    /** A mode, and for each rank a partition that it allows. */
    private void choose() {
      int ranks = rank.size();
      do { // not every file has as many subfiles with data as mode A needs
        mode = List.of(SpmdMode.values()).get(random.nextInt(6));
        Partition scheme = scheme();
        partitions = new ArrayList<>();
        if (mode == SpmdMode.A) {
          List<Long> numbers =
              new ArrayList<>(LongStream.range(0, scheme.subfiles()).boxed().toList());
          Collections.shuffle(numbers, random);
          numbers.stream().limit(ranks).forEach(n -> partitions.add(scheme.number(n)));
        } else {
          for (int r = 0; r < ranks; r++) {
            partitions.add(mode == SpmdMode.B ? scheme() : scheme);
          }
        }
      } while (partitions.size() < ranks
          || partitions.stream().anyMatch(one -> !model.holds(one, 60)));
      own = new long[ranks];
      shared = 0;
    }

    private Partition scheme() {
      int vi = 1 + random.nextInt(3);
      int hi = 1 + random.nextInt(3);
      return new Partition(
          1 + random.nextInt(4), vi, 1 + random.nextInt(3), hi, random.nextInt(vi * hi));
    }

    private byte[] data() {
      byte[] data = new byte[random.nextInt(13)];
      random.nextBytes(data);
      return data;
    }

    private void round(Subfile file) throws IOException {
      boolean write = random.nextInt(3) > 0;
      List<byte[]> data = new ArrayList<>();
      for (int r = 0; r < rank.size(); r++) {
        data.add(data());
      }
      switch (mode) {
        case A -> alone(file, write, IntStream.range(0, rank.size()).toArray(), data);
        case B ->
            alone(
                file,
                write,
                write
                    ? new int[] {random.nextInt(rank.size())}
                    : IntStream.range(0, rank.size()).toArray(),
                data);
        case C -> firstCome(file, write, random.nextInt(rank.size()), data);
        case D -> {
          List<byte[]> same = new ArrayList<>();
          data.forEach(one -> same.add(Arrays.copyOf(one, data.getFirst().length)));
          once(file, write, same);
        }
        case E -> {
          List<byte[]> same = new ArrayList<>();
          data.forEach(one -> same.add(Arrays.copyOf(one, data.getFirst().length)));
          inOrder(file, write, same);
        }
        case F -> inOrder(file, write, data);
      }
    }

    /** Each of some ranks at its own offset, or one that the access brings. */
    private void alone(Subfile file, boolean write, int[] who, List<byte[]> data)
        throws IOException {
      for (int r : who) {
        boolean brings = random.nextBoolean();
        long at = brings ? random.nextInt(40) : own[r];
        if (at + data.get(r).length > 60) {
          continue;
        }
        byte[] expected = act(partitions.get(r), write, at, data.get(r));
        if (r == rank.number()) {
          byte[] buffer = data.get(r).clone();
          long moved =
              write
                  ? brings ? file.write(at, buffer) : file.write(buffer)
                  : brings ? file.read(at, buffer) : file.read(buffer);
          compare(write, buffer, moved, expected);
        }
        own[r] = brings && expected.length == 0 ? own[r] : at + expected.length;
      }
    }

    private void firstCome(Subfile file, boolean write, int who, List<byte[]> data)
        throws IOException {
      byte[] mine = data.get(who);
      boolean brings = random.nextInt(3) == 0;
      long at = brings ? random.nextInt(40) : shared;
      if (at + mine.length > 60) {
        return;
      }
      byte[] expected = act(partitions.getFirst(), write, at, mine);
      shared += brings ? 0 : expected.length;
      if (who == rank.number()) {
        byte[] buffer = mine.clone();
        long moved =
            write
                ? brings ? file.write(at, buffer) : file.write(buffer)
                : brings ? file.read(at, buffer) : file.read(buffer);
        compare(write, buffer, moved, expected);
      }
    }

    private void once(Subfile file, boolean write, List<byte[]> data) throws IOException {
      if (shared + data.getFirst().length > 60) {
        return;
      }
      byte[] expected = act(partitions.getFirst(), write, shared, data.getFirst());
      shared += expected.length;
      byte[] buffer = data.get(rank.number()).clone();
      long moved = write ? file.write(buffer) : file.read(buffer);
      compare(write, write ? expected : buffer, moved, expected);
    }

    private void inOrder(Subfile file, boolean write, List<byte[]> data) throws IOException {
      if (shared + data.stream().mapToInt(one -> one.length).sum() > 60) {
        return;
      }
      long at = shared;
      int end = model.end(partitions.getFirst());
      byte[] mine = {};
      for (int r = 0; r < data.size(); r++) {
        byte[] expected = act(partitions.getFirst(), write, at, data.get(r));
        mine = r == rank.number() ? expected : mine;
        at += data.get(r).length;
      }
      shared = write ? at : Math.max(shared, Math.min(at, end));
      byte[] buffer = data.get(rank.number()).clone();
      long moved = write ? file.write(buffer) : file.read(buffer);
      compare(write, buffer, moved, mine);
    }

    /** What the model writes, or reads. */
    private byte[] act(Partition partition, boolean write, long at, byte[] data) {
      if (!write) {
        return model.read(partition, at, data.length);
      }
      model.write(partition, at, data);
      return data;
    }

    private void compare(boolean write, byte[] buffer, long moved, byte[] expected) {
      assertThat(moved)
          .as("%s in mode %s", write ? "write" : "read", mode)
          .isEqualTo(expected.length);
      assertThat(Arrays.copyOf(buffer, expected.length)).as("mode %s", mode).isEqualTo(expected);
    }

    private void check(Subfile file) throws IOException {
      Partition mine = partitions.get(rank.number());
      assertThat(file.bytes()).as("end of %s", mine).isEqualTo(model.end(mine));
      assertThat(file.offset())
          .as("offset in mode %s", mode)
          .isEqualTo(mode.sharesOffset() ? shared : own[rank.number()]);
    }
  }
}
