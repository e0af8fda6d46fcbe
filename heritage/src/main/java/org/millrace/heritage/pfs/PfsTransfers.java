package org.millrace.heritage.pfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Memory;

/**
 * The calls of PFSLib that move bytes of shared files. Plain forms throw {@link PfsException};
 * those with an underscore return -1 and set {@code errno}. In M_SYNC and M_GLOBAL all of them wait
 * for all clients, the asynchronous ones when they are waited for.
 */
@SuppressWarnings("MemberName") // as the manual has them
abstract sealed class PfsTransfers permits Pfs {

  private final Connection connection;

  PfsTransfers(Connection connection) {
    this.connection = connection;
  }

  /**
   * Reads {@code nBytes} bytes and waits until they are there.
   *
   * @throws PfsException EPFSLNBYTES if the file ends before; the bytes that there are were read
   */
  public void cread(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes)
      throws PfsException {
    blocking("cread", Page.CREAD, fileDescriptor, false, Wanted.of(buffer, nBytes), true);
  }

  /** As {@link #cread(int, MemorySegment, long)}. */
  public void cread(int fileDescriptor, byte @Nullable [] buffer, long nBytes) throws PfsException {
    cread(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /**
   * Reads up to {@code nBytes} bytes and returns how many: fewer where the file ends, 0 at its end,
   * -1 if it fails.
   */
  public long _cread(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes) {
    return Connection.tried(
        () ->
            blocking("cread", Page.CREAD, fileDescriptor, false, Wanted.of(buffer, nBytes), false));
  }

  /** As {@link #_cread(int, MemorySegment, long)}. */
  public long _cread(int fileDescriptor, byte @Nullable [] buffer, long nBytes) {
    return _cread(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /** As {@link #cread(int, MemorySegment, long)}, into several buffers one after the other. */
  public void creadv(int fileDescriptor, @Nullable List<MemorySegment> iov) throws PfsException {
    blocking("creadv", Page.CREAD, fileDescriptor, false, Wanted.all(iov), true);
  }

  /** As {@link #_cread(int, MemorySegment, long)}, into several buffers one after the other. */
  public long _creadv(int fileDescriptor, @Nullable List<MemorySegment> iov) {
    return Connection.tried(
        () -> blocking("creadv", Page.CREAD, fileDescriptor, false, Wanted.all(iov), false));
  }

  /**
   * Begins reading {@code nBytes} bytes, takes their place and returns an id for {@code iowait} and
   * {@code iodone}. The memory must not be touched before one of them said that it is over, and
   * must be open to other threads.
   */
  public long iread(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes)
      throws PfsException {
    return begin("iread", Page.IREAD, fileDescriptor, false, Wanted.of(buffer, nBytes));
  }

  /** As {@link #iread(int, MemorySegment, long)}. */
  public long iread(int fileDescriptor, byte @Nullable [] buffer, long nBytes) throws PfsException {
    return iread(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /** As {@link #iread(int, MemorySegment, long)}; -1 if it fails. */
  public long _iread(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes) {
    return Connection.tried(() -> iread(fileDescriptor, buffer, nBytes));
  }

  /** As {@link #iread(int, MemorySegment, long)}; -1 if it fails. */
  public long _iread(int fileDescriptor, byte @Nullable [] buffer, long nBytes) {
    return _iread(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /** As {@link #iread(int, MemorySegment, long)}, with several buffers one after the other. */
  public long ireadv(int fileDescriptor, @Nullable List<MemorySegment> iov) throws PfsException {
    return begin("ireadv", Page.IREAD, fileDescriptor, false, Wanted.all(iov));
  }

  /** As {@link #ireadv}; -1 if it fails. */
  public long _ireadv(int fileDescriptor, @Nullable List<MemorySegment> iov) {
    return Connection.tried(() -> ireadv(fileDescriptor, iov));
  }

  /** Writes {@code nBytes} bytes and waits until they are written. */
  public void cwrite(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes)
      throws PfsException {
    blocking("cwrite", Page.CWRITE, fileDescriptor, true, Wanted.of(buffer, nBytes), true);
  }

  /** As {@link #cwrite(int, MemorySegment, long)}. */
  public void cwrite(int fileDescriptor, byte @Nullable [] buffer, long nBytes)
      throws PfsException {
    cwrite(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /** Writes {@code nBytes} bytes and returns how many, or -1 if it fails. */
  public long _cwrite(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes) {
    return Connection.tried(
        () ->
            blocking(
                "cwrite", Page.CWRITE, fileDescriptor, true, Wanted.of(buffer, nBytes), false));
  }

  /** As {@link #_cwrite(int, MemorySegment, long)}. */
  public long _cwrite(int fileDescriptor, byte @Nullable [] buffer, long nBytes) {
    return _cwrite(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /** As {@link #cwrite(int, MemorySegment, long)}, from several buffers one after the other. */
  public void cwritev(int fileDescriptor, @Nullable List<MemorySegment> iov) throws PfsException {
    blocking("cwritev", Page.CWRITE, fileDescriptor, true, Wanted.all(iov), true);
  }

  /** As {@link #_cwrite(int, MemorySegment, long)}, from several buffers one after the other. */
  public long _cwritev(int fileDescriptor, @Nullable List<MemorySegment> iov) {
    return Connection.tried(
        () -> blocking("cwritev", Page.CWRITE, fileDescriptor, true, Wanted.all(iov), false));
  }

  /**
   * Begins writing {@code nBytes} bytes, takes their place and returns an id for {@code iowait} and
   * {@code iodone}. The memory must not be touched before one of them said that it is over, and
   * must be open to other threads.
   */
  public long iwrite(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes)
      throws PfsException {
    return begin("iwrite", Page.IWRITE, fileDescriptor, true, Wanted.of(buffer, nBytes));
  }

  /** As {@link #iwrite(int, MemorySegment, long)}. */
  public long iwrite(int fileDescriptor, byte @Nullable [] buffer, long nBytes)
      throws PfsException {
    return iwrite(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /** As {@link #iwrite(int, MemorySegment, long)}; -1 if it fails. */
  public long _iwrite(int fileDescriptor, @Nullable MemorySegment buffer, long nBytes) {
    return Connection.tried(() -> iwrite(fileDescriptor, buffer, nBytes));
  }

  /** As {@link #iwrite(int, MemorySegment, long)}; -1 if it fails. */
  public long _iwrite(int fileDescriptor, byte @Nullable [] buffer, long nBytes) {
    return _iwrite(fileDescriptor, Wanted.segment(buffer), nBytes);
  }

  /** As {@link #iwrite(int, MemorySegment, long)}, with several buffers one after the other. */
  public long iwritev(int fileDescriptor, @Nullable List<MemorySegment> iov) throws PfsException {
    return begin("iwritev", Page.IWRITE, fileDescriptor, true, Wanted.all(iov));
  }

  /** As {@link #iwritev}; -1 if it fails. */
  public long _iwritev(int fileDescriptor, @Nullable List<MemorySegment> iov) {
    return Connection.tried(() -> iwritev(fileDescriptor, iov));
  }

  /**
   * Waits until an asynchronous operation is over, and frees its id. Fails as the operation did.
   */
  public void iowait(long ioIdentifier) throws PfsException {
    connection.onOperation(
        "iowait",
        Page.IOWAIT,
        ioIdentifier,
        () -> {
          connection.ids().await(ioIdentifier);
          return 0;
        });
  }

  /** As {@link #iowait}; 0, or -1 if it or the operation fails. */
  public long _iowait(long ioIdentifier) {
    return Connection.tried(
        () -> {
          iowait(ioIdentifier);
          return 0;
        });
  }

  /**
   * 1 if an asynchronous operation is over, and then its id is free; 0 if it is not. Fails as the
   * operation did.
   */
  public long iodone(long ioIdentifier) throws PfsException {
    return connection.onOperation(
        "iodone", Page.IODONE, ioIdentifier, () -> connection.ids().isDone(ioIdentifier) ? 1 : 0);
  }

  /** As {@link #iodone}; -1 if it or the operation fails. */
  public long _iodone(long ioIdentifier) {
    return Connection.tried(() -> iodone(ioIdentifier));
  }

  private long blocking(
      String call, Page page, int descriptor, boolean write, Wanted wanted, boolean all)
      throws PfsException {
    return connection.onShared(
        call,
        page,
        descriptor,
        wanted.bytes(),
        file -> {
          Memory memory = checked(file, write, wanted, false);
          long moved = file.move(write, memory);
          if (all && moved < memory.length()) {
            throw new PfsException(
                Epfsl.EPFSLNBYTES,
                "%s of %s bytes, there %s ends".formatted(moved, memory.length(), file.path()));
          }
          return moved;
        });
  }

  private long begin(String call, Page page, int descriptor, boolean write, Wanted wanted)
      throws PfsException {
    return connection.onShared(
        call,
        page,
        descriptor,
        wanted.bytes(),
        file -> {
          int id = connection.ids().requireFree(); // first: without one nothing may take a place
          Memory memory = checked(file, write, wanted, true);
          connection.ids().put(id, file, memory.length(), started(file, write, memory));
          return id;
        });
  }

  private CompletableFuture<Long> started(PfsFile file, boolean write, Memory memory)
      throws IOException {
    return connection.isSmall(memory.length()) && !file.mode().mode().transferSynchronizes()
        ? CompletableFuture.completedFuture(file.move(write, memory))
        : file.start(write, memory);
  }

  private static Memory checked(PfsFile file, boolean write, Wanted wanted, boolean async)
      throws PfsException {
    try {
      file.checkDirection(write);
      return wanted.memory(write, async);
    } catch (PfsException | RuntimeException e) {
      PfsException why = Errors.ofShared(write ? Page.CWRITE : Page.CREAD, e);
      if (file.mode().mode().transferSynchronizes()) {
        file.refuse(why, async);
      }
      throw why;
    }
  }
}
