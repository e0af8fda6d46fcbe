package org.millrace.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The folder for files of shared memory. Only this user may enter it, and it is in memory if the
 * system has a file system for that. Files of ended processes are removed whenever a new file is
 * made.
 *
 * <p>The other side of a connection names files to attach. Only files that this user owns, in a
 * folder that only this user can change, of exactly the size that was said, are mapped; never
 * through a symbolic link. So nobody can make this process write into a file that the same user
 * could not write to anyhow. That the other side is of the same user must have been proved before.
 *
 * <p>Safe for use by several threads.
 */
public final class SharedFolder {

  private static final Path IN_MEMORY = Path.of("/dev/shm");
  private static final int TRIES = 8;
  private static final int ZEROS = 1 << 20;

  /** What the mode of a folder or file of ours may allow. */
  private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");

  private static final Set<OpenOption> ATTACH =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

  private static final Set<OpenOption> CREATE =
      Set.of(
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS);

  /**
   * Memory that was dropped but may still be mapped, because nothing was collected since: the
   * collector does not see how large it is, so it is asked to look.
   */
  private static final long MAX_DROPPED_BYTES = 256L << 20;

  // Constant after construction.
  private final Path path;
  private final Creator self;
  private final UserPrincipal user;
  private final AtomicLong droppedBytes = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final RandomGenerator random;

  private SharedFolder(Path path, Env env) throws IOException {
    this.path = path;
    this.self = Creator.self();
    this.random = env.random("names of shared memory");
    try {
      Files.createDirectory(path, mode("rwx------"));
    } catch (FileAlreadyExistsException e) {
      // made by an earlier process or another user: checked below
    }
    this.user = ownUser();
    checkFolder(path);
    sweep();
  }

  /** The folder of this user: in memory if there is such a place, else among temporary files. */
  public static SharedFolder open(Env env) throws IOException {
    Path base =
        Files.isDirectory(IN_MEMORY) && Files.isWritable(IN_MEMORY)
            ? IN_MEMORY
            : Path.of(System.getProperty("java.io.tmpdir"));
    return open(env, base);
  }

  /**
   * The folder of this user in {@code base}.
   *
   * @throws IOException if it cannot be made, or belongs to another user
   */
  public static SharedFolder open(Env env, Path base) throws IOException {
    String name = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
    try {
      return new SharedFolder(base.toRealPath().resolve("millrace-" + name), env);
    } catch (UnsupportedOperationException e) {
      throw new MillraceException(ErrorCode.REFUSED, base + ": files have no owner and mode", e);
    }
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** How many bytes could still be shared, as far as the file system knows. */
  public long usableBytes() throws IOException {
    return Files.getFileStore(path).getUsableSpace();
  }

  /**
   * New memory, all zeros.
   *
   * @throws IOException if there is no room for it
   */
  public SharedMemory create(long bytes) throws IOException {
    if (bytes < 1) {
      throw new IllegalArgumentException("shared memory of " + bytes + " bytes");
    }
    sweep();
    Path file = path;
    try {
      for (int tries = 0; ; tries++) {
        file = path.resolve(nextName());
        try (FileChannel channel = create(file)) {
          return new SharedMemory(this, file, true, reserve(channel, bytes));
        } catch (FileAlreadyExistsException e) {
          if (tries == TRIES) {
            throw e;
          }
        }
      }
    } catch (IOException e) {
      MillraceException failure =
          new MillraceException(
              ErrorCode.DISK_FULL, file + ": no " + bytes + " bytes of shared memory", e);
      if (!(e instanceof FileAlreadyExistsException)) {
        remove(file, failure);
      }
      throw failure;
    }
  }

  /**
   * Maps what another process of this user has made.
   *
   * @throws IOException if it is not there, or not what it should be
   */
  public SharedMemory attach(Path file, long bytes) throws IOException {
    Path parent = file.getParent();
    if (!file.isAbsolute() || !file.normalize().equals(file) || parent == null) {
      throw refused(file, "is not a whole path");
    }
    checkFolder(parent);
    PosixFileAttributes facts = facts(file);
    if (!facts.isRegularFile()) {
      throw refused(file, "is not a regular file");
    }
    checkOwner(file, facts);
    try (FileChannel channel = FileChannel.open(file, ATTACH)) {
      if (channel.size() != bytes) {
        throw refused(file, "has " + channel.size() + " bytes, not " + bytes);
      }
      return new SharedMemory(this, file, false, map(channel, bytes));
    }
  }

  /** Notes that so many bytes are no longer needed. */
  void dropped(long bytes) {
    long all = droppedBytes.addAndGet(bytes);
    if (all > MAX_DROPPED_BYTES && droppedBytes.compareAndSet(all, 0)) {
      System.gc();
    }
  }

  private String nextName() {
    lock.lock();
    try {
      return self.name(random.nextLong());
    } finally {
      lock.unlock();
    }
  }

  /** Removes files that ended processes have left behind. */
  private void sweep() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
      for (Path file : files) {
        Optional<Creator> creator = Creator.ofName(String.valueOf(file.getFileName()));
        if (creator.isPresent() && creator.get().isGone(self)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** Our user, as the kernel says: the creator of a file owns it. */
  private UserPrincipal ownUser() throws IOException {
    Path probe = path.resolve(nextName());
    create(probe).close();
    try {
      return facts(probe).owner();
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  private void checkFolder(Path folder) throws IOException {
    PosixFileAttributes facts = facts(folder);
    if (!facts.isDirectory()) {
      throw refused(folder, "is not a directory");
    }
    checkOwner(folder, facts);
  }

  private void checkOwner(Path file, PosixFileAttributes facts) throws IOException {
    if (!facts.owner().equals(user)) {
      throw refused(file, "belongs to " + facts.owner() + ", not to " + user);
    }
    if (!OWN.containsAll(facts.permissions())) {
      String mode = PosixFilePermissions.toString(facts.permissions());
      throw refused(file, "is open to others: its mode is " + mode);
    }
  }

  private static PosixFileAttributes facts(Path file) throws IOException {
    try {
      return Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      throw new MillraceException(ErrorCode.REFUSED, file + " is not there", e);
    }
  }

  private static MillraceException refused(Path file, String reason) {
    return new MillraceException(ErrorCode.REFUSED, file + " " + reason);
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(file, CREATE, mode("rw-------"));
  }

  private static FileAttribute<?> mode(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  /**
   * Writes zeros rather than only setting the size: a page that a full file system cannot give
   * would otherwise be missed at the first access, which nothing can answer but the JVM's death.
   */
  private static MemorySegment reserve(FileChannel channel, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, ZEROS));
    for (long at = 0; at < bytes; ) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
      at += channel.write(zeros, at);
    }
    return map(channel, bytes);
  }

  private static MemorySegment map(FileChannel channel, long bytes) throws IOException {
    return NativeMemory.map(channel, bytes, Arena.ofAuto());
  }

  private static void remove(Path file, Exception cause) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
