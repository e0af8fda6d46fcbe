package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.layout.Layout;
import org.millrace.testing.Seeds;

/** Disk-directed calls move exactly the bytes that a naive loop over positions moves. */
class DirectMovesTest {

  private static final int B = 1 << 16;

  /** How all ranks together see the file. */
  private enum Shape {
    BLOCK,
    CYCLIC,
    COMMON,
    OVERLAPPING,
    SOME_EMPTY,
    TRANSPOSED,
    INDEXED
  }

  private static Access access(Shape shape, int rank, int ranks, int size, int grain) {
    int share = size / ranks;
    return switch (shape) {
      case BLOCK -> new Access(View.WHOLE, (long) rank * share, (long) (rank + 1) * share);
      case CYCLIC -> cyclic(rank, ranks, size, grain);
      case COMMON -> new Access(View.from(size / 5), 0, size / 2);
      case OVERLAPPING -> {
        long from = (long) rank * share * 2 / 3;
        yield new Access(View.WHOLE, from, Math.min(size, from + share));
      }
      case SOME_EMPTY ->
          rank % 2 == 1 ? Access.NOTHING : cyclic(rank, ranks, size - size / 3, grain);
      case TRANSPOSED -> {
        int cell = Math.min(grain, share / 7);
        int columns = share / (7 * cell);
        Pattern column = Pattern.loop(7, (long) columns * cell, Pattern.run(cell));
        Pattern all = Pattern.loop(columns, cell, column);
        yield new Access(new View((long) rank * share, all, all.size()), 0, all.size());
      }
      case INDEXED -> {
        int n = Math.min(40, Math.max(1, share / (3 * grain)));
        long[] offsets = new long[n];
        long[] lengths = new long[n];
        for (int i = 0; i < n; i++) {
          offsets[i] = (long) (n - 1 - i) * 3 * grain + (i % 3);
          lengths[i] = 1 + (i * 7L) % grain;
        }
        Pattern list = Pattern.indexed(offsets, lengths);
        yield new Access(new View((long) rank * share, list, share + 1L), 0, list.size());
      }
    };
  }

  private static Access cyclic(int rank, int ranks, int size, int grain) {
    View view = new View((long) rank * grain, Pattern.run(grain), (long) ranks * grain);
    long whole = size / ((long) ranks * grain) * grain;
    return new Access(view, Math.min(whole, grain / 2), whole);
  }

  /** Places of a number of bytes, in memory of at most twice their number and some more. */
  private static Places places(int kind, long size) {
    if (size == 0) {
      return Places.packed(0);
    }
    return switch (kind % 4) {
      case 0 -> new Places(Pattern.run(size + 5), 5);
      case 1 -> { // rows with a rim
        long row = Math.max(1, size / 6);
        long rows = Math.ceilDiv(size, row);
        yield new Places(Pattern.loop(rows, row + 3, Pattern.run(row)).shifted(2), 0);
      }
      case 2 -> { // transposed
        long rows = Math.ceilDiv(size, 6 * 4L);
        Pattern column = Pattern.loop(rows, 24, Pattern.run(4));
        yield new Places(Pattern.loop(6, 4, column), 0);
      }
      default -> // backwards
          new Places(
              Pattern.sequence(
                  List.of(new Placed(3 * (size - 1) + 1, Pattern.loop(size, -3, Pattern.run(1))))),
              0);
    };
  }

  private static void world(
      Env env, Layout layout, int ranks, int size, int grain, int kind, Shape shape, Random random)
      throws IOException {
    NodeOptions options =
        NodeOptions.of((long) B * (2 + random.nextInt(12))).withWorkers(1 + random.nextInt(3));
    try (DirectWorld world = new DirectWorld(env, layout, size, options)) {
      byte[] before = new byte[random.nextBoolean() ? size : 1 + random.nextInt(size)];
      random.nextBytes(before);
      if (random.nextInt(4) > 0) {
        world.fill(0, before);
      }
      for (int step = 0; step < 3; step++) {
        if (random.nextBoolean()) {
          world.restart();
        }
        boolean write = step != 1;
        step(world, write, ranks, size, grain, kind + step, shape, random);
      }
      if (random.nextBoolean()) {
        world.restart();
      }
      assertThat(DirectWorld.difference(world.content(), world.file)).isEmpty();
    }
  }

  private static void step(
      DirectWorld world,
      boolean write,
      int ranks,
      int size,
      int grain,
      int kind,
      Shape shape,
      Random random)
      throws IOException {
    List<DirectWorld.Part> parts = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      Access all = access(shape, r, ranks, size, grain);
      long cut = all.size() > 1 && random.nextBoolean() ? all.size() / 3 : all.size();
      part(world, parts, r, new Access(all.view(), all.from(), all.from() + cut), kind, random);
      if (cut < all.size()) {
        part(world, parts, r, new Access(all.view(), all.from() + cut, all.to()), kind + 1, random);
      }
    }
    List<Integer> order = new ArrayList<>(IntStream.range(0, parts.size()).boxed().toList());
    Collections.shuffle(order, random);
    if (write) {
      world.expectWrite(parts);
      world.move(true, ranks, parts, order);
      return;
    }
    List<byte[]> expected = parts.stream().map(world::expectRead).toList();
    world.move(false, ranks, parts, order);
    for (int i = 0; i < parts.size(); i++) {
      byte[] got = parts.get(i).memory().toArray(ValueLayout.JAVA_BYTE);
      assertThat(DirectWorld.difference(got, expected.get(i))).as("part %d", i).isEmpty();
    }
  }

  private static void part(
      DirectWorld world,
      List<DirectWorld.Part> parts,
      int rank,
      Access access,
      int kind,
      Random random) {
    Places places = places(kind, access.size());
    MemorySegment memory = world.memory(places.pattern().end() + 1, random.nextBoolean());
    byte[] bytes = new byte[(int) memory.byteSize()];
    random.nextBytes(bytes);
    memory.copyFrom(MemorySegment.ofArray(bytes));
    parts.add(new DirectWorld.Part(rank, access, places, memory));
  }

  /** Every three of the four values that differ meet; in a campaign all four do. */
  @Test
  void smallWorldsMoveWhatTheOracleMoves() throws IOException {
    Random random = new Random(1);
    int[] units = {1, 13, 4096, 65536, 70001};
    for (int strands = 1; strands <= 3; strands++) {
      for (int u = 0; u < units.length; u++) {
        int unit = units[u];
        int size = unit < 100 ? 3000 : (unit < B ? 2 : 5) * B + 77;
        Layout layout = Layout.striped(unit, strands);
        for (int ranks = 1; ranks <= 4; ranks++) {
          for (int s = 0; s < Shape.values().length; s++) {
            if (Seeds.CAMPAIGN == 1 && (strands + u + ranks + s) % 2 == 0) {
              continue;
            }
            Shape shape = Shape.values()[s];
            int grain = 1 + random.nextInt(unit < 100 ? 20 : 3000);
            int kind = random.nextInt(4);
            try {
              world(Env.real(), layout, ranks, size, grain, kind, shape, random);
            } catch (AssertionError | IOException | RuntimeException e) {
              throw new AssertionError(
                  "unit %d, %d strands, %d ranks, %s of %d, kind %d"
                      .formatted(unit, strands, ranks, shape, grain, kind),
                  e);
            }
          }
        }
      }
    }
  }

  @Test
  void randomWorldsMoveWhatTheOracleMoves() throws IOException {
    for (long seed : Seeds.of(8)) {
      random(Env.real(), seed, 25 * B);
    }
  }

  @Test
  void randomWorldsMoveWhatTheOracleMovesUnderTheSeededScheduler() {
    for (long seed : Seeds.of(25)) {
      SeededEnv env = SeededEnv.of(seed);
      env.run(
          () -> {
            try {
              random(env, seed, 12 * B);
            } catch (IOException e) {
              throw new AssertionError(Seeds.replay(seed), e);
            }
          });
    }
  }

  private static void random(Env env, long seed, int max) throws IOException {
    Random random = new Random(seed);
    int unit = 1 + random.nextInt(3 * B);
    int size = B + random.nextInt(max - B);
    Layout layout = Layout.striped(unit, 1 + random.nextInt(3));
    Shape shape = Shape.values()[random.nextInt(Shape.values().length)];
    int ranks = 1 + random.nextInt(6);
    try {
      int grain = 1 + random.nextInt(random.nextBoolean() ? 32 : 20_000);
      world(env, layout, ranks, size, grain, random.nextInt(4), shape, random);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(shape + ", " + Seeds.replay(seed), e);
    }
  }
}
