package org.millrace.bench.micro;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.millrace.Cluster;
import org.millrace.bench.measure.Scratch;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.ClusterOptions;
import org.millrace.env.Env;
import org.millrace.files.FileHandle;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;

/**
 * How many small files a second a program that is no rank opens, reads and closes, asks about and
 * lists, with one thread, when all is cached: in a cluster of four nodes in this process, or in one
 * of processes. In laps, as {@link FilesBenchmark}. Used by one thread.
 */
public final class HandlesBenchmark {

  private static final int NODES = 4;
  private static final int PAGE = 1000;

  // constant after construction
  private final Env env;
  private final Path dir;
  private final int files;
  private final int bytes;
  private final int laps;
  private final Optional<String> location;

  /**
   * {@code files} files of {@code bytes} bytes.
   *
   * @param location of a cluster of processes; empty for one below {@code dir}
   */
  public HandlesBenchmark(
      Env env, Path dir, int files, int bytes, int laps, Optional<String> location) {
    this.env = env;
    this.dir = dir;
    this.files = files;
    this.bytes = bytes;
    this.laps = laps;
    this.location = location;
  }

  /** Makes the files, measures, and checks what was read. */
  public List<FilesBenchmark.Result> run() throws IOException {
    if (location.isPresent()) {
      try (Cluster cluster = Cluster.connect(location.get(), ClusterOptions.DEFAULT)) {
        return run(cluster);
      }
    }
    try (Scratch scratch = new Scratch(dir);
        Cluster cluster =
            Cluster.embedded(scratch.folder("handles"), NODES, ClusterOptions.DEFAULT)) {
      return run(cluster);
    }
  }

  private List<FilesBenchmark.Result> run(Cluster cluster) throws IOException {
    String folder = "handles-" + Long.toHexString(env.random("bench").nextLong());
    try (FileTree tree = cluster.files()) {
      tree.makeDirectory(FilePath.of(folder), NewFile.with(0755));
      List<FilePath> paths = new ArrayList<>();
      for (int i = 0; i < files; i++) {
        paths.add(FilePath.of(String.format(Locale.ROOT, "%s/f%07d", folder, i)));
      }
      List<FilesBenchmark.Result> results = new ArrayList<>();
      results.add(
          new FilesBenchmark.Result(
              "made, written and closed, unforced",
              files,
              List.of(timed(() -> make(tree, paths)))));
      results.add(laps("opened, read and closed", () -> read(tree, paths)));
      results.add(laps("asked about", () -> stat(tree, paths)));
      results.add(laps("listed, " + PAGE + " at a time", () -> list(tree, folder)));
      for (FilePath path : paths) {
        tree.remove(path, FileTree.Removing.FILE);
      }
      tree.remove(FilePath.of(folder), FileTree.Removing.DIRECTORY);
      return results;
    }
  }

  /** What a lap does. */
  private interface Lap {
    void run() throws IOException;
  }

  private long timed(Lap lap) throws IOException {
    long began = env.nanoTime();
    lap.run();
    return env.nanoTime() - began;
  }

  private FilesBenchmark.Result laps(String what, Lap lap) throws IOException {
    List<Long> nanos = new ArrayList<>();
    for (int i = 0; i < laps; i++) {
      nanos.add(timed(lap));
    }
    return new FilesBenchmark.Result(what, files, nanos);
  }

  private MemorySegment content() {
    return MemorySegment.ofArray(new byte[bytes]).fill((byte) 'm');
  }

  private void make(FileTree tree, List<FilePath> paths) throws IOException {
    MemorySegment content = content();
    for (FilePath path : paths) {
      try (FileHandle file =
          tree.open(path, Set.of(Opening.WRITE, Opening.CREATE), NewFile.with(0644))) {
        file.write(0, content);
      }
    }
  }

  private void read(FileTree tree, List<FilePath> paths) throws IOException {
    MemorySegment content = content();
    MemorySegment found = MemorySegment.ofArray(new byte[bytes]);
    for (FilePath path : paths) {
      try (FileHandle file = tree.open(path, Set.of(Opening.READ), NewFile.with(0))) {
        if (file.read(0, found) != bytes || found.mismatch(content) >= 0) {
          throw new WrongResultException(path + " is not what was written");
        }
      }
    }
  }

  private void stat(FileTree tree, List<FilePath> paths) throws IOException {
    for (FilePath path : paths) {
      if (tree.stat(path).size() != bytes) {
        throw new WrongResultException(path + " has not the size of what was written");
      }
    }
  }

  private void list(FileTree tree, String folder) throws IOException {
    int seen = 0;
    String after = "";
    boolean more = true;
    while (more) {
      FileListing part = tree.list(FilePath.of(folder), after, PAGE);
      for (FileListing.Entry entry : part.entries()) {
        seen += entry.status().size() == bytes ? 1 : 0;
        after = entry.name();
      }
      more = part.more();
    }
    if (seen != files) {
      throw new WrongResultException(seen + " files of the right size, not " + files);
    }
  }
}
