package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Pattern;
import org.millrace.access.Placed;
import org.millrace.access.View;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.testing.Seeds;

/**
 * Random collective reads and writes against an array of bytes: any views, overlapping ones
 * included, any memory, short reads at the end, by every strategy.
 */
final class CollectiveModelTest {

  private static final int FILE_BYTES = 3000;

  /** One rank's part of one call: the model of it. */
  private record Part(View view, long position, List<Pattern> patterns, long length) {

    /** The file offset of the i-th byte. */
    long offset(long i) {
      return view.offsetOf(position + i);
    }
  }

  private record Step(boolean write, boolean async, List<Part> parts) {}

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void collectiveCallsDoWhatTheModelDoes(Strategy strategy) throws Exception {
    for (long seed : Seeds.of(30)) {
      Worlds.Build build = Worlds.Build.of(seed);
      ClusterOptions options = options(strategy, build, seed);
      try (var world = ClusterWorld.inMemory(Env.real(), build, options)) {
        run(world, seed);
      } catch (Exception | Error e) {
        throw new AssertionError(strategy + ", " + build + ", " + Seeds.replay(seed) + ": " + e, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void theyDoSoUnderAnySchedule(Strategy strategy) {
    for (long seed : Seeds.of(12)) {
      Worlds.Build build = Worlds.Build.of(seed);
      ClusterOptions options = options(strategy, build, seed);
      SeededEnv env = SeededEnv.of(seed);
      try {
        env.run(
            () -> {
              try (var world = ClusterWorld.inMemory(env, build, options)) {
                run(world, seed);
              } catch (RuntimeException | Error e) {
                throw e;
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
      } catch (RuntimeException | Error e) {
        throw new AssertionError(strategy + ", " + build + ", " + Seeds.replay(seed) + ": " + e, e);
      }
    }
  }

  @Test
  @Tag("long")
  void theyDoSoAcrossProcesses(@TempDir Path directory) throws Exception {
    try (var hosts = new ServerHosts()) {
      for (long seed : Seeds.of(2)) {
        for (Strategy strategy : Strategy.values()) {
          Worlds.Build build = Worlds.Build.of(seed + strategy.word().length());
          var talk =
              strategy.word().length() % 2 == 0
                  ? ServerHost.Talk.SHARED_MEMORY
                  : ServerHost.Talk.SOCKETS;
          new ProcessWorlds(hosts, directory, talk, List.of(), _ -> options(strategy, build, seed))
              .under(seed, build, world -> run(world, seed));
        }
      }
    }
  }

  static ClusterOptions options(Strategy strategy, Worlds.Build build, long seed) {
    Random random = new Random(seed);
    long buffer = 1L + random.nextInt(700);
    long domainBlock = random.nextBoolean() ? 0 : 1L + random.nextInt(200);
    Hints hints =
        new Hints(
            strategy,
            strategy,
            random.nextInt(4),
            buffer,
            buffer,
            buffer,
            domainBlock,
            1 + random.nextInt(3));
    return ClusterWorld.options(build).withHints(hints);
  }

  static void run(World world, long seed) throws Exception {
    Random random = new Random(seed);
    int ranks = 1 + random.nextInt(6);
    byte[] file = new byte[FILE_BYTES];
    random.nextBytes(file);
    int[] size = {1 + random.nextInt(FILE_BYTES)};
    byte[] start = Arrays.copyOf(file, size[0]);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      steps.add(step(random, ranks));
    }
    Arrays.fill(file, size[0], FILE_BYTES, (byte) 0);
    List<byte[][]> expected = new ArrayList<>();
    for (Step step : steps) {
      expected.add(apply(step, file, size));
    }
    byte[] end = Arrays.copyOf(file, size[0]);
    world.run(
        ranks,
        rank -> {
          try (SharedFile shared = rank.open("model", OpenOptions.create())) {
            if (rank.number() == 0) {
              shared.at(0).write(Memory.of(start));
            }
            rank.barrier();
            for (int i = 0; i < steps.size(); i++) {
              perform(rank, shared, steps.get(i), expected.get(i)[rank.number()]);
            }
            rank.barrier();
            assertThat(Bytes.ofFile(rank, "model")).isEqualTo(end);
          }
        });
  }

  private static void perform(Rank rank, SharedFile shared, Step step, byte[] expected)
      throws java.io.IOException {
    Part part = step.parts.get(rank.number());
    shared.setView(part.view);
    List<Memory.Part> parts = new ArrayList<>();
    long done = 0;
    for (Pattern pattern : part.patterns) {
      byte[] room = room(pattern);
      if (step.write) {
        for (long i = 0; i < pattern.size(); i++) {
          room[(int) pattern.offsetOf(i)] = content(rank.number(), done + i);
        }
      }
      done += pattern.size();
      parts.add(new Memory.Part(MemorySegment.ofArray(room), pattern));
    }
    Memory memory = new Memory(parts, part.length);
    long moved;
    if (step.async) {
      CompletableFuture<Long> future =
          step.write
              ? shared.at(part.position).all().writeAsync(memory)
              : shared.at(part.position).all().readAsync(memory);
      moved = future.join();
    } else {
      moved =
          step.write
              ? shared.at(part.position).all().write(memory)
              : shared.at(part.position).all().read(memory);
    }
    if (step.write) {
      assertThat(moved).isEqualTo(part.length);
      return;
    }
    assertThat(moved).isEqualTo(expected.length);
    checkMemory(part, parts, expected);
  }

  /** Every byte that was read is right, and no other byte of the memory was touched. */
  private static void checkMemory(Part part, List<Memory.Part> parts, byte[] expected) {
    long done = 0;
    for (int k = 0; k < parts.size(); k++) {
      Pattern pattern = part.patterns.get(k);
      byte[] want = room(pattern);
      for (long i = 0; i < pattern.size() && done + i < expected.length; i++) {
        want[(int) pattern.offsetOf(i)] = expected[(int) (done + i)];
      }
      done += pattern.size();
      assertThat((byte[]) parts.get(k).segment().heapBase().orElseThrow()).isEqualTo(want);
    }
  }

  private static byte[] room(Pattern pattern) {
    byte[] room = new byte[(int) pattern.end() + 3];
    Arrays.fill(room, (byte) 0x77);
    return room;
  }

  private static byte content(int rank, long i) {
    return (byte) (rank * 37L + i * 11 + 5);
  }

  /** What each rank reads; or changes the file. */
  private static byte[][] apply(Step step, byte[] file, int[] size) {
    byte[][] read = new byte[step.parts.size()][0];
    for (int r = 0; r < step.parts.size(); r++) {
      Part part = step.parts.get(r);
      int count = 0;
      byte[] bytes = new byte[(int) part.length];
      for (long i = 0; i < part.length; i++) {
        long offset = part.offset(i);
        if (step.write) {
          file[(int) offset] = content(r, i);
        } else if (offset < size[0]) {
          bytes[count++] = file[(int) offset];
        } else {
          break;
        }
      }
      read[r] = Arrays.copyOf(bytes, count);
    }
    if (step.write) {
      for (Part part : step.parts) {
        for (long i = 0; i < part.length; i++) {
          size[0] = Math.max(size[0], (int) part.offset(i) + 1);
        }
      }
    }
    return read;
  }

  private static Step step(Random random, int ranks) {
    boolean write = random.nextInt(3) == 0;
    List<Part> parts = new ArrayList<>();
    boolean alike = random.nextInt(3) == 0;
    View common = view(random, write);
    for (int r = 0; r < ranks; r++) {
      View view = alike ? shifted(common, r, random) : view(random, write);
      long room = view.isEmpty() ? 0 : positionsIn(view);
      long position = room == 0 ? 0 : random.nextLong(room);
      long length = random.nextInt(5) == 0 ? 0 : random.nextLong(room - position + 1);
      parts.add(memory(random, view, position, length));
    }
    return new Step(write, random.nextInt(4) == 0, parts);
  }

  private static View shifted(View view, int rank, Random random) {
    long shift = (long) rank * (1 + random.nextInt(9));
    return new View(view.displacement() + shift, view.tile(), view.tileExtent());
  }

  /** How many positions lie within the largest file of this test, at most. */
  private static long positionsIn(View view) {
    long count = 0;
    while (count < FILE_BYTES / 2 && view.offsetOf(count) < FILE_BYTES - 600) {
      count++;
    }
    return count;
  }

  private static View view(Random random, boolean write) {
    for (; ; ) {
      Pattern tile = tile(random);
      long extent = tile.end() + random.nextInt(40);
      View view = new View(random.nextInt(200), tile, extent);
      if (!write || view.isDisjoint()) {
        return view;
      }
    }
  }

  private static Pattern tile(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> Pattern.run(1 + random.nextInt(300));
      case 1 -> Pattern.loop(1 + random.nextInt(20), 1 + random.nextInt(30), run(random, 12));
      case 2 ->
          Pattern.loop(
              1 + random.nextInt(6),
              60 + random.nextInt(60),
              Pattern.loop(1 + random.nextInt(6), 8, run(random, 8)));
      case 3 -> backwards(random);
      case 4 -> indexed(random);
      default -> Pattern.EMPTY;
    };
  }

  private static Pattern run(Random random, int most) {
    return Pattern.run(1 + random.nextInt(most));
  }

  private static Pattern backwards(Random random) {
    int count = 1 + random.nextInt(8);
    long stride = 1L + random.nextInt(20);
    return Pattern.sequence(
        List.of(new Placed(count * stride, Pattern.loop(count, -stride, run(random, 9)))));
  }

  private static Pattern indexed(Random random) {
    int count = 1 + random.nextInt(12);
    long[] offsets = new long[count];
    long[] lengths = new long[count];
    long at = 0;
    for (int i = 0; i < count; i++) {
      at += random.nextInt(25);
      offsets[i] = at;
      lengths[i] = random.nextInt(15);
      at += lengths[i];
    }
    return Pattern.indexed(offsets, lengths);
  }

  /** Splits the bytes over one to three parts of memory, packed or strewn. */
  private static Part memory(Random random, View view, long position, long length) {
    List<Pattern> patterns = new ArrayList<>();
    long left = length;
    int parts = 1 + random.nextInt(3);
    for (int i = 0; i < parts; i++) {
      long bytes = i == parts - 1 ? left : random.nextLong(left + 1);
      patterns.add(places(random, bytes));
      left -= bytes;
    }
    return new Part(view, position, patterns, length);
  }

  /** Where {@code bytes} bytes belong: in order, in a vector, or a vector turned over. */
  private static Pattern places(Random random, long bytes) {
    int unit = 1 + random.nextInt(8);
    if (random.nextBoolean() || bytes % unit != 0 || bytes == 0) {
      return Pattern.run(bytes).shifted(bytes == 0 ? 0 : random.nextInt(5));
    }
    long runs = bytes / unit;
    long stride = (long) unit + random.nextInt(4);
    return random.nextBoolean()
        ? Pattern.loop(runs, stride, Pattern.run(unit))
        : Pattern.loop(runs, -stride, Pattern.run(unit)).shifted((runs - 1) * stride);
  }
}
