package org.millrace.heritage.elio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A file of the operating system that one rank has open. Each request is made before the call
 * returns. Bytes go straight between the caller's memory and the system where that is memory of
 * bytes; other arrays pass through a small buffer, because channels know only bytes.
 *
 * <p>Several threads may make requests. Closing closes the channel; it is idempotent.
 */
public final class PlainFile implements ElioFile {

  /** A channel moves an int's worth of bytes at once. */
  private static final long MAX_AT_ONCE = 1 << 30;

  /** Of an array that is not of bytes, in memory of the system, so that this is the only copy. */
  private static final long BETWEEN = 64 << 10;

  // constant after construction
  private final String shown;
  private final FileChannel channel;
  private final UseMark mark;

  /** Shared by writes, so that the end does not move while it is looked at and extended. */
  private final ReadWriteLock end = new ReentrantReadWriteLock();

  private PlainFile(String shown, FileChannel channel, UseMark mark) {
    this.shown = shown;
    this.channel = channel;
    this.mark = mark;
  }

  /** Opens a file that exists for reading and writing. */
  public static PlainFile open(Path path) throws IOException {
    return open(path, path.toString());
  }

  static PlainFile open(Path path, String shown) throws IOException {
    if (Files.isDirectory(path)) {
      throw new MillraceException(ErrorCode.WRONG_KIND, shown + " is a folder, not a file");
    }
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new PlainFile(shown, channel, UseMark.take(channel));
  }

  @Override
  public ElioRequest read(long offset, MemorySegment into) throws IOException {
    checkOpen();
    try {
      return ElioRequest.done(readNow(offset, into));
    } catch (IOException e) {
      return ElioRequest.failed(MillraceException.wrap(ErrorCode.DISK, e));
    }
  }

  private long readNow(long offset, MemorySegment into) throws IOException {
    if (isOfBytes(into)) {
      return readBytes(offset, into);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment between = arena.allocate(Math.min(into.byteSize(), BETWEEN));
      long done = 0;
      while (done < into.byteSize()) {
        long length = Math.min(into.byteSize() - done, BETWEEN);
        long read = readBytes(offset + done, between.asSlice(0, length));
        MemorySegment.copy(between, 0, into, done, read);
        done += read;
        if (read < length) {
          break;
        }
      }
      return done;
    }
  }

  private long readBytes(long offset, MemorySegment into) throws IOException {
    long done = 0;
    while (done < into.byteSize()) {
      int read = channel.read(bytes(into, done), offset + done);
      if (read < 0) {
        break;
      }
      done += read;
    }
    return done;
  }

  @Override
  public ElioRequest write(long offset, MemorySegment from) throws IOException {
    checkOpen();
    end.readLock().lock();
    try {
      return ElioRequest.done(writeNow(offset, from));
    } catch (IOException e) {
      return ElioRequest.failed(MillraceException.wrap(ErrorCode.DISK, e));
    } finally {
      end.readLock().unlock();
    }
  }

  private long writeNow(long offset, MemorySegment from) throws IOException {
    if (isOfBytes(from)) {
      return writeBytes(offset, from);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment between = arena.allocate(Math.min(from.byteSize(), BETWEEN));
      long done = 0;
      while (done < from.byteSize()) {
        long length = Math.min(from.byteSize() - done, BETWEEN);
        MemorySegment.copy(from, done, between, 0, length);
        done += writeBytes(offset + done, between.asSlice(0, length));
      }
      return done;
    }
  }

  private long writeBytes(long offset, MemorySegment from) throws IOException {
    long done = 0;
    while (done < from.byteSize()) {
      done += channel.write(bytes(from, done), offset + done);
    }
    return done;
  }

  private static ByteBuffer bytes(MemorySegment memory, long from) {
    return memory.asSlice(from, Math.min(memory.byteSize() - from, MAX_AT_ONCE)).asByteBuffer();
  }

  private static boolean isOfBytes(MemorySegment memory) {
    return memory.isNative() || memory.heapBase().orElse(null) instanceof byte[];
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return channel.size();
  }

  /**
   * Makes the file at least so long, with zeros where nothing was written. Writes over nothing that
   * is written through this object meanwhile.
   */
  public void extend(long size) throws IOException {
    checkOpen();
    end.writeLock().lock();
    try {
      if (size > channel.size()) {
        channel.write(ByteBuffer.wrap(new byte[1]), size - 1);
      }
    } finally {
      end.writeLock().unlock();
    }
  }

  @Override
  public long stripeUnitBytes() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      mark.release();
      channel.close();
    }
  }

  private void checkOpen() throws MillraceException {
    if (!channel.isOpen()) {
      throw new MillraceException(ErrorCode.CLOSED, shown + " is closed");
    }
  }
}
