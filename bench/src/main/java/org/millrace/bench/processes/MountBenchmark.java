package org.millrace.bench.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.millrace.bench.measure.Content;
import org.millrace.bench.measure.Row;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.Series;
import org.millrace.bench.measure.Target;
import org.millrace.bench.measure.Unit;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.env.Env;

/**
 * Files of a mounted cluster beside the same of a folder on the disk below it, lap by lap: one
 * large file written and read in pieces, small reads at random places of it, and new files. The
 * file is written twice: by one that has it open for writing alone, as most programs do, and by one
 * that also reads it. What is read is compared, outside the time it takes, with what was written.
 * Nothing is forced on either side.
 *
 * <p>Immutable. Run one at a time: two would measure each other.
 */
public final class MountBenchmark {

  /** Bytes of a large transfer. */
  public static final int PIECE = 1 << 20;

  /** Threads that make files at once. */
  public static final int MAKERS = 16;

  /** The name of the rows. */
  public static final String NAME = "mount";

  private static final int SMALL = 4096;
  private static final double MIN_LARGE = 0.5;
  private static final double MIN_SMALL = 0.3;
  private static final double MIN_CREATES = 1000;

  /** Writing has settled when so many laps were not quicker than the best by this factor. */
  private static final int SETTLED_LAPS = 4;

  private static final double QUICKER = 1.05;
  private static final int MAX_SETTLING_LAPS = 40;

  /** What is measured. */
  private enum What {
    WRITES("writes of 1 MiB, one after the other", Unit.BYTES_PER_SECOND),
    WRITES_TO_READ("writes of 1 MiB, file open for reading too", Unit.BYTES_PER_SECOND),
    READS("reads of 1 MiB, one after the other", Unit.BYTES_PER_SECOND),
    SMALL_READS("reads of 4 KiB at random places", Unit.PER_SECOND),
    CREATES("new files by " + MAKERS + " threads, each in a folder of its own", Unit.PER_SECOND),
    CREATES_ALONE("new files by one thread", Unit.PER_SECOND);

    private final String words;
    private final Unit unit;

    What(String words, Unit unit) {
      this.words = words;
      this.unit = unit;
    }

    Target target() {
      return switch (this) {
        case WRITES, READS -> Target.ratio(MIN_LARGE);
        case SMALL_READS -> Target.ratio(MIN_SMALL);
        case CREATES -> Target.atLeast(MIN_CREATES);
        case WRITES_TO_READ, CREATES_ALONE -> Target.NONE;
      };
    }
  }

  /**
   * A mount.
   *
   * @param name for the rows
   * @param folder an empty folder there
   */
  public record Mounted(String name, Path folder) {}

  private final Env env;
  private final MountSizes sizes;

  /** A benchmark with the given sizes. */
  public MountBenchmark(Env env, MountSizes sizes) {
    this.env = env;
    this.sizes = sizes;
  }

  /** Rows that say why nothing was measured. */
  public static List<Row> skipped(String why) {
    List<Row> rows = new ArrayList<>();
    for (What what : What.values()) {
      rows.add(Row.skipped(NAME, what.words, what.unit, what.target(), why));
    }
    return rows;
  }

  /**
   * Measures.
   *
   * @param plain an empty folder of the disk below
   */
  public List<Row> run(Path plain, List<Mounted> mounts, Runnable step) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (Mounted mount : mounts) {
      Side here = new Side(plain);
      Side there = new Side(mount.folder);
      if (sizes.warmUps() > 0) {
        there.settle();
      }
      for (int lap = -sizes.warmUps(); lap < sizes.laps(); lap++) {
        here.lap(lap);
        there.lap(lap);
        step.run();
      }
      for (What what : What.values()) {
        Series found = there.series(what);
        rows.add(
            Row.of(
                    NAME,
                    mount.name + ", " + what.words,
                    found,
                    what.unit,
                    here.series(what),
                    what.target())
                .withNote(found.spread(what.unit)));
      }
    }
    return rows;
  }

  /** One of the two that are compared. Used by one thread. */
  private final class Side {

    private final Path folder;
    private final Map<What, List<Double>> rates = new EnumMap<>(What.class);

    Side(Path folder) {
      this.folder = folder;
      for (What what : What.values()) {
        rates.put(what, new ArrayList<>());
      }
    }

    Series series(What what) {
      return new Series(
          rates.getOrDefault(what, List.of()).stream().mapToDouble(Double::doubleValue).toArray());
    }

    /**
     * Writes until that does not become quicker. The mount's code and the nodes' is compiled
     * meanwhile, on the processors that the writes need.
     */
    void settle() throws IOException {
      Path file = folder.resolve("settling");
      long least = Long.MAX_VALUE;
      int slower = 0;
      for (int i = 0; i < MAX_SETTLING_LAPS && slower < SETTLED_LAPS; i++) {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment piece = arena.allocate(PIECE, SMALL);
          long from = env.nanoTime();
          try (FileChannel to = toWriteAlone(file)) {
            write(to, piece);
          }
          long took = env.nanoTime() - from;
          slower = took * QUICKER < least ? 0 : slower + 1;
          least = Math.min(least, took);
        }
        Files.delete(file);
      }
    }

    private static FileChannel toWriteAlone(Path file) throws IOException {
      return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    void lap(int lap) throws IOException {
      Path file = folder.resolve("large");
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment piece = arena.allocate(PIECE, SMALL);
        Content.fill(piece, 0, lap);
        try (FileChannel to = toWriteAlone(file)) {
          note(What.WRITES, lap, () -> write(to, piece));
        }
        try (FileChannel from = FileChannel.open(file)) {
          check(from, piece, lap);
        }
        Files.delete(file);
        Content.fill(piece, 0, lap);
        try (FileChannel to =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
          note(What.WRITES_TO_READ, lap, () -> write(to, piece));
          note(What.READS, lap, () -> read(to, piece));
          note(What.SMALL_READS, lap, () -> readSmall(to, piece.asSlice(0, SMALL), lap));
          check(to, piece, lap);
        }
      }
      Files.delete(file);
      note(What.CREATES_ALONE, lap, () -> make("alone", 1, sizes.files() / MAKERS));
      note(What.CREATES, lap, () -> make("all", MAKERS, sizes.files()));
      Scratch.remove(folder.resolve("alone"));
      Scratch.remove(folder.resolve("all"));
    }

    private void note(What what, int lap, Step step) throws IOException {
      long from = env.nanoTime();
      long done = step.run();
      double seconds = (env.nanoTime() - from) / 1e9;
      if (lap >= 0) {
        rates.computeIfAbsent(what, _ -> new ArrayList<>()).add(done / seconds);
      }
    }

    private long pieces() {
      return sizes.bytes() / PIECE;
    }

    private long write(FileChannel to, MemorySegment piece) throws IOException {
      for (long i = 0; i < pieces(); i++) {
        ByteBuffer bytes = piece.asByteBuffer();
        long at = i * PIECE;
        while (bytes.hasRemaining()) {
          at += to.write(bytes, at);
        }
      }
      return pieces() * PIECE;
    }

    private long read(FileChannel from, MemorySegment piece) throws IOException {
      for (long i = 0; i < pieces(); i++) {
        fill(from, piece.asByteBuffer(), i * PIECE);
      }
      return pieces() * PIECE;
    }

    private long readSmall(FileChannel from, MemorySegment block, int lap) throws IOException {
      long blocks = pieces() * (PIECE / SMALL);
      for (int i = 0; i < sizes.reads(); i++) {
        long block4k = Math.floorMod(Content.at(8L * i, lap), blocks);
        fill(from, block.asByteBuffer(), block4k * SMALL);
      }
      return sizes.reads();
    }

    private static void fill(FileChannel from, ByteBuffer into, long position) throws IOException {
      long at = position;
      while (into.hasRemaining()) {
        int count = from.read(into, at);
        if (count < 0) {
          throw new WrongResultException("the file ends at " + at);
        }
        at += count;
      }
    }

    /** All pieces are the same, and are what was written. */
    private void check(FileChannel from, MemorySegment piece, int lap) throws IOException {
      for (long i = 0; i < pieces(); i++) {
        fill(from, piece.asByteBuffer(), i * PIECE);
        Content.check(piece, 0, lap);
      }
    }

    private long make(String name, int threads, int files) throws IOException {
      Path into = Files.createDirectory(folder.resolve(name));
      int each = Math.ceilDiv(files, threads);
      List<Future<?>> makers = new ArrayList<>();
      try (ExecutorService all = Executors.newFixedThreadPool(threads)) {
        for (int t = 0; t < threads; t++) {
          int maker = t;
          makers.add(all.submit(() -> makeAll(into, maker, each)));
        }
      }
      for (Future<?> maker : makers) {
        try {
          maker.get();
        } catch (InterruptedException e) {
          throw new IllegalStateException("it has ended", e);
        } catch (ExecutionException e) {
          throw new IOException("files cannot be made in " + into, e.getCause());
        }
      }
      return (long) each * threads;
    }

    private static void makeAll(Path into, int maker, int each) {
      try {
        Path own = Files.createDirectory(into.resolve("" + maker));
        for (int i = 0; i < each; i++) {
          Files.createFile(own.resolve("" + i));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Something that is timed. */
  private interface Step {
    /** Does it; returns how much was done. */
    long run() throws IOException;
  }
}
