package org.millrace.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * An exclusive lock on a directory, held until this object is closed or its process ends. The
 * kernel's lock on a file in it keeps other processes out. Within one process that is not enough:
 * closing any channel on the file releases the process's lock (a rule of POSIX). So before the file
 * is opened, the directory is entered in the system properties, which all class loaders share.
 *
 * <p>Safe for use by several threads. Closing is idempotent; the file stays.
 */
public final class DirectoryLock implements AutoCloseable {

  private static final String FILE = ".lock";
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final String PROPERTY = "org.millrace.locked:";

  private final Path directory;
  private final String property;
  private final FileChannel channel;
  private final AtomicBoolean closed = new AtomicBoolean();

  private DirectoryLock(Path directory, String property, FileChannel channel) {
    this.directory = directory;
    this.property = property;
    this.channel = channel;
  }

  /** Locks {@code directory}, which must exist. Fails with IN_USE if another holds it. */
  public static DirectoryLock acquire(Path directory) throws IOException {
    return acquire(directory, directory, FILE);
  }

  /**
   * Locks the directory called {@code part} in {@code directory}, which must exist. The file that
   * is locked lies beside it, so that nothing appears in it.
   */
  public static DirectoryLock acquirePart(Path directory, String part) throws IOException {
    return acquire(directory.resolve(part), directory, "." + DiskFileNames.require(part) + FILE);
  }

  /**
   * The process that holds the directory called {@code part} in {@code directory}: " (pid 4711)",
   * or a blank text if that is not known; empty if it is not locked.
   */
  public static Optional<String> holderOfPart(Path directory, String part) throws IOException {
    Path file = directory.resolve("." + DiskFileNames.require(part) + FILE);
    Path place = directory.resolve(part);
    if (!Files.exists(file) || !Files.isDirectory(place)) {
      return Optional.empty();
    }
    if (System.getProperties().containsKey(PROPERTY + place.toRealPath())) {
      return Optional.of(self()); // and the file is not touched, or the lock would go
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true); // closing gives it back
      return lock == null ? Optional.of(holder(file)) : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw FileErrors.of(file, "cannot find out which process has locked it", e);
    }
  }

  private static String self() {
    return " (pid " + ProcessHandle.current().pid() + ", this process)";
  }

  private static DirectoryLock acquire(Path directory, Path place, String file) throws IOException {
    String property;
    try {
      property = PROPERTY + directory.toRealPath();
    } catch (IOException e) {
      throw FileErrors.of(directory, "cannot lock", e);
    }
    if (System.getProperties().putIfAbsent(property, "locked") != null) {
      throw inUse(directory, self());
    }
    try {
      return new DirectoryLock(directory, property, lock(directory, place.resolve(file)));
    } catch (IOException | RuntimeException e) {
      System.getProperties().remove(property);
      throw e;
    }
  }

  private static FileChannel lock(Path directory, Path path) throws IOException {
    FileChannel channel = null;
    boolean locked = false;
    try {
      channel =
          FileChannel.open(
              path,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
              OWNER_ONLY);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(directory, holder(path));
      }
      Files.setPosixFilePermissions(path, OWNER_ONLY.value());
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
      locked = true;
      return channel;
    } catch (MillraceException e) {
      throw e;
    } catch (IOException e) {
      throw FileErrors.of(path, "cannot lock", e);
    } finally {
      if (!locked && channel != null) {
        channel.close();
      }
    }
  }

  private static String holder(Path path) {
    try {
      String pid = Files.readString(path, StandardCharsets.US_ASCII).strip();
      return pid.isEmpty() ? "" : " (pid " + pid + ")";
    } catch (IOException e) {
      return ""; // the holder is unknown; that it is held is certain
    }
  }

  private static MillraceException inUse(Path directory, String holder) {
    return new MillraceException(
        ErrorCode.IN_USE, "directory " + directory + " is in use by another process" + holder);
  }

  /** The directory. */
  public Path directory() {
    return directory;
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      try {
        channel.close();
      } finally {
        System.getProperties().remove(property);
      }
    }
  }
}
