package org.millrace.sim.rot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.millrace.client.ClusterOptions;
import org.millrace.env.SeededEnv;
import org.millrace.node.NodeOptions;

/**
 * Mutates the files of a small cluster, one mutation at a time, starts the cluster, and looks at
 * everything. Two of three mutations are made to real files, stopped in order or killed; the third
 * to disks in memory that have lost their power. Everything is a function of the seed, but for the
 * order of threads on real files. For one use, by one thread.
 */
public final class RotCampaign {

  private static final int NODES = 2;

  /** After so many mutations a host gets another history. */
  private static final int PER_HISTORY = 400;

  private static final int MOST_FAILURES = 20;

  private static final ClusterOptions OPTIONS =
      ClusterOptions.DEFAULT.withCacheBytesPerNode(64 << 10);

  private final long seed;
  private final long mutations;
  private final Path directory;
  private final NodeOptions each;
  private final LongConsumer progress;

  private final Map<String, Map<String, Long>> kinds = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();
  private long done;
  private long right;
  private long reported;
  private long bytes;
  private long reports;
  private long named;
  private long wrongs;

  /**
   * A campaign.
   *
   * @param directory for the cluster's files: empty, or not there
   * @param verifying whether nodes compare what they read with its checksums; if not, the campaign
   *     must fail
   * @param progress told how many mutations are done
   */
  public RotCampaign(
      long seed, long mutations, Path directory, boolean verifying, LongConsumer progress) {
    this.seed = seed;
    this.mutations = mutations;
    this.directory = directory;
    NodeOptions normal = NodeOptions.of(OPTIONS.cacheBytesPerNode());
    this.each = verifying ? normal : normal.withoutVerification();
    this.progress = progress;
  }

  /**
   * What happened.
   *
   * @param mutations how many there were
   * @param kinds by kind of mutation and kind of file, how many ended which way
   * @param right clusters in which everything was right
   * @param reported clusters in which something was refused, and all else right
   * @param bytes compared and right
   * @param reports errors that said what is damaged
   * @param named those that named bytes of a file
   * @param wrong clusters that served a wrong byte or a wrong name in silence
   * @param failures the first of these
   */
  public record Result(
      long mutations,
      Map<String, Map<String, Long>> kinds,
      long right,
      long reported,
      long bytes,
      long reports,
      long named,
      long wrong,
      List<String> failures) {

    /** Whether nothing was wrong, and enough happened to say so. */
    public boolean isPassed() {
      return wrong == 0 && missing().isEmpty();
    }

    /** What did not happen and should have, so that nothing can be concluded. */
    public Optional<String> missing() {
      if (kinds.size() < Mutation.Kind.values().length) {
        return Optional.of("not every kind of mutation happened: " + kinds.keySet());
      }
      if (reported * 10 < mutations || right * 10 < mutations || named * 20 < mutations) {
        return Optional.of(
            "too little was harmed, or too much: %s clusters right, %s reported, %s errors that name bytes"
                .formatted(right, reported, named));
      }
      return Optional.empty();
    }
  }

  /** Runs it. */
  public Result run() throws IOException {
    RandomGenerator random = SeededEnv.of(seed).random("rot");
    for (int history = 0; done < mutations; history++) {
      boolean memory = history % 3 == 2;
      long until = Math.min(mutations, done + PER_HISTORY);
      try (Host host = memory ? inMemory(random) : inDirectory(history)) {
        mutate(host, random, until);
      }
    }
    return new Result(
        done, kinds, right, reported, bytes, reports, named, wrongs, List.copyOf(failures));
  }

  private Host inMemory(RandomGenerator random) {
    return new MemoryHost(random.nextLong(1L << 40), NODES, OPTIONS, each);
  }

  private Host inDirectory(int history) throws IOException {
    return new DirectoryHost(directory.resolve("cluster-" + history), NODES, OPTIONS, each);
  }

  private void mutate(Host host, RandomGenerator random, long until) throws IOException {
    History history = new History(host, random);
    List<History.Moment> moments = history.live();
    for (History.Moment moment : moments) {
      Inspection before = inspect(host, moment.image(), moment.expected(), false);
      if (before.wrong().isPresent() || before.reports() > 0) {
        throw new IOException(
            "not even the cluster that nobody touched, %s, is right: %s"
                .formatted(moment.name(), before.wrong().orElse(before.firstReport())));
      }
    }
    while (done < until) {
      History.Moment moment = moments.get(random.nextInt(moments.size()));
      List<Image> older =
          moment.name().equals("killed")
              ? history.past()
              : history.past().subList(0, history.past().size() - 1);
      Mutation mutation = Mutation.draw(random, moment.image(), older);
      boolean torn = mutation.target().equals(".strand");
      Image image = mutation.result();
      count(mutation, moment, inspect(host, image, moment.expected(), torn));
      done++;
      progress.accept(done);
    }
  }

  private static Inspection inspect(Host host, Image image, Expected expected, boolean torn)
      throws IOException {
    Inspection inspection = new Inspection(expected, torn);
    host.put(image);
    try {
      host.start(cluster -> cluster.run(1, inspection::look));
    } catch (IOException e) {
      inspection.report(e);
    }
    return inspection;
  }

  private void count(Mutation mutation, History.Moment moment, Inspection seen) {
    String end = "right";
    if (seen.wrong().isPresent()) {
      wrongs++;
      end = "WRONG";
      if (failures.size() < MOST_FAILURES) {
        failures.add(
            "mutation %s, %s of %s, %s: %s"
                .formatted(
                    done,
                    mutation.kind().text(),
                    mutation.where(),
                    moment.name(),
                    seen.wrong().get()));
      }
    } else if (seen.reports() > 0) {
      reported++;
      end = "reported";
    } else {
      right++;
    }
    kinds
        .computeIfAbsent(mutation.kind().text(), _ -> new TreeMap<>())
        .merge(mutation.target() + " " + end, 1L, Long::sum);
    bytes += seen.bytes();
    reports += seen.reports();
    named += seen.named();
  }
}
