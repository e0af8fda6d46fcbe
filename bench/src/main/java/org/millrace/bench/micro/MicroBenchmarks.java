package org.millrace.bench.micro;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Sizes;
import org.millrace.env.Env;

/**
 * Single operations of the core against the limits of the machine, measured in the same run. Every
 * benchmark checks what it read or wrote, outside the time it takes, and fails if that is wrong;
 * being slow is no failure.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class MicroBenchmarks {

  /** Told how far a run has come. */
  public interface Listener {

    /** A benchmark begins, which will report that many steps. */
    void begins(String benchmark, int steps);

    /** A step of it is done. */
    void stepped();

    /** It has ended, with these rows. */
    void ended(List<Row> rows);
  }

  private static final List<Bench.Benchmark> ALL =
      List.of(
          new ContiguousBenchmark(),
          new SmallReadsBenchmark(),
          new ColdBenchmark(),
          new StridedBenchmark(),
          new SharedPointerBenchmark(),
          new MemoryBenchmark(),
          new TinyBenchmark(),
          new OverlapBenchmark());

  private final Env env;
  private final MicroOptions options;
  private final Sizes sizes;

  /** Benchmarks with the given options; {@code env} has the clock. */
  public MicroBenchmarks(Env env, MicroOptions options) {
    this(env, options, options.quick() ? Sizes.QUICK : Sizes.FULL);
  }

  MicroBenchmarks(Env env, MicroOptions options, Sizes sizes) {
    this.env = env;
    this.options = options;
    this.sizes = sizes;
  }

  /** What can be asked for by name. */
  public static List<String> names() {
    return ALL.stream().map(Bench.Benchmark::name).toList();
  }

  /** Runs them one after the other and returns all rows. */
  public List<Row> run(Listener listener) throws IOException {
    List<Row> all = new ArrayList<>();
    try (Scratch scratch = new Scratch(options.folder())) {
      for (Bench.Benchmark benchmark : ALL) {
        if (options.only().isEmpty() || options.only().contains(benchmark.name())) {
          listener.begins(benchmark.name(), benchmark.steps());
          Path folder = scratch.folder(benchmark.name());
          Bench bench = new Bench(env, folder, sizes, listener::stepped);
          List<Row> rows = List.copyOf(benchmark.run(bench));
          Scratch.remove(folder);
          listener.ended(rows);
          all.addAll(rows);
        }
      }
    }
    return all;
  }
}
