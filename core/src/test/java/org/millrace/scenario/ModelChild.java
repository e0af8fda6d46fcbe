package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.cluster.ClusterLocation;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.plan.Strategy;
import org.millrace.protocol.CoordinatorReply;

/**
 * One rank of the models, in a process of its own: all ranks draw the same program and check it.
 */
final class ModelChild {

  private static final int PHASES = 30;

  private ModelChild() {}

  /** Arguments: rank, size, "peers" or "clients", directory, seed, names of strategies. */
  public static void main(String[] arguments) throws Exception {
    int number = Integer.parseInt(arguments[0]);
    int size = Integer.parseInt(arguments[1]);
    Path directory = Path.of(arguments[3]);
    long seed = Long.parseLong(arguments[4]);
    Worlds.Build build = new Worlds.Build(3, 100);
    for (Strategy strategy : Arrays.stream(arguments).skip(5).map(Strategy::valueOf).toList()) {
      Launch launch = new Launch("a test", "job-" + strategy, number, size);
      ClusterOptions how = CollectiveModelTest.options(strategy, build, seed);
      ProcessRankOptions options = ProcessRankOptions.of(how);
      try (ProcessRank launched =
          arguments[2].equals("peers")
              ? ProcessRank.asPeer(launch, directory, build.nodes(), options)
              : ProcessRank.join(launch, new ClusterLocation.In(directory), options)) {
        launched.run(
            rank -> {
              CollectiveModelTest.run(new Here(rank), seed);
              remove(rank, "model");
              if (strategy == Strategy.AUTO) { // modes do not ask for a strategy
                runModes(rank, new Random(seed));
              }
            });
      }
    }
    System.out.println("end");
  }

  private static void remove(Rank rank, String path) throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      rank.names().remove(path);
    }
    rank.barrier();
  }

  /** Random programs in every mode of sharing a file. */
  private static void runModes(Rank rank, Random random) throws Exception {
    byte[] content = new byte[0];
    for (Mode mode : Mode.values()) {
      ModelFile model = new ModelFile(content);
      model.open(rank.size(), mode);
      try (var file = rank.open("modes", OpenOptions.create().withMode(mode))) {
        new ModelProgram(rank, file, model, new Random(random.nextLong())).run(PHASES);
      }
      rank.barrier();
      content = model.content();
      assertThat(Bytes.ofFile(rank, "modes")).isEqualTo(content);
      rank.barrier();
    }
    remove(rank, "modes");
  }

  /** The world as one of its ranks: each program is run by as many of the first as it takes. */
  private record Here(Rank rank) implements World {

    @Override
    public int nodes() {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    public void run(int ranks, Program program) throws IOException {
      Rank some = rank.split(rank.number() < ranks ? 0 : 1, rank.number());
      if (rank.number() < ranks) {
        try {
          program.run(some);
        } catch (IOException | RuntimeException e) {
          throw e;
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
      rank.barrier();
    }

    @Override
    public void reopen() {
      throw new UnsupportedOperationException("a rank cannot");
    }

    @Override
    public List<CoordinatorReply.Wait> waits() {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    public List<Map<String, Long>> report() {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    public List<Long> strandSizes() {
      throw new UnsupportedOperationException("a rank cannot");
    }
  }
}
