package org.millrace.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;

/**
 * A disk that is a directory: each file of the disk is a file in it. Subdirectories and files with
 * names that are not valid for a disk are ignored.
 *
 * <p>As {@link Options} says, transfers that are aligned to the file system's blocks go past the
 * page cache, so that memory is not spent twice; all others, and all on file systems that refuse
 * it, go through the page cache. The kernel keeps the two coherent.
 *
 * <p>All methods may be called from any thread. Closing closes all files opened through this disk.
 */
public final class FileDisk implements Disk {

  /**
   * How files are opened.
   *
   * @param readsPast whether reads go past the page cache where that is possible
   * @param writesPast whether writes do
   */
  public record Options(boolean readsPast, boolean writesPast) {

    /** Through the page cache. */
    public static final Options DEFAULT = new Options(false, false);
  }

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  // Constant after construction.
  private final Path directory;
  private final Options options;
  private final int alignment;
  private final Descriptors descriptors;

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Set<FileDiskFile> files = new HashSet<>(); // guarded by lock

  @GuardedBy("lock")
  private boolean closed; // guarded by lock

  private FileDisk(Path directory, Options options, int alignment, Descriptors descriptors) {
    this.directory = directory;
    this.options = options;
    this.alignment = alignment;
    this.descriptors = descriptors;
  }

  /** The disk that is {@code directory}, which must exist. */
  public static FileDisk open(Path directory) throws IOException {
    return open(directory, Options.DEFAULT);
  }

  /** Whether there is a directory to {@link #open}. */
  public static boolean isThere(Path directory) {
    return Files.isDirectory(directory);
  }

  /** As {@link #open(Path)}, with options. */
  public static FileDisk open(Path directory, Options options) throws IOException {
    return open(directory, options, Descriptors.OF_PROCESS);
  }

  static FileDisk open(Path directory, Options options, Descriptors descriptors)
      throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new MillraceException(
          ErrorCode.NODE, "disk " + directory + " is missing: there is no such directory");
    }
    try {
      return new FileDisk(directory, options, alignment(directory), descriptors);
    } catch (IOException e) {
      throw FileErrors.of(directory, "cannot open the disk", e);
    }
  }

  /**
   * As {@link #open(Path, Options)}; the directory is made, durably, if there is none, for this
   * user alone, and so are those that it lies in, as the system makes directories.
   */
  public static FileDisk make(Path directory, Options options) throws IOException {
    try {
      makeDurably(directory.toAbsolutePath(), OWNER_ONLY);
    } catch (IOException e) {
      throw FileErrors.of(directory, "cannot make the directory", e);
    }
    return open(directory, options);
  }

  private static void makeDurably(Path directory, FileAttribute<?>... attributes)
      throws IOException {
    Path parent = directory.getParent();
    if (parent != null && !Files.isDirectory(directory)) {
      makeDurably(parent);
      Files.createDirectories(directory, attributes);
      forceNames(parent);
    }
  }

  /**
   * Lets nobody but the directory's owner enter it, whatever the modes of its files: Millrace's own
   * modes are for files of others, which a reader of the disk would read past them.
   */
  public void restrictToOwner() throws IOException {
    try {
      if (!Files.getPosixFilePermissions(directory).equals(OWNER_ONLY.value())) {
        Files.setPosixFilePermissions(directory, OWNER_ONLY.value());
      }
    } catch (IOException e) {
      throw FileErrors.of(directory, "cannot close it to other users", e);
    }
  }

  /** Makes the names in a directory durable. */
  static void forceNames(Path directory) throws IOException {
    // On Linux a directory can be opened for reading and synced: that makes its entries durable.
    try (FileChannel channel =
        Descriptors.OF_PROCESS.briefly(
            () -> FileChannel.open(directory, StandardOpenOption.READ))) {
      channel.force(true);
    }
  }

  private static int alignment(Path directory) throws IOException {
    long bytes = Files.getFileStore(directory).getBlockSize();
    return (int) Math.max(512, Math.min(bytes, 1 << 20));
  }

  @Override
  public String name() {
    return directory.toString();
  }

  @Override
  public DiskFile open(String file) throws IOException {
    return open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  @Override
  public DiskFile create(String file) throws IOException {
    return open(
        file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
  }

  private DiskFile open(String file, StandardOpenOption... how) throws IOException {
    Path path = path(file);
    lock.lock();
    try {
      checkOpen();
      FileDiskFile opened = FileDiskFile.open(this, path, alignment, options, how);
      files.add(opened);
      return opened;
    } catch (NoSuchFileException e) {
      throw new NoSuchNameException("no file " + file + " on disk " + name());
    } catch (FileAlreadyExistsException e) {
      throw new NameExistsException("file " + file + " already exists on disk " + name());
    } catch (IOException e) {
      throw FileErrors.of(path, "cannot open", e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean exists(String file) throws IOException {
    requireOpen();
    return Files.isRegularFile(path(file));
  }

  @Override
  public void delete(String file) throws IOException {
    requireOpen();
    Path path = path(file);
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw FileErrors.of(path, "cannot delete", e);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Path path = path(from);
    Path target = path(to);
    lock.lock();
    try {
      checkOpen();
      FileDiskFile.Move move =
          () ->
              Files.move(
                  path,
                  target,
                  StandardCopyOption.ATOMIC_MOVE,
                  StandardCopyOption.REPLACE_EXISTING);
      for (FileDiskFile file : files) {
        if (file.isAt(path)) { // it goes on under its new name
          FileDiskFile.Move whole = move;
          move = () -> file.move(target, whole);
        }
      }
      move.run();
    } catch (NoSuchFileException e) {
      throw new NoSuchNameException("no file " + from + " on disk " + name());
    } catch (IOException e) {
      throw FileErrors.of(path, "cannot rename to " + to, e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<String> list() throws IOException {
    requireOpen();
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      for (Path path : stream) {
        if (!path.getFileName().toString().startsWith(".") && Files.isRegularFile(path)) {
          names.add(path.getFileName().toString());
        }
      }
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      throw FileErrors.of(directory, "cannot list", e);
    }
    Collections.sort(names);
    return names;
  }

  @Override
  public DiskSpace space() throws IOException {
    long stored = 0;
    for (String name : list()) {
      try {
        stored += Files.size(directory.resolve(name));
      } catch (NoSuchFileException e) {
        // removed since it was listed
      }
    }
    try {
      FileStore store = Files.getFileStore(directory);
      return new DiskSpace(stored, store.getUsableSpace(), store.getTotalSpace());
    } catch (IOException e) {
      throw FileErrors.of(directory, "cannot tell how full it is", e);
    }
  }

  @Override
  public void force() throws IOException {
    requireOpen();
    try {
      forceNames(directory);
    } catch (IOException e) {
      throw FileErrors.of(directory, "cannot make names durable", e);
    }
  }

  @Override
  public void close() throws IOException {
    List<FileDiskFile> left;
    lock.lock();
    try {
      closed = true;
      left = List.copyOf(files);
    } finally {
      lock.unlock();
    }
    for (FileDiskFile file : left) {
      file.close();
    }
  }

  @Override
  public String toString() {
    return "disk " + name();
  }

  Descriptors descriptors() {
    return descriptors;
  }

  void onClosed(FileDiskFile file) {
    lock.lock();
    try {
      files.remove(file);
    } finally {
      lock.unlock();
    }
  }

  private Path path(String file) {
    return directory.resolve(DiskFileNames.require(file));
  }

  private void requireOpen() throws IOException {
    lock.lock();
    try {
      checkOpen();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void checkOpen() throws IOException {
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "disk " + name() + " is closed");
    }
  }
}
