package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.testing.Seeds;

/**
 * Random programs by a few ranks against a plain array of bytes; the file is reopened by other
 * numbers of ranks in between.
 */
final class SharedFileModelTest {

  private static final int MAX_RANKS = 4;
  private static final int OPENS = 4;
  private static final int PHASES = 30;

  @Test
  void programsUnderTheSeededScheduler() throws Exception {
    run(new SeededWorlds(1), 50);
  }

  @Test
  void programsWithRealThreads() throws Exception {
    run(new MemoryWorlds(), 15);
  }

  @Test
  void programsOnFiles(@TempDir Path directory) throws Exception {
    run(new FileWorlds(directory), 4);
  }

  @Test
  @Tag("long")
  void programsAcrossProcesses(@TempDir Path directory) throws Exception {
    try (var hosts = new ServerHosts()) {
      run(new ProcessWorlds(hosts, directory, ServerHost.Talk.SHARED_MEMORY), 2);
      run(new ProcessWorlds(hosts, directory, ServerHost.Talk.SOCKETS), 1);
    }
  }

  private static void run(Worlds worlds, int seeds) throws Exception {
    for (long seed : Seeds.of(seeds)) {
      worlds.under(seed, Worlds.Build.of(seed), world -> program(world, seed));
    }
  }

  static void program(World world, long seed) throws Exception {
    Random random = new Random(seed);
    AtomicReference<byte[]> content = new AtomicReference<>(new byte[0]);
    for (int open = 0; open < OPENS; open++) {
      int ranks = 1 + random.nextInt(MAX_RANKS);
      Mode mode = List.of(Mode.values()).get(random.nextInt(Mode.values().length));
      boolean truncate = random.nextInt(4) == 0;
      OpenOptions plain = OpenOptions.create().withMode(mode);
      OpenOptions options = truncate ? plain.withTruncate() : plain;
      byte[] before = truncate ? new byte[0] : content.get();
      long draws = random.nextLong();
      world.run(
          ranks,
          rank -> {
            ModelFile model = new ModelFile(before);
            model.open(ranks, mode);
            try (var file = rank.open("model", options)) {
              new ModelProgram(rank, file, model, new Random(draws)).run(PHASES);
            }
            content.set(model.content());
          });
      if (random.nextBoolean()) {
        world.reopen();
      }
      assertThat(Bytes.ofFile(world, "model")).isEqualTo(content.get());
    }
  }
}
