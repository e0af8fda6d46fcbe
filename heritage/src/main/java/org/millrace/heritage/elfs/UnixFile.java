package org.millrace.heritage.elfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.millrace.client.BufferAccess;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * The basic class, ELFS's {@code unix_file}: the operations of a Unix file, which every file has,
 * whatever else its class knows about it. All ranks open it together; each has a file pointer of
 * its own, and, as Unix has it, each call is all or nothing against every other.
 *
 * <p>Reads and writes at an offset also come as asynchronous ones, for ELFS overlapped I/O with
 * computing by means of Mentat. Subclasses may allow or promise less, and say so.
 *
 * <p>Belongs to the rank's thread. Closing waits for what is under way and makes what was written
 * durable; it is idempotent.
 */
public class UnixFile implements BufferAccess, AutoCloseable {

  /** From where {@link #lseek} counts. */
  public enum Whence {
    /** From the begin. */
    SEEK_SET,
    /** From where the pointer is. */
    SEEK_CUR,
    /** From the end. */
    SEEK_END
  }

  // constant after construction
  private final Rank rank;
  private final SharedFile file;

  /** Opens a file. Synchronizing: all ranks must give the same. */
  public UnixFile(Rank rank, String path, OpenOptions options) throws IOException {
    this(rank, rank.open(path, options, Mode.ATOMIC));
  }

  /** For subclasses that open files in their own way. */
  protected UnixFile(Rank rank, SharedFile file) {
    this.rank = rank;
    this.file = file;
  }

  /** This rank. */
  protected final Rank rank() {
    return rank;
  }

  /** The core's file. */
  protected final SharedFile file() {
    return file;
  }

  /** Its name. */
  public final String path() {
    return file.path();
  }

  /** Reads at the file pointer; fewer bytes than asked for at the end. */
  @Override
  public long read(MemorySegment into) throws IOException {
    return file.read(into);
  }

  /** Writes at the file pointer, or at the end if the file was opened for appending. */
  @Override
  public long write(MemorySegment from) throws IOException {
    return file.write(from);
  }

  /** Reads and writes at an offset, with buffers of any kind. */
  public final BufferAccess at(long offset) {
    return BufferAccess.of(into -> pread(into, offset), from -> pwrite(from, offset));
  }

  /** Reads at an offset; the file pointer stays. */
  public long pread(MemorySegment into, long offset) throws IOException {
    return file.at(offset).read(into);
  }

  /** Writes at an offset; the file pointer stays. */
  public long pwrite(MemorySegment from, long offset) throws IOException {
    return file.at(offset).write(from);
  }

  /** As {@link #pread}, while the program goes on. */
  public CompletableFuture<Long> preadAsync(MemorySegment into, long offset) throws IOException {
    return file.at(offset).readAsync(into);
  }

  /** As {@link #pwrite}, while the program goes on. */
  public CompletableFuture<Long> pwriteAsync(MemorySegment from, long offset) throws IOException {
    return file.at(offset).writeAsync(from);
  }

  /** Moves the file pointer; returns where it is then. */
  public final long lseek(long offset, Whence whence) throws IOException {
    long base =
        switch (whence) {
          case SEEK_SET -> 0;
          case SEEK_CUR -> file.position();
          case SEEK_END -> file.size();
        };
    file.seek(Math.addExact(base, offset));
    return file.position();
  }

  /** How many bytes it has. */
  public final long size() throws IOException {
    return file.size();
  }

  /** Cuts or extends it. Collective. */
  public void ftruncate(long size) throws IOException {
    file.resize(size);
  }

  /** Returns after what was written is durable. */
  public final void fsync() throws IOException {
    file.flush();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
