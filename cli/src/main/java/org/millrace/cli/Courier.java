package org.millrace.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.millrace.client.SharedFile;
import org.millrace.error.CorruptBlockException;
import org.millrace.examples.Crc32cJoin;

/**
 * Carries bytes between a file of the cluster and the world outside, in large pieces, with a
 * checksum of what went by. Holes stay holes: blocks of zeros are not written, and holes of the
 * cluster's file are neither read nor summed byte by byte.
 *
 * <p>Used by one thread. Closing gives its buffer back.
 */
final class Courier implements AutoCloseable {

  /**
   * What was carried.
   *
   * @param bytes how many
   * @param checksum CRC32C of them
   */
  record Load(long bytes, int checksum) {

    String shown() {
      return "%d bytes with checksum %08x".formatted(bytes, checksum);
    }
  }

  /** Large enough that the way there and back does not count. */
  private static final long PIECE_BYTES = 8L << 20;

  /** The grain of holes: blocks of zeros are not written. */
  private static final int BLOCK_BYTES = 64 << 10;

  private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[BLOCK_BYTES]);

  // constant after construction
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(PIECE_BYTES, 64);
  private final LongConsumer progress;
  private final BooleanSupplier isStopped;

  Courier(LongConsumer progress, BooleanSupplier isStopped) {
    this.progress = progress;
    this.isStopped = isStopped;
  }

  /** Writes all that comes from {@code source} to the file, which is new; zeros become holes. */
  Load upload(ReadableByteChannel source, SharedFile file) throws IOException {
    Tally tally = new Tally();
    long written = 0;
    while (true) {
      checkGoesOn();
      ByteBuffer piece = buffer.asByteBuffer();
      while (piece.hasRemaining() && source.read(piece) >= 0) {
        // pipes give little at a time
      }
      if (piece.position() == 0) {
        break;
      }
      MemorySegment bytes = buffer.asSlice(0, piece.position());
      for (Run run : dataIn(bytes)) {
        file.writeAt(tally.bytes + run.from, bytes.asSlice(run.from, run.length()));
        written = tally.bytes + run.to;
      }
      tally.add(bytes);
    }
    if (written < tally.bytes) {
      file.resize(tally.bytes);
    }
    return tally.load();
  }

  /** Writes the whole file to {@code target}, which is empty; its holes stay holes. */
  Load download(SharedFile file, FileChannel target, Extents written) throws IOException {
    Load load =
        download(
            file,
            (position, bytes) -> {
              for (Run run : dataIn(bytes)) {
                ByteBuffer left = bytes.asSlice(run.from, run.length()).asByteBuffer();
                long at = position + run.from;
                written.add(at, at + run.length());
                while (left.hasRemaining()) {
                  at += target.write(left, at);
                }
              }
            });
    if (target.size() < load.bytes) {
      target.write(ByteBuffer.allocate(1), load.bytes - 1); // the file ends with a hole
    }
    return load;
  }

  /** Writes the whole file to {@code target}, one byte after the other. */
  Load download(SharedFile file, WritableByteChannel target) throws IOException {
    long[] next = {0};
    Sink all =
        (position, bytes) -> {
          writeZeros(target, position - next[0]);
          ByteBuffer piece = bytes.asByteBuffer();
          while (piece.hasRemaining()) {
            target.write(piece);
          }
          next[0] = position + bytes.byteSize();
        };
    Load load = download(file, all);
    writeZeros(target, load.bytes - next[0]);
    return load;
  }

  private void writeZeros(WritableByteChannel target, long count) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(count, BLOCK_BYTES));
    for (long left = count; left > 0; left -= zeros.limit()) {
      checkGoesOn();
      zeros.clear().limit((int) Math.min(left, zeros.capacity()));
      while (zeros.hasRemaining()) {
        target.write(zeros);
      }
    }
  }

  /** Where the bytes of a file go, except for its holes. */
  private interface Sink {
    void take(long position, MemorySegment bytes) throws IOException;
  }

  private Load download(SharedFile file, Sink sink) throws IOException {
    Tally tally = new Tally();
    while (true) {
      checkGoesOn();
      // only behind zeros can a hole begin: files without holes are never asked
      if (tally.endsInZeros) {
        tally.addZeros(file.nextData(tally.bytes) - tally.bytes);
      }
      long count = file.readAt(tally.bytes, buffer);
      if (count == 0) {
        return tally.load();
      }
      MemorySegment bytes = buffer.asSlice(0, count);
      sink.take(tally.bytes, bytes);
      tally.add(bytes);
    }
  }

  /** Reads the whole file and says what is in it. */
  Load examine(SharedFile file) throws IOException {
    return download(file, (_, _) -> {});
  }

  /** Reads a file outside, of which only {@code written} was written, and says what is in it. */
  Load examine(FileChannel source, Extents written) throws IOException {
    Tally tally = new Tally();
    for (Run run : written.runs()) {
      tally.addZeros(run.from - tally.bytes);
      while (tally.bytes < run.to) {
        checkGoesOn();
        ByteBuffer piece = buffer.asByteBuffer();
        piece.limit((int) Math.min(piece.capacity(), run.to - tally.bytes));
        if (source.read(piece, tally.bytes) < 0) {
          return tally.load();
        }
        tally.add(buffer.asSlice(0, piece.position()));
      }
    }
    tally.addZeros(source.size() - tally.bytes);
    return tally.load();
  }

  /**
   * A range of bytes.
   *
   * @param from the first
   * @param to one past the last
   */
  record Run(long from, long to) {

    long length() {
      return to - from;
    }
  }

  /** The ranges of a file that were written, in order; short gaps count as written. */
  static final class Extents {

    /** Gaps below this are not worth remembering: they are read like the rest. */
    private static final long LEAST_GAP = 1 << 20;

    private final List<Run> runs = new ArrayList<>();

    void add(long from, long to) {
      if (!runs.isEmpty() && from - runs.getLast().to < LEAST_GAP) {
        runs.set(runs.size() - 1, new Run(runs.getLast().from, to));
      } else {
        runs.add(new Run(from, to));
      }
    }

    List<Run> runs() {
      return runs;
    }
  }

  /** What has gone by. */
  private final class Tally {

    private long bytes;
    private int checksum;
    private boolean endsInZeros = true;

    void add(MemorySegment more) {
      CRC32C crc = new CRC32C();
      crc.update(more.asByteBuffer());
      checksum = Crc32cJoin.join(checksum, (int) crc.getValue(), more.byteSize());
      bytes += more.byteSize();
      long last = Math.max(0, more.byteSize() - BLOCK_BYTES);
      endsInZeros = isZero(more, last, more.byteSize());
      progress.accept(more.byteSize());
    }

    void addZeros(long count) {
      checksum = Crc32cJoin.joinZeros(checksum, count);
      bytes += count;
      progress.accept(count);
    }

    Load load() {
      return new Load(bytes, checksum);
    }
  }

  /** The parts of a piece that are not zero, in whole blocks. */
  private static List<Run> dataIn(MemorySegment piece) {
    List<Run> runs = new ArrayList<>();
    long from = -1;
    for (long at = 0; at < piece.byteSize(); at += BLOCK_BYTES) {
      boolean zero = isZero(piece, at, Math.min(piece.byteSize(), at + BLOCK_BYTES));
      if (zero && from >= 0) {
        runs.add(new Run(from, at));
        from = -1;
      } else if (!zero && from < 0) {
        from = at;
      }
    }
    if (from >= 0) {
      runs.add(new Run(from, piece.byteSize()));
    }
    return runs;
  }

  private static boolean isZero(MemorySegment bytes, long from, long to) {
    return MemorySegment.mismatch(bytes, from, to, ZEROS, 0, to - from) < 0;
  }

  /** Fails if what arrived is not what was sent. */
  static void compare(String what, Load sent, Load arrived) throws IOException {
    if (!sent.equals(arrived)) {
      throw new CorruptBlockException(
          "%s is damaged: %s were sent, %s arrived; nothing was kept, try again"
              .formatted(what, sent.shown(), arrived.shown()));
    }
  }

  private void checkGoesOn() throws InterruptedIOException {
    if (isStopped.getAsBoolean()) {
      throw new InterruptedIOException("interrupted");
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
