package org.millrace.bench.processes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.bench.micro.MicroBenchmarks;
import org.millrace.env.Env;

/**
 * {@code put -r} and {@code get -r} of many small files beside {@code cp -r} and {@code sync}, once
 * of each file, as the commands do, and once of the whole file system, which costs the least. What
 * came back is compared, outside the time it takes.
 *
 * <p>Used by one thread.
 */
final class SmallCopies {

  private static final String NAME = "copy";
  private static final double MIN_SHARE = 0.5;
  private static final String EACH = "cp -r \"$1\" \"$2\" && find \"$2\" -type f -exec sync {} +";
  private static final String ALL = "cp -r \"$1\" \"$2\" && sync -f \"$2\"";

  // constant after construction
  private final Env env;
  private final CopyOptions options;
  private final CopyOptions.SmallSet small;
  private final CopyCluster cluster;
  private final Path source;
  private final Path copy;

  // owned by the thread that runs it: files a second
  private final List<Double> each = new ArrayList<>();
  private final List<Double> all = new ArrayList<>();
  private final List<Double> puts = new ArrayList<>();
  private final List<Double> gets = new ArrayList<>();

  SmallCopies(Env env, CopyOptions options, Path folder, CopyCluster cluster) {
    this.env = env;
    this.options = options;
    this.small = options.small();
    this.cluster = cluster;
    this.source = folder.resolve("small");
    this.copy = folder.resolve("small-copy");
  }

  List<Row> run(MicroBenchmarks.Listener listener) throws IOException {
    fill();
    for (int lap = -options.warmUps(); lap < options.laps(); lap++) {
      lap(lap >= 0);
      listener.stepped();
    }
    String bytes = Unit.BYTES.format((double) small.bytes());
    String what = String.format(Locale.ROOT, "-r of %,d files of %s", small.files(), bytes);
    return List.of(
        row("put " + what + ", beside cp -r and sync of each", puts, each),
        row("get " + what + ", beside cp -r and sync of each", gets, each),
        row("put " + what + ", beside cp -r and one sync", puts, all),
        row("get " + what + ", beside cp -r and one sync", gets, all));
  }

  private void fill() throws IOException {
    Files.createDirectory(source);
    try (Arena arena = Arena.ofConfined()) {
      long rounded = ((long) small.bytes() + Long.BYTES) / Long.BYTES * Long.BYTES;
      MemorySegment piece = arena.allocate(rounded, Long.BYTES);
      for (int i = 0; i < small.files(); i++) {
        Content.fill(piece, i * rounded, 1);
        byte[] bytes = new byte[small.bytes()];
        piece.asSlice(0, bytes.length).asByteBuffer().get(bytes);
        Files.write(source.resolve("f" + i), bytes);
      }
    }
    cluster.command(List.of("sync", "-f", source.toString()));
  }

  private void lap(boolean counted) throws IOException {
    copy(counted, EACH, each);
    copy(counted, ALL, all);
    note(counted, puts, cluster.at("put", "-r", source.toString(), "small"));
    note(counted, gets, cluster.at("get", "-r", "small", copy.toString()));
    for (int i = 0; i < small.files(); i++) {
      if (Files.mismatch(source.resolve("f" + i), copy.resolve("f" + i)) >= 0) {
        throw new WrongResultException("file f" + i + " that get returned differs");
      }
    }
    removeCopy();
    cluster.millrace("rm", "-r", "small");
  }

  private void copy(boolean counted, String script, List<Double> rates) throws IOException {
    note(counted, rates, List.of("sh", "-c", script, "sh", source.toString(), copy.toString()));
    removeCopy();
  }

  private void removeCopy() throws IOException {
    for (int i = 0; i < small.files(); i++) {
      Files.delete(copy.resolve("f" + i));
    }
    Files.delete(copy);
  }

  private void note(boolean counted, List<Double> rates, List<String> line) throws IOException {
    long from = env.nanoTime();
    cluster.command(line);
    double seconds = (env.nanoTime() - from) / 1e9;
    if (counted) {
      rates.add(small.files() / seconds);
    }
  }

  private static Row row(String what, List<Double> rates, List<Double> limit) {
    Series series = series(rates);
    return Row.of(NAME, what, series, Unit.PER_SECOND, series(limit), Target.ratio(MIN_SHARE))
        .withNote(series.spread(Unit.PER_SECOND));
  }

  private static Series series(List<Double> rates) {
    return new Series(rates.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
