package org.millrace.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.millrace.client.SharedFile;
import org.millrace.error.CorruptBlockException;

/**
 * Carries bytes between a file of the cluster and the world outside, in large pieces, with a
 * checksum of what went by.
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

  // constant after construction
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(PIECE_BYTES, 64);
  private final LongConsumer progress;
  private final BooleanSupplier isStopped;

  Courier(LongConsumer progress, BooleanSupplier isStopped) {
    this.progress = progress;
    this.isStopped = isStopped;
  }

  /** Writes all that comes from {@code source} to the file, from its start. */
  Load upload(ReadableByteChannel source, SharedFile file) throws IOException {
    CRC32C sum = new CRC32C();
    long position = 0;
    while (true) {
      checkGoesOn();
      ByteBuffer piece = buffer.asByteBuffer();
      while (piece.hasRemaining() && source.read(piece) >= 0) {
        // pipes give little at a time
      }
      int count = piece.position();
      if (count == 0) {
        return new Load(position, (int) sum.getValue());
      }
      sum.update(piece.flip());
      file.writeAt(position, buffer.asSlice(0, count));
      position += count;
      progress.accept(count);
    }
  }

  /** Writes the whole file to {@code target}. */
  Load download(SharedFile file, WritableByteChannel target) throws IOException {
    CRC32C sum = new CRC32C();
    long position = 0;
    while (true) {
      checkGoesOn();
      long count = file.readAt(position, buffer);
      if (count == 0) {
        return new Load(position, (int) sum.getValue());
      }
      ByteBuffer piece = buffer.asSlice(0, count).asByteBuffer();
      sum.update(piece.duplicate());
      while (piece.hasRemaining()) {
        target.write(piece);
      }
      position += count;
      progress.accept(count);
    }
  }

  /** Reads the whole file and says what is in it. */
  Load examine(SharedFile file) throws IOException {
    return download(file, NOWHERE);
  }

  /** Reads all that comes from {@code source} and says what it is. */
  Load examine(ReadableByteChannel source) throws IOException {
    CRC32C sum = new CRC32C();
    long bytes = 0;
    while (true) {
      checkGoesOn();
      ByteBuffer piece = buffer.asByteBuffer();
      int count = source.read(piece);
      if (count < 0) {
        return new Load(bytes, (int) sum.getValue());
      }
      sum.update(piece.flip());
      bytes += count;
      progress.accept(count);
    }
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

  private static final WritableByteChannel NOWHERE =
      new WritableByteChannel() {
        @Override
        public int write(ByteBuffer source) {
          int count = source.remaining();
          source.position(source.limit());
          return count;
        }

        @Override
        public boolean isOpen() {
          return true;
        }

        @Override
        public void close() {}
      };
}
