package org.millrace.cli.copy;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.terminal.Shown;
import org.millrace.client.FileNames;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.layout.FileEntry;

/**
 * Gets files from a cluster. Each goes to a file whose name ends in {@code .part}, which is renamed
 * when it is complete, durable and verified. Used by the rank's thread.
 */
public final class Downloads {

  /** As target: standard output. */
  public static final Path STDOUT = Path.of("-");

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

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
    if (Files.isDirectory(target)) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND, target + " is a folder, and a file cannot take its place");
    }
    if (!replace && Files.exists(target)) {
      throw new NameExistsException(target + " exists; -f replaces it");
    }
    Path part = target.resolveSibling(target.getFileName() + ".part");
    try {
      // two who get the same file must not mix their bytes; and nobody else reads it meanwhile
      Files.createFile(part, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (FileAlreadyExistsException e) {
      throw new NameExistsException(
          part
              + " exists: another get of this file is running or was interrupted; if none is running, remove it");
    }
    try {
      getAs(path, part, target);
      keepMode(part, entry);
      name(part, target);
    } catch (IOException | RuntimeException e) {
      try {
        Files.deleteIfExists(part);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** A file of that name that somebody made meanwhile stays, if nothing is to be replaced. */
  private void name(Path part, Path target) throws IOException {
    if (replace) {
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    try {
      Files.createLink(target, part);
    } catch (FileAlreadyExistsException e) {
      throw new NameExistsException(target + " has come meanwhile; -f replaces it");
    } catch (UnsupportedOperationException | FileSystemException e) {
      Files.move(part, target); // a file system without links: this checks, if not in one step
      return;
    }
    Files.delete(part);
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

  private static void keepMode(Path part, FileEntry entry) throws IOException {
    String mode = Shown.mode(false, entry.permissions()).substring(1);
    Files.setPosixFilePermissions(part, PosixFilePermissions.fromString(mode));
  }

  /**
   * A file to be got.
   *
   * @param path its path in the cluster
   * @param target the file outside
   * @param bytes its size
   */
  public record Wanted(String path, Path target, long bytes) {}

  /**
   * Makes the folders of a directory with all that is in it, and adds its files to {@code wanted};
   * folders that are there stay and get more.
   *
   * @param damaged whether files that cannot tell their size count as empty
   */
  public static void addTree(
      FileNames names, String path, Path target, boolean damaged, List<Wanted> wanted)
      throws IOException {
    if (!Files.isDirectory(target)) {
      Files.createDirectory(target);
    }
    for (String name : names.list(path)) {
      String plain = FilePaths.of(name);
      String there = FilePaths.in(path, plain);
      Path child = target.resolve(plain);
      if (!child.normalize().startsWith(target.normalize())) { // never, as names are checked
        throw new MillraceException(ErrorCode.PROTOCOL, "the cluster has a name " + name);
      }
      if (name.endsWith("/")) {
        addTree(names, there, child, damaged, wanted);
      } else {
        wanted.add(new Wanted(there, child, size(names, there, damaged)));
      }
    }
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
