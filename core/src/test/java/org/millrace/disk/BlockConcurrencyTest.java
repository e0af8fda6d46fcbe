package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.millrace.disk.Faults.Operation;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.testing.Seeds;

/**
 * Writers of different blocks and flushes side by side, under the seeded scheduler, up to a loss of
 * power.
 */
final class BlockConcurrencyTest {

  private static final int WRITERS = 3;
  private static final long END = (long) WRITERS * Blocks.SIZE;

  /** What each writer's block may hold; all before {@code base} is history. */
  private static final class Model {
    final List<List<byte[]>> versions = new ArrayList<>();
    final int[] completed = new int[WRITERS];
    final int[] base = new int[WRITERS];

    Model() {
      for (int i = 0; i < WRITERS; i++) {
        versions.add(new ArrayList<>(List.of(new byte[Blocks.SIZE])));
      }
    }

    boolean allows(int block, byte[] found) {
      List<byte[]> possible = versions.get(block).subList(base[block], versions.get(block).size());
      for (int i = 0; i < Blocks.SIZE; i++) {
        boolean any = false;
        for (byte[] version : possible) {
          any |= version[i] == found[i];
        }
        if (!any) {
          return false;
        }
      }
      return true;
    }
  }

  private static void writer(BlockFile file, Model model, int me, RandomGenerator random) {
    try {
      for (int i = 1; i < 12; i++) {
        byte[] content = Blocks.random(random.nextLong());
        model.versions.get(me).add(content);
        Blocks.write(file, me, content);
        model.completed[me] = i;
        assertThat(Blocks.read(file, me)).isEqualTo(content);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("(?s).*(no power|earlier force).*");
    }
  }

  private static void flusher(BlockFile file, Model model) {
    try {
      for (int i = 0; i < 6; i++) {
        int[] sure = model.completed.clone();
        file.flush(END);
        for (int b = 0; b < WRITERS; b++) {
          model.base[b] = Math.max(model.base[b], sure[b]);
        }
      }
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("(?s).*(no power|earlier force).*");
    }
  }

  private static void live(SeededEnv env, Disk disk, Model model) {
    try {
      BlockFile.create(disk, 1, 0, BlockSize.DEFAULT_BYTES).close();
      BlockFile file =
          BlockFile.open(disk, new StrandKey(1, 0), new BlockFileOptions(true, 256, 4));
      ((FaultyDisk) disk).faults().cutPowerAfter(env.random("power").nextInt(150));
      for (int i = 0; i < WRITERS; i++) {
        int me = i;
        env.start(
            ThreadKind.DISK,
            "writer-" + i,
            () -> writer(file, model, me, env.random("writer-" + me)));
      }
      env.start(ThreadKind.DISK, "flusher-a", () -> flusher(file, model));
      env.start(ThreadKind.DISK, "flusher-b", () -> flusher(file, model));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void flushesBesideWritesLoseNothingThatWasAcknowledged() throws IOException {
    for (long seed : Seeds.of(100)) {
      SeededEnv env = SeededEnv.of(seed);
      MemoryDisk memory = new MemoryDisk("memory");
      Faults faults = Faults.seeded(seed);
      // Delays make every transfer a point at which others run.
      faults.delay(Operation.WRITE, env, 1_000).delay(Operation.FORCE, env, 5_000);
      Model model = new Model();
      env.run(() -> live(env, new FaultyDisk(memory, faults), model));
      try (BlockFile file = BlockFile.open(memory.crash(seed), 1, 0)) {
        for (int b = 0; b < WRITERS; b++) {
          boolean gone = file.end() == 0 && model.base[b] == 0;
          assertThat(gone || model.allows(b, Blocks.read(file, b)))
              .as("block %d, %s", b, Seeds.replay(seed))
              .isTrue();
        }
      }
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  private static Runnable unchecked(Step step) {
    return () -> {
      try {
        step.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    };
  }

  @Test
  void intentsOfAFlushUnderWayOutliveThoseThatFollow() throws IOException {
    SeededEnv env = SeededEnv.of(1);
    MemoryDisk memory = new MemoryDisk("memory");
    Faults faults = Faults.seeded(1);
    BlockFile file =
        BlockFile.create(new FaultyDisk(memory, faults), 1, 0, BlockSize.DEFAULT_BYTES);
    Blocks.write(file, 0, Blocks.random(1));
    Blocks.write(file, 1, Blocks.random(2));
    file.flush(END);
    Blocks.write(file, 0, Blocks.random(3));
    faults.delay(Operation.FORCE, env, 1_000);
    List<MemoryDisk> crashed = new ArrayList<>();
    env.run(
        () -> {
          env.start(ThreadKind.DISK, "flusher", unchecked(() -> file.flush(END)));
          env.start(
              ThreadKind.DISK,
              "writer",
              unchecked(
                  () -> {
                    env.sleep(100); // the flush now forces the data of block 0
                    Blocks.write(file, 1, Blocks.random(4));
                  }));
          env.start(
              ThreadKind.SERVICE,
              "power",
              unchecked(
                  () -> {
                    env.sleep(1_500); // the data of block 0 are durable, its sum is not
                    crashed.add(memory.crash());
                  }));
        });
    try (BlockFile after = BlockFile.open(crashed.getFirst(), 1, 0)) {
      assertThat(after.recovery()).isEqualTo(new Recovery(2, 0, 0));
      assertThat(Blocks.read(after, 0)).isEqualTo(Blocks.random(3));
      assertThat(Blocks.read(after, 1)).isEqualTo(Blocks.random(2));
    }
  }
}
