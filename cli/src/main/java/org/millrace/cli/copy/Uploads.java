package org.millrace.cli.copy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.client.FileNames;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;

/**
 * Puts files into a cluster. Each is written under a temporary name and renamed when it is
 * complete, durable and verified. Used by the rank's thread.
 */
public final class Uploads {

  /** As source: standard input. */
  public static final Path STDIN = Path.of("-");

  /** Of what comes from standard input: who may see it cannot be known, so nobody else. */
  private static final int PIPED_MODE = 0600;

  // constant after construction
  private final Rank rank;
  private final FileNames names;
  private final FileCopier courier;
  private final OpenOptions how;
  private final boolean replace;
  private final boolean verify;

  /** Uploads of one command. */
  public Uploads(Rank rank, FileCopier courier, OpenOptions how, boolean replace, boolean verify) {
    this.rank = rank;
    this.names = rank.names();
    this.courier = courier;
    this.how = how.withExclusive();
    this.replace = replace;
    this.verify = verify;
  }

  /** Puts one file to {@code path}. */
  public FileCopier.Load put(Path source, String path) throws IOException {
    if (FilePaths.find(names, path).isPresent()) {
      checkReplaceable(path);
    }
    String waiting = FilePaths.beside(path, ".put-" + UUID.randomUUID());
    FileCopier.Load load;
    try {
      load = putAs(source, waiting, path);
      if (replace) {
        names.replace(waiting, path);
      } else {
        names.rename(waiting, path);
      }
    } catch (IOException | RuntimeException e) {
      removeAfter(waiting, e);
      throw e;
    }
    return load;
  }

  private void checkReplaceable(String path) throws IOException {
    FilePaths.requireFile(names, path, ", and a file cannot take its place");
    if (!replace) {
      throw new NameExistsException(FilePaths.shown(path) + " exists; -f replaces it");
    }
    names.checkReplaceable(path); // rather now than when all of it was sent
  }

  private FileCopier.Load putAs(Path source, String waiting, String path) throws IOException {
    try (ReadableByteChannel in = open(source);
        SharedFile file = rank.alone().open(waiting, how.withPermissions(mode(source)))) {
      return courier.upload(FilePaths.shown(path), in, file, verify);
    }
  }

  private ReadableByteChannel open(Path source) throws IOException {
    if (source.equals(STDIN)) {
      return courier.interruptible(System.in);
    }
    if (Files.isDirectory(source)) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND, source + " is a folder; -r puts it with all that is in it");
    }
    return FileChannel.open(source);
  }

  /** What others may not do with a file here they may not do there. */
  static int mode(Path source) throws IOException {
    if (source.equals(STDIN)) {
      return PIPED_MODE;
    }
    Set<PosixFilePermission> rights = Files.getPosixFilePermissions(source);
    int mode = 0;
    for (char c : PosixFilePermissions.toString(rights).toCharArray()) {
      mode = mode << 1 | (c == '-' ? 0 : 1);
    }
    return mode | 0600; // the owner must be able to fill it
  }

  private void removeAfter(String waiting, Exception e) {
    try {
      if (FilePaths.find(names, waiting).isPresent()) {
        names.remove(waiting);
      }
    } catch (IOException suppressed) {
      e.addSuppressed(suppressed);
    }
  }

  /**
   * A file to be put.
   *
   * @param source the file outside
   * @param path its path in the cluster
   * @param isTaken whether something has that path, as far as is known
   */
  public record Wanted(Path source, String path, boolean isTaken) {

    /** Whether it is a file, and a small one. */
    public boolean isSmall() throws IOException {
      return !source.equals(STDIN)
          && Files.isRegularFile(source)
          && Files.size(source) <= SmallFiles.MOST_BYTES;
    }
  }

  /**
   * Makes the directories of a folder with all that is in it, and adds its files to {@code wanted};
   * directories that are there stay and get more.
   */
  public static void addTree(FileNames names, Path source, String path, List<Wanted> wanted)
      throws IOException {
    Set<String> taken = Set.of();
    if (FilePaths.isDirectory(names, path)) {
      taken = takenIn(names, path);
    } else {
      names.makeDirectory(path);
    }
    try (var children = Files.newDirectoryStream(source)) {
      for (Path child : children) {
        String name = child.getFileName().toString();
        String target = FilePaths.in(path, name);
        if (Files.isDirectory(child)) {
          addTree(names, child, target, wanted);
        } else if (Files.isRegularFile(child)) {
          wanted.add(new Wanted(child, target, taken.contains(name)));
        } else {
          throw new MillraceException(
              ErrorCode.WRONG_KIND, child + " is neither a file nor a folder; leave it out");
        }
      }
    }
  }

  /** The names in a directory, which are asked for once for all files that go there. */
  public static Set<String> takenIn(FileNames names, String directory) throws IOException {
    return names.list(directory).stream().map(FilePaths::of).collect(Collectors.toSet());
  }
}
