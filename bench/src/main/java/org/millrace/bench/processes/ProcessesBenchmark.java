package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.micro.MicroBenchmarks;
import org.millrace.bench.peers.MpiTools;
import org.millrace.env.Env;

/**
 * Millrace across processes of one machine, against the sockets it uses and against MPI-IO with as
 * many processes, measured in the same run. What was read or written is checked, outside the time
 * it takes; being slow is no failure.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class ProcessesBenchmark {

  static final String NO_MPI = "nothing to compare with: no MPI here";

  private static final List<ProcessSection> ALL =
      List.of(
          new RemoteSection(false),
          new RemoteSection(true),
          new CollectiveSection(),
          new AppendSection(),
          new BarrierSection());

  private final Env env;
  private final ProcessesOptions options;
  private final ProcessSizes sizes;
  private final List<Path> path;

  /** A benchmark with the given options; {@code env} has the clock. */
  public ProcessesBenchmark(Env env, ProcessesOptions options) {
    this(env, options, MpiTools.path());
  }

  /**
   * The same with other places to look for MPI.
   *
   * @param path folders of programs
   */
  ProcessesBenchmark(Env env, ProcessesOptions options, List<Path> path) {
    this.env = env;
    this.options = options;
    this.path = List.copyOf(path);
    this.sizes =
        switch (options.size()) {
          case FULL -> ProcessSizes.FULL;
          case QUICK -> ProcessSizes.QUICK;
          case TINY -> ProcessSizes.TINY;
        };
  }

  /** What can be asked for by name. */
  public static List<String> names() {
    return ALL.stream().map(ProcessSection::name).toList();
  }

  /** Why the peers' columns will be empty; empty if they will not. */
  public Optional<String> missing() {
    try {
      MpiTools.find(path);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Runs the sections one after the other and returns all rows. */
  public List<Row> run(MicroBenchmarks.Listener listener) throws IOException {
    Optional<MpiTools> mpi =
        missing().isPresent() ? Optional.empty() : Optional.of(MpiTools.find(path));
    List<Row> all = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder())) {
      for (ProcessSection section : ALL) {
        if (options.only().isEmpty() || options.only().contains(section.name())) {
          Path folder = scratch.folder(section.name());
          var setting =
              new ProcessSection.Setting(env, folder, options, sizes, mpi, listener::stepped);
          listener.begins(section.name(), section.steps(setting));
          List<Row> rows = List.copyOf(section.run(setting));
          Scratch.remove(folder);
          listener.ended(rows);
          all.addAll(rows);
        }
      }
    }
    return all;
  }
}
