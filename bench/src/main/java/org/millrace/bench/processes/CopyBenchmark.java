package org.millrace.bench.processes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.FreeMemory;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.bench.micro.MicroBenchmarks;
import org.millrace.env.Env;
import org.millrace.wire.Tls;

/**
 * {@code put} and {@code get} of one large file, and of many small ones ({@link SmallCopies}), as
 * commands, with the start of their JVMs, beside {@code cp} and {@code sync} of the same file on
 * the same disk in the same lap. {@code get} stands beside a {@code cp} that must read the disk,
 * too, since nodes with small caches do. Then the same through TLS, as between hosts, beside as
 * many bytes through a TLS stream of the JDK's. What came back is compared, outside the time it
 * takes.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class CopyBenchmark {

  private static final String NAME = "copy";
  private static final double MIN_SHARE = 0.5;
  private static final double MIN_TLS_SHARE = 0.6;
  private static final int PIECE = 1 << 20;

  /** Memory that a command may need, in sizes of the file: two files, and a cache. */
  private static final int COPIES = 3;

  private final Env env;
  private final CopyOptions options;
  private final Function<List<String>, List<String>> millrace;

  /**
   * A benchmark with the given options.
   *
   * @param millrace the command line that runs {@code millrace} with some arguments
   */
  public CopyBenchmark(
      Env env, CopyOptions options, Function<List<String>, List<String>> millrace) {
    this.env = env;
    this.options = options;
    this.millrace = millrace;
  }

  /** Measures. */
  public List<Row> run(MicroBenchmarks.Listener listener) throws IOException {
    try (Scratch scratch = new Scratch(options.folder())) {
      scratch.checkSpace(4 * options.bytes());
      listener.begins(NAME, 3 * (options.warmUps() + options.laps()));
      List<Row> rows = new ArrayList<>(new Laps(scratch.folder(NAME), false).run(listener));
      rows.addAll(new Laps(scratch.folder(NAME + "-tls"), true).run(listener));
      listener.ended(rows);
      return rows;
    }
  }

  /** All laps, in one folder. Used by one thread. */
  private final class Laps {

    private final Path folder;
    private final Path source;
    private final Path copy;
    private final boolean tls;
    private final List<Double> plain = new ArrayList<>(); // with TLS: streams there
    private final List<Double> cold = new ArrayList<>(); // with TLS: streams back
    private final List<Double> puts = new ArrayList<>();
    private final List<Double> gets = new ArrayList<>();

    Laps(Path folder, boolean tls) {
      this.folder = folder;
      this.tls = tls;
      this.source = folder.resolve("source");
      this.copy = folder.resolve("copy");
    }

    List<Row> run(MicroBenchmarks.Listener listener) throws IOException {
      fill();
      List<Row> rows = new ArrayList<>();
      try (CopyCluster cluster = CopyCluster.start(folder, options.nodes(), tls, millrace)) {
        for (int lap = -options.warmUps(); lap < options.laps(); lap++) {
          lap(cluster, lap >= 0);
          listener.stepped();
        }
        rows.addAll(rows());
        if (!tls) {
          rows.addAll(new SmallCopies(env, options, folder, cluster).run(listener));
        }
        cluster.millrace("stop");
      }
      return rows;
    }

    private void fill() throws IOException {
      try (FileChannel to =
              FileChannel.open(source, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
          Arena arena = Arena.ofConfined()) {
        MemorySegment piece = arena.allocate(PIECE, Long.BYTES);
        for (long at = 0; at < options.bytes(); at += PIECE) {
          Content.fill(piece, at, 1);
          long count = Math.min(PIECE, options.bytes() - at);
          to.write(piece.asSlice(0, count).asByteBuffer());
        }
        to.force(true);
      }
    }

    private void lap(CopyCluster cluster, boolean counted) throws IOException {
      if (tls) {
        stream(cluster, counted, true, plain);
        stream(cluster, counted, false, cold);
      } else {
        // leaves the page cache
        cluster.command(List.of("dd", "if=" + source, "iflag=nocache", "count=0"));
        copy(cluster, counted, cold);
        copy(cluster, counted, plain);
      }
      note(cluster, counted, puts, cluster.at("put", source.toString(), "f"));
      note(cluster, counted, gets, cluster.at("get", "f", copy.toString()));
      long differs = Files.mismatch(source, copy);
      if (differs >= 0) {
        throw new WrongResultException("the file that get returned differs at byte " + differs);
      }
      Files.delete(copy);
      cluster.millrace("rm", "f");
    }

    /** As many bytes through TLS as the file has, from memory to memory and nothing else. */
    private void stream(CopyCluster cluster, boolean counted, boolean up, List<Double> rates)
        throws IOException {
      SSLContext context = Tls.load(cluster.ownKeys()).context();
      String socket = folder.resolve("stream").toString();
      long count = Math.ceilDiv(options.bytes(), PIECE);
      try (PlainStream.Sender sender = new PlainStream.Sender(socket, context)) {
        var source = new PlainStream.Source(socket, sender.port(), sender.tlsPort(), context);
        long nanos =
            PlainStream.run(env, source, "tls", new PlainStream.Order(up, false, PIECE, count));
        if (counted) {
          rates.add(count * PIECE / (nanos / 1e9));
        }
      }
      Files.delete(Path.of(socket));
    }

    private void copy(CopyCluster cluster, boolean counted, List<Double> rates) throws IOException {
      String script = "cp \"$1\" \"$2\" && sync \"$2\"";
      List<String> line = List.of("sh", "-c", script, "sh", source.toString(), copy.toString());
      note(cluster, counted, rates, line);
      Files.delete(copy);
    }

    private void note(CopyCluster cluster, boolean counted, List<Double> rates, List<String> line)
        throws IOException {
      FreeMemory.touch(env, COPIES * options.bytes());
      long from = env.nanoTime();
      cluster.command(line);
      double seconds = (env.nanoTime() - from) / 1e9;
      if (counted) {
        rates.add(options.bytes() / seconds);
      }
    }

    private List<Row> rows() {
      Series limit = series(plain);
      String file = Unit.BYTES.format((double) options.bytes());
      if (tls) {
        return List.of(
            row("put of " + file + " through TLS, beside a stream", series(puts), limit),
            row("get of " + file + " through TLS, beside a stream", series(gets), series(cold)));
      }
      return List.of(
          row("put of " + file + ", beside cp and sync", series(puts), limit),
          row("get of " + file + ", beside cp and sync", series(gets), limit),
          row("get of " + file + ", beside a cold cp and sync", series(gets), series(cold)));
    }

    private Row row(String what, Series series, Series limit) {
      Target target = Target.ratio(tls ? MIN_TLS_SHARE : MIN_SHARE);
      return Row.of(NAME, what, series, Unit.BYTES_PER_SECOND, limit, target)
          .withNote(series.spread(Unit.BYTES_PER_SECOND));
    }

    private static Series series(List<Double> rates) {
      return new Series(rates.stream().mapToDouble(Double::doubleValue).toArray());
    }
  }
}
