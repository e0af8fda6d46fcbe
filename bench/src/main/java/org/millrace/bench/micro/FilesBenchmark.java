package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.Cluster;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;

/**
 * How many small files a second ranks can make, each rank its own, in a cluster of four nodes in
 * this process. Used by one thread.
 */
public final class FilesBenchmark {

  private static final int NODES = 4;

  // constant after construction
  private final Env env;
  private final Path dir;
  private final int ranks;
  private final int files;
  private final int bytes;

  /** {@code files} files of {@code bytes} bytes, made by {@code ranks} ranks below {@code dir}. */
  public FilesBenchmark(Env env, Path dir, int ranks, int files, int bytes) {
    this.env = env;
    this.dir = dir;
    this.ranks = ranks;
    this.files = files;
    this.bytes = bytes;
  }

  /**
   * What came out.
   *
   * @param what was measured
   * @param files how many were made
   * @param nanos how long it took
   */
  public record Result(String what, int files, long nanos) {

    /** Files a second. */
    public double perSecond() {
      return files * 1e9 / nanos;
    }
  }

  /** Measures both ways, and checks that all files are there. */
  public List<Result> run() throws IOException {
    List<Result> results = new ArrayList<>();
    try (Scratch scratch = new Scratch(dir)) {
      results.add(measure(scratch.folder("durable"), true));
      results.add(measure(scratch.folder("last"), false));
    }
    return results;
  }

  private Result measure(Path folder, boolean durable) throws IOException {
    long[] nanos = new long[1];
    try (Cluster cluster = Cluster.embedded(folder, NODES, ClusterOptions.DEFAULT)) {
      cluster.run(ranks, rank -> make(rank, durable, nanos));
    }
    try (Cluster cluster = Cluster.open(folder, ClusterOptions.DEFAULT)) {
      cluster.run(ranks, this::check);
    }
    String what =
        durable
            ? "made, written and closed, each durable"
            : "made and written, the last one flushed";
    return new Result(what, files, nanos[0]);
  }

  private void make(Rank rank, boolean durable, long[] nanos) throws IOException {
    List<SharedFile> open = new ArrayList<>();
    MemorySegment content = content();
    Rank alone = rank.alone();
    rank.barrier();
    long began = env.nanoTime();
    for (int i = rank.number(); i < files; i += ranks) {
      SharedFile file = alone.open("f" + i, OpenOptions.create());
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

  private void check(Rank rank) throws IOException {
    Rank alone = rank.alone();
    for (int i = rank.number(); i < files; i += ranks) {
      try (SharedFile file = alone.open("f" + i, OpenOptions.read())) {
        MemorySegment found = MemorySegment.ofArray(new byte[bytes]);
        if (file.at(0).read(found) != bytes || found.mismatch(content()) >= 0) {
          throw new WrongResultException("file f" + i + " is not what was written");
        }
      }
    }
  }
}
