package org.millrace.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A file of a {@link FileDisk}.
 *
 * <p>Interrupts: a {@link FileChannel} closes itself under a thread that is interrupted. So the
 * thread's flag is put aside during a transfer, and a channel that was closed all the same is
 * opened again and the transfer repeated. A force that is broken off that way counts as failed.
 *
 * <p>A failed force is final (the rule learnt from "fsyncgate", 2018): the kernel may have dropped
 * the pages it could not write and marked them clean, so that a second fsync would succeed without
 * the data. Every later force fails, too, until the file is opened anew and its content checked.
 *
 * <p>Rest: where too many files are open it closes its channels while nobody uses it (see {@link
 * Descriptors}), after a force: an error that the system has not reported yet could get lost with
 * the last descriptor.
 *
 * <p>Safe for use by several threads. Transfers run side by side. Reads into several segments go
 * segment by segment through the channel of all others: to the system a file that several threads
 * read in turn is read in order then, and it reads ahead. A vectored read needs a channel with a
 * pointer for each thread; that took twice as long (decision 0290). Past the page cache nobody
 * reads ahead, and each transfer is a request to the disk: there they are vectored, one after the
 * other.
 */
final class FileDiskFile implements DiskFile, Descriptors.Sleeper {

  private static final int MAX_NATIVE_TRANSFER = 1 << 30;
  private static final int MAX_HEAP_TRANSFER =
      1 << 20; // the JDK keeps a native copy of this size per thread
  private static final int MAX_VECTOR = 1 << 10; // Linux's

  // Constant after construction.
  private final FileDisk disk;
  private final boolean readsPast;

  private volatile Path path; // changes while nobody uses the file

  /**
   * Bytes to which direct transfers are aligned, or 0 for none. Becomes 0 when the file system
   * refuses.
   */
  private volatile int directAlignment;

  private volatile @Nullable FileChannel channel; // null at rest
  private volatile boolean closed;
  private volatile boolean unforced; // written or resized since the last force began
  private boolean used; // racy on purpose: a lost mark only lets it be put to rest too early
  private volatile @Nullable String forceFailure;
  private volatile long reserved; // room that was taken beyond the end

  /** Held shared by every use of a channel, alone by {@link #tryRest}. */
  private final ReentrantReadWriteLock using = new ReentrantReadWriteLock();

  private final ReentrantLock reopenLock = new ReentrantLock(); // guards the opening of channels
  private volatile @Nullable FileChannel directChannel; // written under reopenLock
  private final ReentrantLock pointerLock = new ReentrantLock(); // of the direct channel

  private FileDiskFile(FileDisk disk, Path path, int alignment, FileDisk.Options options) {
    this.disk = disk;
    this.path = path;
    this.readsPast = options.readsPast();
    this.directAlignment = options.readsPast() || options.writesPast() ? alignment : 0;
  }

  /** Opens {@code path} as the first options say; fails as {@link FileChannel#open} does. */
  static FileDiskFile open(
      FileDisk disk, Path path, int alignment, FileDisk.Options options, StandardOpenOption... how)
      throws IOException {
    FileDiskFile file = new FileDiskFile(disk, path, alignment, options);
    file.channel = file.opened(how);
    return file;
  }

  private FileChannel opened(OpenOption... how) throws IOException {
    Path now = path;
    return disk.descriptors().open(this, () -> FileChannel.open(now, how));
  }

  /** A change of names. */
  interface Move {
    void run() throws IOException;
  }

  boolean isAt(Path place) {
    return path.equals(place);
  }

  /** Goes on at another place, once {@code move} has moved it there. */
  void move(Path to, Move move) throws IOException {
    using.writeLock().lock(); // a channel that is opened now must find it
    try {
      move.run();
      path = to;
    } finally {
      using.writeLock().unlock();
    }
  }

  private interface Transfer {
    long on(FileChannel channel) throws IOException;
  }

  @Override
  public String name() {
    return path.getFileName().toString();
  }

  @Override
  public long size() throws IOException {
    return io("size", 0, FileChannel::size);
  }

  @Override
  public long read(long position, MemorySegment into) throws IOException {
    DiskFileNames.checkRange(name(), position, into.byteSize());
    long done = 0;
    while (done < into.byteSize()) {
      ByteBuffer buffer = piece(into, done);
      long at = position + done;
      long moved = transfer("read", at, into, done, buffer, false);
      if (moved < 0) {
        break;
      }
      done += moved;
    }
    return done;
  }

  @Override
  public long read(long position, List<MemorySegment> into) throws IOException {
    long total = 0;
    for (MemorySegment segment : into) {
      total += segment.byteSize();
    }
    DiskFileNames.checkRange(name(), position, total);
    long done = scatter(position, into);
    long start = 0;
    for (MemorySegment segment : into) {
      long end = start + segment.byteSize();
      if (end > done) {
        done += read(position + done, segment.asSlice(done - start));
        if (done < end) {
          break;
        }
      }
      start = end;
    }
    return done;
  }

  /**
   * Reads past the page cache with one transfer; returns how much came. Nothing if that is not
   * wanted or not possible.
   */
  private long scatter(long position, List<MemorySegment> into) throws IOException {
    int alignment = readsPast ? directAlignment : 0;
    if (into.size() < 2 || alignment == 0 || position % alignment != 0) {
      return 0;
    }
    ByteBuffer[] buffers = new ByteBuffer[Math.min(into.size(), MAX_VECTOR)];
    for (int i = 0; i < buffers.length; i++) {
      MemorySegment segment = into.get(i);
      long bytes = segment.byteSize();
      if (bytes > MAX_NATIVE_TRANSFER || !isAligned(segment, 0, bytes)) {
        return 0;
      }
      buffers[i] = segment.asByteBuffer();
    }
    try {
      return Math.max(0, io("read", position, _ -> scatter(direct(), position, buffers)));
    } catch (MillraceException e) {
      refused(e);
      return 0;
    }
  }

  private long scatter(FileChannel channel, long position, ByteBuffer[] buffers)
      throws IOException {
    pointerLock.lock();
    try {
      return channel.position(position).read(buffers);
    } finally {
      pointerLock.unlock();
    }
  }

  /** Begins a use of a channel. */
  private void use() {
    using.readLock().lock();
    if (!used) {
      used = true;
    }
  }

  @Override
  public boolean wasUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  @Override
  public int tryRest() {
    if (!using.writeLock().tryLock()) {
      return 0;
    }
    try {
      if (closed) {
        return 0; // it gives back its descriptors itself
      }
      if (unforced && forceFailure == null) {
        force(); // notes its failure itself, for the caller that waits for a force
      }
      return closeChannels();
    } catch (IOException e) {
      return 0; // kept open; the failure is what the next force says
    } finally {
      using.writeLock().unlock();
    }
  }

  @Override
  public void write(long position, MemorySegment from) throws IOException {
    DiskFileNames.checkRange(name(), position, from.byteSize());
    long done = 0;
    while (done < from.byteSize()) {
      done += transfer("write", position + done, from, done, piece(from, done), true);
    }
  }

  private long transfer(
      String what, long at, MemorySegment segment, long done, ByteBuffer buffer, boolean write)
      throws IOException {
    Transfer move = write ? c -> written(c.write(buffer, at)) : c -> c.read(buffer, at);
    int alignment = write || readsPast ? directAlignment : 0;
    if (alignment > 0 && at % alignment == 0 && isAligned(segment, done, buffer.remaining())) {
      try {
        return io(what, at, c -> move.on(direct()));
      } catch (MillraceException e) {
        refused(e);
      }
    }
    return io(what, at, move);
  }

  /** If it is a real error the plain transfer meets it again. */
  private void refused(MillraceException e) throws MillraceException {
    if (closed || e.code() != ErrorCode.DISK) {
      throw e;
    }
    directAlignment = 0;
  }

  private long written(long moved) {
    unforced = true; // afterwards: a force that began meanwhile may not have covered it
    return moved;
  }

  private boolean isAligned(MemorySegment segment, long from, long bytes) {
    int alignment = directAlignment;
    return alignment > 0
        && segment.isNative()
        && (segment.address() + from) % alignment == 0
        && bytes > 0
        && bytes % alignment == 0;
  }

  private static ByteBuffer piece(MemorySegment segment, long done) {
    long limit = segment.isNative() ? MAX_NATIVE_TRANSFER : MAX_HEAP_TRANSFER;
    return segment.asSlice(done, Math.min(limit, segment.byteSize() - done)).asByteBuffer();
  }

  @Override
  public void resize(long size) throws IOException {
    DiskFileNames.checkRange(name(), size, 0);
    io(
        "resize",
        size,
        c -> {
          long now = c.size();
          if (size < now) {
            c.truncate(size);
            reserved = 0; // all beyond the end was given back
          } else if (size > now) {
            extend(size);
          }
          return written(0);
        });
  }

  /** A channel could extend only by writing, over what others write. */
  private void extend(long size) throws IOException {
    Path at = path;
    try (RandomAccessFile file =
        disk.descriptors().briefly(() -> new RandomAccessFile(at.toFile(), "rw"))) {
      file.setLength(size);
    }
  }

  /**
   * {@inheritDoc} The JDK cannot; where native access is allowed to this code the C library's call
   * is used, elsewhere this does nothing.
   */
  @Override
  public void preallocate(long size) throws IOException {
    DiskFileNames.checkRange(name(), size, 0);
    if (closed) {
      throw closedError();
    }
    // asked first: a file system may take all it has before it says that this is not enough
    long more = size - Math.max(Files.size(path), reserved);
    if (more > Files.getFileStore(path).getUsableSpace()) {
      throw new DiskFullException(
          path + ": no room for " + more + " more bytes (the disk is full)");
    }
    Preallocation.take(path, size);
    reserved = Math.max(reserved, size);
  }

  @Override
  public List<DiskExtent> placements(long from, long to) throws IOException {
    DiskFileNames.checkRange(name(), from, to - from);
    if (closed) {
      throw closedError();
    }
    return ExtentMap.of(path, from, to);
  }

  @Override
  public void force() throws IOException {
    String failure = forceFailure;
    if (failure != null) {
      throw new MillraceException(
          ErrorCode.DISK,
          path
              + ": an earlier force failed, so what it should have made durable may be lost: "
              + failure);
    }
    if (closed) {
      throw closedError();
    }
    boolean interrupted = Thread.interrupted();
    use();
    try {
      force(open());
    } catch (IOException e) { // without a descriptor nothing was forced, and nothing has failed yet
      throw FileErrors.of(path, "cannot open", e);
    } finally {
      using.readLock().unlock();
      restore(interrupted);
    }
  }

  private void force(FileChannel now) throws IOException {
    try {
      unforced = false;
      now.force(true);
    } catch (IOException e) {
      forceFailure = String.valueOf(e);
      throw FileErrors.of(path, "cannot make the content durable", e);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true; // wakes nobody, but lets those that meet a closed channel see why
    int count = closeChannels();
    disk.descriptors().remove(this, count);
    disk.onClosed(this);
  }

  /** Closes what is open, and returns how many channels that were. */
  private int closeChannels() throws IOException {
    int count = 0;
    reopenLock.lock();
    try {
      for (FileChannel one : new FileChannel[] {channel, directChannel}) {
        if (one != null) {
          one.close();
          count++;
        }
      }
      channel = null;
      directChannel = null;
    } finally {
      reopenLock.unlock();
    }
    return count;
  }

  /** A channel that an interrupt closed is replaced by another. */
  private void forget(@Nullable FileChannel replaced) {
    if (replaced != null) {
      disk.descriptors().remove(this, 1);
    }
  }

  private long io(String what, long position, Transfer transfer) throws IOException {
    boolean interrupted = Thread.interrupted();
    use();
    try {
      while (true) {
        try {
          return transfer.on(open());
        } catch (ClosedChannelException e) {
          interrupted |= Thread.interrupted();
          if (closed) {
            throw closedError();
          }
        }
      }
    } catch (IOException e) {
      throw FileErrors.of(path, "cannot " + what + " at " + position, e);
    } finally {
      using.readLock().unlock();
      restore(interrupted);
    }
  }

  private FileChannel open() throws IOException {
    FileChannel now = channel;
    if (now != null && now.isOpen()) {
      return now;
    }
    reopenLock.lock();
    try {
      if (closed) {
        throw closedError();
      }
      now = channel;
      if (now == null || !now.isOpen()) {
        forget(now);
        channel = null;
        now = opened(StandardOpenOption.READ, StandardOpenOption.WRITE);
        channel = now;
      }
      return now;
    } finally {
      reopenLock.unlock();
    }
  }

  private FileChannel direct() throws IOException {
    FileChannel now = directChannel;
    if (now != null && now.isOpen()) {
      return now;
    }
    reopenLock.lock();
    try {
      if (closed) {
        throw closedError();
      }
      FileChannel direct = directChannel;
      if (direct == null || !direct.isOpen()) {
        forget(direct);
        directChannel = null;
        direct = opened(StandardOpenOption.READ, StandardOpenOption.WRITE, DirectOption.require());
        directChannel = direct;
      }
      return direct;
    } catch (UnsupportedOperationException e) {
      throw new IOException(e);
    } finally {
      reopenLock.unlock();
    }
  }

  private MillraceException closedError() {
    return new MillraceException(ErrorCode.CLOSED, path + " is closed");
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
