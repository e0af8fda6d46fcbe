package org.millrace.cli.copy;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.client.FileNames;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;

/**
 * Gets files from a cluster. Each goes to a file whose name ends in {@code .part}, which is renamed
 * when it is complete, durable and verified. Used by the rank's thread.
 */
public final class Downloads {

  /** As target: standard output. */
  public static final Path STDOUT = Path.of("-");

  // constant after construction
  private final Rank rank;
  private final FileNames names;
  private final FileCopier courier;
  private final boolean replace;
  private final boolean verify;
  private final @Nullable Salvage salvage;

  /** Downloads of one command. */
  public Downloads(Rank rank, FileCopier courier, boolean replace, boolean verify) {
    this(rank, courier, replace, verify, null);
  }

  /** As above; if there is a {@code salvage}, damaged files are got as far as they can be read. */
  public Downloads(
      Rank rank, FileCopier courier, boolean replace, boolean verify, @Nullable Salvage salvage) {
    this.salvage = salvage;
    this.rank = rank;
    this.names = rank.names();
    this.courier = courier;
    this.replace = replace;
    this.verify = verify;
  }

  /** Writes a file to standard output. */
  public FileCopier.Load print(String path) throws IOException {
    FilePaths.requireFile(names, path, "; -r gets it with all that is in it");
    try (SharedFile file = rank.alone().open(path, OpenOptions.read())) {
      WritableByteChannel out = Channels.newChannel(System.out); // not ours to close
      FileCopier.Load load = courier.download(file, out);
      System.out.flush();
      if (System.out.checkError()) {
        throw new MillraceException(ErrorCode.DISK, "standard output takes no more");
      }
      return load;
    }
  }

  /** Gets one file to {@code target}. */
  public void get(String path, Path target) throws IOException {
    FileEntry entry = FilePaths.requireFile(names, path, "; -r gets it with all that is in it");
    PartFile.make(
        target,
        replace,
        part -> {
          getAs(path, part, target);
          return entry.permissions();
        });
  }

  private void getAs(String path, Path part, Path target) throws IOException {
    try (SharedFile file = rank.alone().open(path, OpenOptions.read());
        FileChannel out =
            FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (salvage == null) {
        courier.download(target.toString(), file, out, verify);
      } else {
        salvage.get(file, out);
      }
    }
  }

  /**
   * A file to be got.
   *
   * @param path its path in the cluster
   * @param target the file outside
   * @param bytes its size
   * @param permissions its mode bits
   */
  public record Wanted(String path, Path target, long bytes, int permissions) {

    /** Whether it is small. */
    public boolean isSmall() {
      return bytes <= SmallFiles.MOST_BYTES;
    }
  }

  /**
   * What a directory holds.
   *
   * @param name without the way to it
   * @param isDirectory whether it is one, too
   * @param bytes the size of a file
   * @param permissions of a file: its mode bits
   */
  public record Child(String name, boolean isDirectory, long bytes, int permissions) {}

  /** Says what is in a directory. */
  public interface Lister {
    /** Everything that is in it. */
    List<Child> list(String directory) throws IOException;
  }

  /**
   * Makes the folders of a directory with all that is in it, and adds its files to {@code wanted};
   * folders that are there stay and get more.
   */
  public static void addTree(Lister lister, String path, Path target, List<Wanted> wanted)
      throws IOException {
    if (!Files.isDirectory(target)) {
      Files.createDirectory(target);
    }
    for (Child one : lister.list(path)) {
      String there = FilePaths.in(path, one.name);
      Path child = target.resolve(one.name);
      if (!child.normalize().startsWith(target.normalize())) { // never, as names are checked
        throw new MillraceException(ErrorCode.PROTOCOL, "the cluster has a name " + one.name);
      }
      if (one.isDirectory) {
        addTree(lister, there, child, wanted);
      } else {
        wanted.add(new Wanted(there, child, one.bytes, one.permissions));
      }
    }
  }

  /** What is in a directory, file by file: those that cannot tell their size count as empty. */
  public static List<Child> childrenOfDamaged(FileNames names, String directory)
      throws IOException {
    List<Child> children = new ArrayList<>();
    for (String name : names.list(directory)) {
      String plain = FilePaths.of(name);
      boolean isDirectory = name.endsWith("/");
      String path = FilePaths.in(directory, plain);
      long bytes = isDirectory ? 0 : size(names, path, true);
      FileEntry entry = names.stat(path);
      children.add(new Child(plain, isDirectory, bytes, entry.permissions()));
    }
    return children;
  }

  /**
   * The size of a file.
   *
   * @param damaged whether one that cannot tell counts as empty
   */
  public static long size(FileNames names, String path, boolean damaged) throws IOException {
    try {
      return names.size(path);
    } catch (MillraceException e) {
      if (damaged && Salvage.isDamage(e)) {
        return 0;
      }
      throw e;
    }
  }
}
