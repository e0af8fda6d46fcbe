package org.millrace.hadoop;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.VectoredReadUtils;
import org.millrace.files.FileHandle;

/**
 * Reads ranges of a file side by side. Each range is one read into a buffer of its own, on a
 * virtual thread: a range lies on several nodes, which are asked together, so nothing is gained by
 * reading what lies between ranges. Used by any number of threads.
 *
 * @param handle of the file
 * @param counts of the stream
 * @param allocate makes buffers
 * @param release takes back the buffer of a read that failed
 */
record VectoredRead(
    FileHandle handle,
    ReadCounts counts,
    IntFunction<ByteBuffer> allocate,
    Consumer<ByteBuffer> release) {

  /** Refuses ranges that overlap or go beyond the file's end, else begins to read all of them. */
  static void start(
      FileHandle handle,
      ReadCounts counts,
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    Objects.requireNonNull(release, "release");
    List<? extends FileRange> sorted =
        VectoredReadUtils.validateAndSortRanges(ranges, Optional.of(handle.size()));
    VectoredRead read = new VectoredRead(handle, counts, allocate, release);
    for (FileRange range : sorted) {
      CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
      range.setData(result);
      Thread.startVirtualThread(() -> read.complete(range, result));
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // those who wait have the same future
  private void complete(FileRange range, CompletableFuture<ByteBuffer> result) {
    try {
      result.complete(read(range));
    } catch (IOException | RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }

  private ByteBuffer read(FileRange range) throws IOException {
    ByteBuffer buffer = allocate.apply(range.getLength());
    try {
      MemorySegment room = MemorySegment.ofBuffer(buffer).asSlice(0, range.getLength());
      if (handle.read(range.getOffset(), room) < range.getLength()) {
        throw new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY);
      }
    } catch (IOException | RuntimeException e) {
      release.accept(buffer);
      throw e;
    }
    counts.add(range.getLength());
    return buffer.limit(buffer.position() + range.getLength());
  }
}
