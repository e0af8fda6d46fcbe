package org.millrace.heritage.pfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file of this host that one process has open for itself, as standard Unix calls have it. Its
 * name counts from the process's working directory.
 *
 * <p>Belongs to the rank's thread. Closed by {@link #close}.
 */
final class OrdinaryFile implements Descriptor {

  private static final int READ_WRITE_EXECUTE = 9; // bits
  private static final int PIECE_BYTES = 1 << 20;

  // constant after construction
  private final String path;
  private final @Nullable FileChannel reading;
  private final @Nullable FileChannel writing;
  private final boolean appends;

  // owned by the rank's thread
  private long position;
  private boolean closed;

  private OrdinaryFile(
      String path, @Nullable FileChannel reading, @Nullable FileChannel writing, boolean appends) {
    this.path = path;
    this.reading = reading;
    this.writing = writing;
    this.appends = appends;
  }

  static OrdinaryFile open(String path, PfsFlags flags) throws IOException {
    Path file = Path.of(path);
    make(file, flags);
    FileChannel reading = flags.reads() ? FileChannel.open(file, StandardOpenOption.READ) : null;
    try {
      FileChannel writing = flags.writes() ? FileChannel.open(file, writing(flags)) : null;
      return new OrdinaryFile(path, reading, writing, flags.has(Pfs.O_APPEND));
    } catch (IOException | RuntimeException e) {
      if (reading != null) {
        reading.close();
      }
      throw e;
    }
  }

  private static Set<OpenOption> writing(PfsFlags flags) {
    Set<OpenOption> options = new HashSet<>();
    options.add(flags.has(Pfs.O_APPEND) ? StandardOpenOption.APPEND : StandardOpenOption.WRITE);
    return options;
  }

  /** Makes or cuts it as the flags say. */
  private static void make(Path file, PfsFlags flags) throws IOException {
    boolean there = true;
    if (flags.has(Pfs.O_CREAT)) {
      there = !isMade(file, flags.permissions());
      if (there && flags.has(Pfs.O_EXCL)) {
        throw new FileAlreadyExistsException(file.toString());
      }
    }
    if (there && flags.has(Pfs.O_TRUNC) && Files.isRegularFile(file)) {
      try (FileChannel cut =
          FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
        cut.size();
      }
    }
  }

  private static boolean isMade(Path file, int permissions) throws IOException {
    try {
      boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
      FileAttribute<?>[] attributes =
          posix ? new FileAttribute<?>[] {bits(permissions)} : new FileAttribute<?>[0];
      Files.createFile(file, attributes);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private static FileAttribute<?> bits(int permissions) {
    PosixFilePermission[] all = PosixFilePermission.values(); // from the owner's reading on
    Set<PosixFilePermission> some = EnumSet.noneOf(PosixFilePermission.class);
    for (int bit = 0; bit < READ_WRITE_EXECUTE; bit++) {
      if ((permissions & 1 << READ_WRITE_EXECUTE - 1 - bit) != 0) {
        some.add(all[bit]);
      }
    }
    return PosixFilePermissions.asFileAttribute(some);
  }

  @Override
  public String path() {
    return path;
  }

  /** Bytes read, 0 at the end of the file. */
  long read(MemorySegment into) throws IOException {
    if (reading == null) {
      throw new PfsException(Epfsl.EBADF, path + " was opened for writing only");
    }
    byte[] piece = new byte[(int) Math.min(into.byteSize(), PIECE_BYTES)];
    long done = 0;
    while (done < into.byteSize()) {
      int wanted = (int) Math.min(piece.length, into.byteSize() - done);
      int count = reading.read(ByteBuffer.wrap(piece, 0, wanted), position);
      if (count < 0) {
        break;
      }
      MemorySegment.copy(MemorySegment.ofArray(piece), 0, into, done, count);
      position += count;
      done += count;
    }
    return done;
  }

  /** Bytes written. */
  long write(MemorySegment from) throws IOException {
    if (writing == null) {
      throw new PfsException(Epfsl.EBADF, path + " was opened for reading only");
    }
    byte[] piece = new byte[(int) Math.min(from.byteSize(), PIECE_BYTES)];
    long done = 0;
    while (done < from.byteSize()) {
      int wanted = (int) Math.min(piece.length, from.byteSize() - done);
      MemorySegment.copy(from, done, MemorySegment.ofArray(piece), 0, wanted);
      ByteBuffer bytes = ByteBuffer.wrap(piece, 0, wanted);
      int count = appends ? writing.write(bytes) : writing.write(bytes, position);
      position = appends ? writing.size() : position + count;
      done += count;
    }
    return done;
  }

  @Override
  public long seek(long offset, int whence) throws IOException {
    long base =
        switch (whence) {
          case Pfs.SEEK_SET -> 0;
          case Pfs.SEEK_CUR -> position;
          case Pfs.SEEK_END -> size();
          default -> throw new PfsException(Epfsl.EINVAL, whence + " is none of 0, 1 and 2");
        };
    long target = base + offset;
    if (target < 0 || ((base ^ target) & (offset ^ target)) < 0) {
      throw new PfsException(Epfsl.EINVAL, "there is no position " + base + " plus " + offset);
    }
    position = target;
    return target;
  }

  private long size() throws IOException {
    FileChannel either = reading != null ? reading : writing;
    if (either == null) {
      throw new NoSuchFileException(path);
    }
    return either.size();
  }

  @Override
  public long pointer() {
    return position;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    try (FileChannel _ = reading;
        FileChannel _ = writing) {
      return;
    }
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public PfsException failure(Page page, Throwable e) {
    return Errors.ofOrdinary(e);
  }
}
