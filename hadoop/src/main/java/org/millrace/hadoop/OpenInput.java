package org.millrace.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileHandle;

/**
 * An open file as Hadoop reads it. Reads at the stream's own position go through a buffer and
 * belong to one thread at a time; reads at given positions go to the cluster, and any number of
 * threads may do them at once. A reader sees what writers have written after it opened the file,
 * except for bytes that it has buffered. Closing is idempotent.
 */
final class OpenInput extends FSInputStream
    implements ByteBufferReadable,
        ByteBufferPositionedReadable,
        CanUnbuffer,
        StreamCapabilities,
        IOStatisticsSource {

  private static final int BUFFER_BYTES = 128 << 10;

  // constant after construction
  private final FileHandle handle;
  private final ReadCounts counts;

  // for all threads
  private volatile long knownSize; // the file had at least so many bytes
  private volatile boolean closed;

  // of the thread that reads at the stream's own position
  private byte @Nullable [] buffer;
  private long bufferAt;
  private int buffered;
  private long position;

  OpenInput(FileHandle handle, ReadCounts counts) {
    this.handle = handle;
    this.counts = counts;
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
    }
  }

  /** Whether the file has so many bytes; asks the nodes if that is news. */
  private boolean reaches(long size) throws IOException {
    if (size > knownSize) {
      knownSize = handle.size();
    }
    return size <= knownSize;
  }

  @Override
  public void seek(long target) throws IOException {
    checkOpen();
    if (target < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + target);
    }
    if (!reaches(target)) {
      throw new EOFException(FSExceptionMessages.CANNOT_SEEK_PAST_EOF + " " + target);
    }
    position = target;
  }

  @Override
  public long getPos() {
    return position;
  }

  @Override
  public boolean seekToNewSource(long target) {
    return false; // which copy serves is the cluster's business
  }

  @Override
  public int available() throws IOException {
    checkOpen();
    reaches(position + 1);
    return Math.clamp(knownSize - position, 0, Integer.MAX_VALUE);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    return read(ByteBuffer.wrap(into, offset, length));
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    checkOpen();
    if (!into.hasRemaining()) {
      return 0;
    }
    int got = isBuffered() || into.remaining() < BUFFER_BYTES ? buffered(into) : direct(into);
    if (got > 0) {
      position += got;
      counts.add(got);
    }
    return got;
  }

  private boolean isBuffered() {
    return buffer != null && position >= bufferAt && position < bufferAt + buffered;
  }

  private int buffered(ByteBuffer into) throws IOException {
    if (!isBuffered()) {
      byte[] room = buffer == null ? new byte[BUFFER_BYTES] : buffer;
      buffered = 0;
      buffer = room;
      bufferAt = position;
      buffered = (int) handle.read(position, MemorySegment.ofArray(room));
    }
    int inside = (int) (position - bufferAt);
    int part = Math.min(into.remaining(), buffered - inside);
    if (buffer == null || part == 0) {
      return -1;
    }
    into.put(buffer, inside, part);
    return part;
  }

  private int direct(ByteBuffer into) throws IOException {
    return at(position, into);
  }

  private int at(long from, ByteBuffer into) throws IOException {
    int got = (int) handle.read(from, MemorySegment.ofBuffer(into));
    into.position(into.position() + got);
    return got == 0 ? -1 : got;
  }

  @Override
  public int read(long from, byte[] into, int offset, int length) throws IOException {
    validatePositionedReadArgs(from, into, offset, length);
    return read(from, ByteBuffer.wrap(into, offset, length));
  }

  @Override
  public int read(long from, ByteBuffer into) throws IOException {
    checkOpen();
    if (from < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + from);
    }
    int got = into.hasRemaining() ? at(from, into) : 0;
    counts.add(Math.max(0, got));
    return got;
  }

  @Override
  public void readFully(long from, ByteBuffer into) throws IOException {
    int begin = into.position();
    while (into.hasRemaining()) {
      if (read(from + into.position() - begin, into) < 0) {
        throw new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY);
      }
    }
  }

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    readVectored(ranges, allocate, _ -> {});
  }

  @Override
  public void readVectored(
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    checkOpen();
    VectoredRead.start(handle, counts, ranges, allocate, release);
  }

  @Override
  public void unbuffer() {
    buffer = null;
    buffered = 0;
  }

  @Override
  public boolean hasCapability(String capability) {
    return switch (capability.toLowerCase(Locale.ROOT)) {
      case StreamCapabilities.UNBUFFER,
          StreamCapabilities.READBYTEBUFFER,
          StreamCapabilities.PREADBYTEBUFFER,
          StreamCapabilities.VECTOREDIO,
          StreamCapabilities.IOSTATISTICS ->
          true;
      default -> false;
    };
  }

  @Override
  public IOStatistics getIOStatistics() {
    return counts.store();
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      unbuffer();
      handle.close();
    }
  }
}
