package org.millrace.nio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;

/**
 * An open file as a channel. Safe for use by several threads: reads and writes at a given position
 * run side by side, those at the channel's own position one after the other.
 */
final class MillraceChannel extends FileChannel {

  private static final long PART = 1L << 20;
  private static final long LOCK_SLICE_NANOS = 1_000_000_000L;

  /** Channels of this JVM lock as owners of their own. */
  private static final AtomicLong OWNERS = new AtomicLong();

  // constant after construction
  private final MillracePath path;
  private final OpenRequest request;
  private final FileHandle handle;
  private final long owner = OWNERS.incrementAndGet();
  private final ReentrantLock turn = new ReentrantLock();

  // guarded by turn
  private long position;

  MillraceChannel(MillracePath path, OpenRequest request, FileHandle handle) {
    this.path = path;
    this.request = request;
    this.handle = handle;
  }

  /** Something that is done with the open file. */
  private interface Work {
    long run() throws IOException;
  }

  private long during(Work work) throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    boolean done = false;
    begin();
    try {
      long result = work.run();
      done = true;
      return result;
    } catch (IOException e) {
      throw isOpen() ? Errors.of(path.toString(), e) : e;
    } finally {
      end(done);
    }
  }

  private void checkReads() {
    if (!request.reads()) {
      throw new NonReadableChannelException();
    }
  }

  private void checkWrites() {
    if (!request.writes()) {
      throw new NonWritableChannelException();
    }
  }

  private static void checkNotNegative(long value, String what) {
    if (value < 0) {
      throw new IllegalArgumentException(what + " " + value + " is negative");
    }
  }

  /** Fills a buffer from a position on; -1 at the end of the file. */
  private long readAt(ByteBuffer into, long from) throws IOException {
    if (!into.hasRemaining()) {
      return 0;
    }
    long got = handle.read(from, MemorySegment.ofBuffer(into));
    into.position(into.position() + (int) got);
    return got == 0 ? -1 : got;
  }

  /** Writes a buffer; returns where it ends. */
  private long writeAt(ByteBuffer from, long at) throws IOException {
    MemorySegment bytes = MemorySegment.ofBuffer(from);
    long begin = at;
    if (bytes.byteSize() > 0) {
      if (request.has(StandardOpenOption.APPEND)) {
        begin = handle.append(bytes);
      } else {
        handle.write(at, bytes);
      }
    }
    from.position(from.limit());
    if (request.forces()) {
      handle.force(request.has(StandardOpenOption.SYNC));
    }
    return begin + bytes.byteSize();
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return (int) read(new ByteBuffer[] {into}, 0, 1);
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    checkReads();
    turn.lock();
    try {
      return during(
          () -> {
            long all = 0;
            for (int i = offset; i < offset + length; i++) {
              int wanted = into[i].remaining();
              long got = readAt(into[i], position);
              if (got < 0) {
                return all == 0 ? -1 : all;
              }
              position += got;
              all += got;
              if (got < wanted) {
                return all;
              }
            }
            return all;
          });
    } finally {
      turn.unlock();
    }
  }

  @Override
  public int read(ByteBuffer into, long from) throws IOException {
    checkNotNegative(from, "position");
    checkReads();
    return (int) during(() -> readAt(into, from));
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return (int) write(new ByteBuffer[] {from}, 0, 1);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    checkWrites();
    turn.lock();
    try {
      return during(
          () -> {
            long all = 0;
            for (int i = offset; i < offset + length; i++) {
              int bytes = from[i].remaining();
              position = writeAt(from[i], position);
              all += bytes;
            }
            return all;
          });
    } finally {
      turn.unlock();
    }
  }

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    checkNotNegative(at, "position");
    checkWrites();
    int bytes = from.remaining();
    during(() -> writeAt(from, at));
    return bytes;
  }

  @Override
  public long position() throws IOException {
    turn.lock();
    try {
      return during(() -> request.has(StandardOpenOption.APPEND) ? handle.size() : position);
    } finally {
      turn.unlock();
    }
  }

  @Override
  public FileChannel position(long newPosition) throws IOException {
    checkNotNegative(newPosition, "position");
    turn.lock();
    try {
      during(() -> position = newPosition);
      return this;
    } finally {
      turn.unlock();
    }
  }

  @Override
  public long size() throws IOException {
    return during(handle::size);
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    checkNotNegative(size, "size");
    checkWrites();
    turn.lock();
    try {
      during(
          () -> {
            if (size < handle.size()) {
              handle.resize(size);
            }
            position = Math.min(position, size);
            return size;
          });
      return this;
    } finally {
      turn.unlock();
    }
  }

  @Override
  public void force(boolean metaData) throws IOException {
    during(
        () -> {
          handle.force(metaData);
          return 0;
        });
  }

  @Override
  public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
    checkNotNegative(from, "position");
    checkNotNegative(count, "count");
    if (!target.isOpen()) {
      throw new ClosedChannelException();
    }
    checkReads();
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, PART));
    long moved = 0;
    while (moved < count) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), count - moved));
      if (read(buffer, from + moved) <= 0) {
        return moved;
      }
      buffer.flip();
      int written = target.write(buffer);
      moved += written;
      if (buffer.hasRemaining()) {
        return moved; // a channel that does not wait, and takes no more now
      }
    }
    return moved;
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long at, long count) throws IOException {
    checkNotNegative(at, "position");
    checkNotNegative(count, "count");
    if (!source.isOpen()) {
      throw new ClosedChannelException();
    }
    checkWrites();
    if (at > size()) {
      return 0;
    }
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, PART));
    long moved = 0;
    while (moved < count) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), count - moved));
      int got = source.read(buffer);
      if (got <= 0) {
        return moved;
      }
      write(buffer.flip(), at + moved);
      moved += got;
    }
    return moved;
  }

  /**
   * A private copy of the range: the file lies on other processes' disks, so there are no pages
   * that could be shared.
   */
  @Override
  public MappedByteBuffer map(MapMode mode, long from, long size) throws IOException {
    checkRange(from, size);
    if (size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          size
              + " bytes, at most 2^31-1 can be mapped; map(mode, offset, size, arena) has no limit");
    }
    checkMode(mode);
    ByteBuffer copy = ByteBuffer.allocateDirect((int) size);
    fill(MemorySegment.ofBuffer(copy), from);
    return (MappedByteBuffer) (mode == MapMode.READ_ONLY ? copy.asReadOnlyBuffer() : copy);
  }

  @Override
  public MemorySegment map(MapMode mode, long from, long size, Arena arena) throws IOException {
    checkRange(from, size);
    checkMode(mode);
    MemorySegment copy = arena.allocate(size);
    fill(copy, from);
    return mode == MapMode.READ_ONLY ? copy.asReadOnly() : copy;
  }

  private void fill(MemorySegment copy, long from) throws IOException {
    during(
        () -> {
          long done = 0;
          long got = copy.byteSize();
          while (got > 0 && done < copy.byteSize()) {
            got = handle.read(from + done, copy.asSlice(done));
            done += got;
          }
          return done;
        });
  }

  private static void checkRange(long from, long size) {
    checkNotNegative(from, "position");
    checkNotNegative(size, "size");
    if (from > Long.MAX_VALUE - size) {
      throw new IllegalArgumentException(
          "position %s and size %s exceed 2^63-1".formatted(from, size));
    }
  }

  private void checkMode(MapMode mode) {
    checkReads();
    if (mode != MapMode.READ_ONLY) {
      checkWrites();
    }
    if (mode == MapMode.READ_WRITE) {
      throw new UnsupportedOperationException(
          "writes to a mapping could not reach "
              + path
              + ", whose bytes are on the disks of other processes; mount the cluster (millrace mount)"
              + " and map the file there, or write through the channel");
    }
  }

  @Override
  public FileLock lock(long from, long size, boolean shared) throws IOException {
    ChannelLock lock = newLock(from, size, shared);
    try {
      while (during(() -> tryNow(lock, LOCK_SLICE_NANOS)) == 0) {
        // somebody else has it still
      }
      return lock;
    } catch (ClosedByInterruptException e) {
      giveUp(lock);
      FileLockInterruptionException told = new FileLockInterruptionException();
      told.initCause(e);
      throw told;
    } catch (IOException | RuntimeException e) {
      giveUp(lock);
      throw e;
    }
  }

  @Override
  public @Nullable FileLock tryLock(long from, long size, boolean shared) throws IOException {
    ChannelLock lock = newLock(from, size, shared);
    boolean locked = false;
    try {
      locked = during(() -> tryNow(lock, 0)) == 1;
      return locked ? lock : null;
    } finally {
      if (!locked) {
        giveUp(lock);
      }
    }
  }

  private void giveUp(ChannelLock lock) {
    lock.end();
    path.fileSystem().locks().remove(handle.id(), lock);
  }

  private ChannelLock newLock(long from, long size, boolean shared) throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    if (shared) {
      checkReads();
    } else {
      checkWrites();
    }
    ChannelLock lock = new ChannelLock(this, from, size, shared);
    path.fileSystem().locks().add(handle.id(), lock);
    return lock;
  }

  private long tryNow(ChannelLock lock, long waitNanos) throws IOException {
    var kind = lock.isShared() ? ByteLock.Kind.SHARED : ByteLock.Kind.EXCLUSIVE;
    return handle.lock(range(lock, kind), waitNanos) ? 1 : 0;
  }

  private ByteLock range(ChannelLock lock, ByteLock.Kind kind) {
    return new ByteLock(owner, lock.position(), Math.max(1, lock.size()), kind);
  }

  /** Gives a lock back before this JVM may lock the range again: or it would give that back. */
  void unlock(ChannelLock lock) throws IOException {
    during(() -> handle.lock(range(lock, ByteLock.Kind.NONE), 0) ? 1 : 0);
    path.fileSystem().locks().remove(handle.id(), lock);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    path.fileSystem().closed(this);
    for (ChannelLock lock : path.fileSystem().locks().of(handle.id(), this)) {
      giveUp(lock);
    }
    try {
      handle.unlockAll(owner);
    } finally {
      handle.close();
      if (request.has(StandardOpenOption.DELETE_ON_CLOSE)) {
        path.fileSystem().removeClosed(path);
      }
    }
  }
}
