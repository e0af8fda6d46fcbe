package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;

/**
 * Files with blocks of all sizes, beside each other and with stripe units that are no multiple of
 * them, against arrays of bytes.
 */
abstract class BlockSizeCases {

  private static final List<Integer> SIZES = List.of(4 << 10, 8 << 10, 64 << 10, 1 << 20, 4 << 20);

  private static final List<Strategy> STRATEGIES =
      Arrays.stream(Strategy.values()).filter(each -> each != Strategy.AUTO).toList();

  abstract Worlds worlds();

  /** The second column is the stripe unit: a part of a block, several of them, no multiple. */
  @ParameterizedTest
  @CsvSource({
    "4096, 4096",
    "4096, 5000",
    "8192, 8192",
    "8192, 100",
    "65536, 40000",
    "1048576, 65536",
    "1048576, 1500000",
    "4194304, 65536",
  })
  void whatIsWrittenIsReadWhateverTheBlocksAndUnits(int blockBytes, long unitBytes)
      throws Exception {
    worlds()
        .in(
            new Worlds.Build(2, unitBytes),
            world -> {
              byte[] model = new byte[(int) Math.min(2_000_000, 20L * blockBytes + 777)];
              world.run(2, rank -> fill(rank, blockBytes, model));
              assertThat(Bytes.ofFile(world, "file")).isEqualTo(model);
              world.reopen();
              assertThat(Bytes.ofFile(world, "file")).isEqualTo(model);
              world.run(
                  1,
                  rank -> {
                    try (SharedFile file = rank.open("file", OpenOptions.read())) {
                      assertThat(file.layout().blockBytes()).isEqualTo(blockBytes);
                      assertThat(file.layout().stripeUnitBytes()).isEqualTo(unitBytes);
                    }
                  });
            });
  }

  /**
   * Both ranks draw the same; each writes every second piece, then all strategies write vectors.
   */
  private static void fill(Rank rank, int blockBytes, byte[] model) throws IOException {
    Random random = new Random(blockBytes);
    byte[] mine = new byte[model.length];
    random.nextBytes(mine);
    try (SharedFile file = rank.open("file", OpenOptions.create().withBlockSize(blockBytes))) {
      for (int i = 0; i < 12; i++) {
        int from = i == 0 ? model.length - 1 : random.nextInt(model.length);
        int length = Math.min(model.length - from, 1 + random.nextInt(3 * 65_536));
        byte[] piece = Arrays.copyOfRange(mine, from, from + length);
        if (rank.number() == i % 2) {
          file.at(from).write(Memory.of(piece));
          System.arraycopy(piece, 0, model, from, length);
        }
        rank.barrier();
      }
      for (Strategy strategy : STRATEGIES) {
        vector(rank, file, strategy, random, model);
      }
    }
  }

  /** All ranks write runs in turn over the whole file, then read them back. */
  private static void vector(
      Rank rank, SharedFile file, Strategy strategy, Random random, byte[] model)
      throws IOException {
    int run = 1 + random.nextInt(3000);
    int stride = rank.size() * run + random.nextInt(2) * 100;
    int count = (model.length - rank.size() * run) / stride;
    byte[] bytes = new byte[rank.size() * count * run];
    random.nextBytes(bytes);
    int from = rank.number() * count * run;
    byte[] own = Arrays.copyOfRange(bytes, from, from + count * run);
    file.setHints(Hints.DEFAULT.withStrategy(strategy));
    file.setView(new View((long) rank.number() * run, Pattern.run(run), stride));
    file.at(0).all().write(Memory.of(own));
    byte[] read = new byte[own.length];
    assertThat(file.at(0).all().read(Memory.of(read))).isEqualTo(read.length);
    assertThat(read).as("%s", strategy).isEqualTo(own);
    file.setView(View.WHOLE);
    if (rank.number() == 0) {
      for (int r = 0; r < rank.size(); r++) {
        for (int i = 0; i < count; i++) {
          System.arraycopy(bytes, (r * count + i) * run, model, r * run + i * stride, run);
        }
      }
    }
    rank.barrier();
  }

  @Test
  void filesWithBlocksOfAllSizesShareOneBoundOfMemory() throws Exception {
    worlds()
        .in(
            new Worlds.Build(1, Worlds.Build.DEFAULT_UNIT),
            world -> {
              List<byte[]> models = new ArrayList<>();
              world.run(1, rank -> models.addAll(mix(rank)));
              Map<String, Long> report = world.report().getFirst();
              assertThat(report.get("usedBytes")).isBetween(1L, report.get("limitBytes"));
              assertThat(report.get("evictions")).isPositive();
              for (int i = 0; i < SIZES.size(); i++) {
                assertThat(Bytes.ofFile(world, "f" + i)).isEqualTo(models.get(i));
              }
            });
  }

  private static List<byte[]> mix(Rank rank) throws IOException {
    Random random = new Random(1);
    List<SharedFile> files = new ArrayList<>();
    for (int i = 0; i < SIZES.size(); i++) {
      files.add(rank.open("f" + i, OpenOptions.create().withBlockSize(SIZES.get(i))));
    }
    List<byte[]> models = IntStream.range(0, files.size()).mapToObj(_ -> new byte[0]).toList();
    models = new ArrayList<>(models);
    for (int step = 0; step < 200; step++) {
      int which = random.nextInt(files.size());
      byte[] piece = new byte[1 + random.nextInt(step % 20 == 0 ? 1 << 20 : 20_000)];
      random.nextBytes(piece);
      int at = random.nextInt(1 << 20);
      byte[] model = models.get(which);
      if (random.nextBoolean()) {
        files.get(which).at(at).write(Memory.of(piece));
        model = Arrays.copyOf(model, Math.max(model.length, at + piece.length));
        System.arraycopy(piece, 0, model, at, piece.length);
        models.set(which, model);
      } else {
        int there = Math.clamp(model.length - at, 0, piece.length);
        assertThat(files.get(which).at(at).read(Memory.of(piece))).isEqualTo(there);
        for (int i = 0; i < there; i++) {
          if (piece[i] != model[at + i]) {
            throw new AssertionError("byte " + (at + i) + " of file " + which);
          }
        }
      }
    }
    for (SharedFile file : files) {
      file.close();
    }
    return models;
  }
}
