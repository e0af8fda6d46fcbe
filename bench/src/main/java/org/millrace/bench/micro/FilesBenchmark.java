package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.Cluster;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;

/**
 * How many small files a second ranks can make, each rank its own: in a cluster of four nodes in
 * this process, or in one of processes. In laps: in the first one the JVM compiles; of the others
 * the median counts. Used by one thread.
 */
public final class FilesBenchmark {

  private static final int NODES = 4;

  // constant after construction
  private final Env env;
  private final Path dir;
  private final int ranks;
  private final int files;
  private final int bytes;
  private final int laps;
  private final Optional<String> location;

  /**
   * {@code files} files of {@code bytes} bytes in each lap, made by {@code ranks} ranks below
   * {@code dir}.
   */
  public FilesBenchmark(Env env, Path dir, int ranks, int files, int bytes, int laps) {
    this.laps = laps;
    this.env = env;
    this.dir = dir;
    this.ranks = ranks;
    this.files = files;
    this.bytes = bytes;
    this.location = Optional.empty();
  }

  private FilesBenchmark(FilesBenchmark same, String location) {
    this.env = same.env;
    this.dir = same.dir;
    this.ranks = same.ranks;
    this.files = same.files;
    this.bytes = same.bytes;
    this.laps = same.laps;
    this.location = Optional.of(location);
  }

  /** The same in the cluster of processes at an address or in a directory. */
  public FilesBenchmark at(String place) {
    return new FilesBenchmark(this, place);
  }

  /**
   * What came out.
   *
   * @param what was measured
   * @param files how many were made
   * @param nanos how long each lap took
   */
  public record Result(String what, int files, List<Long> nanos) {

    /** Files a second in the first lap. */
    public double first() {
      return files * 1e9 / nanos.getFirst();
    }

    /** Files a second in the median of the other laps; of the first if there is no other. */
    public double warm() {
      List<Long> rest =
          nanos.size() == 1 ? nanos : nanos.subList(1, nanos.size()).stream().sorted().toList();
      return files * 1e9 / rest.get(rest.size() / 2);
    }
  }

  /** One lap. */
  private interface Lap {
    long nanos(int number) throws IOException;
  }

  private Result laps(boolean durable, Lap lap) throws IOException {
    List<Long> nanos = new ArrayList<>();
    for (int i = 0; i < laps; i++) {
      nanos.add(lap.nanos(i));
    }
    String what =
        durable
            ? "made, written and closed, each durable"
            : "made and written, the last one flushed";
    return new Result(what, files, nanos);
  }

  /** Measures both ways, and checks that all files are there. */
  public List<Result> run() throws IOException {
    if (location.isPresent()) {
      String place = location.get();
      return List.of(laps(true, _ -> lap(place, true)), laps(false, _ -> lap(place, false)));
    }
    try (Scratch scratch = new Scratch(dir)) {
      return List.of(
          laps(true, i -> lap(scratch.folder("durable-" + i), true)),
          laps(false, i -> lap(scratch.folder("last-" + i), false)));
    }
  }

  private long lap(Path folder, boolean durable) throws IOException {
    long[] nanos = new long[1];
    try (Cluster cluster = Cluster.embedded(folder, NODES, ClusterOptions.DEFAULT)) {
      cluster.run(ranks, rank -> make(rank, "", durable, nanos));
    }
    try (Cluster cluster = Cluster.open(folder, ClusterOptions.DEFAULT)) {
      cluster.run(ranks, rank -> check(rank, ""));
    }
    return nanos[0];
  }

  private long lap(String place, boolean durable) throws IOException {
    long[] nanos = new long[1];
    String folder = "files-" + Long.toHexString(env.random("bench").nextLong());
    String prefix = folder + "/";
    try (Cluster cluster = Cluster.connect(place, ClusterOptions.DEFAULT)) {
      cluster.run(1, rank -> rank.names().makeDirectory(folder));
      cluster.run(ranks, rank -> make(rank, prefix, durable, nanos));
      cluster.run(ranks, rank -> check(rank, prefix));
      cluster.run(1, rank -> remove(rank, folder));
    }
    return nanos[0];
  }

  private void remove(Rank rank, String folder) throws IOException {
    for (int i = 0; i < files; i++) {
      rank.names().remove(folder + "/f" + i);
    }
    rank.names().remove(folder);
  }

  private void make(Rank rank, String prefix, boolean durable, long[] nanos) throws IOException {
    List<SharedFile> open = new ArrayList<>();
    MemorySegment content = content();
    Rank alone = rank.alone();
    rank.barrier();
    long began = env.nanoTime();
    for (int i = rank.number(); i < files; i += ranks) {
      SharedFile file = alone.open(prefix + "f" + i, OpenOptions.create());
      file.at(0).write(content);
      if (durable) {
        file.close();
      } else {
        open.add(file);
      }
    }
    if (!durable && (files - 1) % ranks == rank.number()) {
      open.getLast().flush();
    }
    rank.barrier();
    if (rank.number() == 0) {
      nanos[0] = env.nanoTime() - began;
    }
    for (SharedFile file : open) {
      file.close();
    }
  }

  private MemorySegment content() {
    return MemorySegment.ofArray(new byte[bytes]).fill((byte) 'm');
  }

  private void check(Rank rank, String prefix) throws IOException {
    Rank alone = rank.alone();
    for (int i = rank.number(); i < files; i += ranks) {
      try (SharedFile file = alone.open(prefix + "f" + i, OpenOptions.read())) {
        MemorySegment found = MemorySegment.ofArray(new byte[bytes]);
        if (file.at(0).read(found) != bytes || found.mismatch(content()) >= 0) {
          throw new WrongResultException("file f" + i + " is not what was written");
        }
      }
    }
  }
}
