package org.millrace.hadoop;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FileHandle;

/**
 * An open file as Hadoop writes it. {@link #hflush} makes bytes visible to all, {@link #hsync}
 * makes them durable; closing does the former. After a write that failed nobody knows which bytes
 * are there, so all later calls fail, too, and closing only closes.
 *
 * <p>Used by one thread at a time. Closing is idempotent.
 */
final class OpenOutput extends OutputStream
    implements Syncable, StreamCapabilities, IOStatisticsSource {

  private static final int BUFFER_BYTES = 256 << 10;

  // constant after construction
  private final FileHandle handle;
  private final boolean appending;
  private final IOStatisticsStore counts =
      IOStatisticsBinding.iostatisticsStore()
          .withCounters(StreamStatisticNames.STREAM_WRITE_BYTES)
          .build();

  // of the thread that writes
  private final byte[] one = new byte[1];
  private byte @Nullable [] buffer;
  private int buffered;
  private long position;
  private @Nullable IOException failure;
  private boolean closed;

  /**
   * Writes from the beginning, or at the end.
   *
   * @param appending whether bytes go to the end of the file as it is when they are written, behind
   *     those of others that append
   */
  OpenOutput(FileHandle handle, boolean appending) {
    this.handle = handle;
    this.appending = appending;
  }

  private void checkUsable() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
    }
    if (failure != null) {
      throw new IOException("a write to the file failed before: " + failure.getMessage(), failure);
    }
  }

  @Override
  public void write(int value) throws IOException {
    one[0] = (byte) value;
    write(one, 0, 1);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    checkUsable();
    if (buffered + length > BUFFER_BYTES) {
      send();
    }
    if (length >= BUFFER_BYTES) {
      send(MemorySegment.ofArray(from).asSlice(offset, length));
    } else {
      if (buffer == null) {
        buffer = new byte[BUFFER_BYTES];
      }
      System.arraycopy(from, offset, buffer, buffered, length);
      buffered += length;
    }
    counts.incrementCounter(StreamStatisticNames.STREAM_WRITE_BYTES, length);
  }

  private void send() throws IOException {
    if (buffer != null && buffered > 0) {
      int bytes = buffered;
      buffered = 0;
      send(MemorySegment.ofArray(buffer).asSlice(0, bytes));
    }
  }

  private void send(MemorySegment bytes) throws IOException {
    try {
      if (appending) {
        handle.append(bytes);
      } else {
        handle.write(position, bytes);
        position += bytes.byteSize();
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public void flush() throws IOException {
    hflush();
  }

  @Override
  public void hflush() throws IOException {
    checkUsable();
    send();
  }

  @Override
  public void hsync() throws IOException {
    hflush();
    try {
      handle.force(true);
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  @Override
  @SuppressWarnings("deprecation") // programs still ask for it
  public boolean hasCapability(String capability) {
    return switch (capability.toLowerCase(Locale.ROOT)) {
      case StreamCapabilities.HFLUSH, StreamCapabilities.HSYNC, StreamCapabilities.IOSTATISTICS ->
          true;
      default -> false;
    };
  }

  @Override
  public IOStatistics getIOStatistics() {
    return counts;
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    try (handle) {
      if (failure == null) {
        send();
      }
    } finally {
      closed = true;
      buffer = null;
    }
  }
}
