package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A stream with the work that a file system cannot leave out: each byte is summed, and at the end
 * that has a file it is copied out of the file's memory before it is sent, or into it when it has
 * come. Piece by piece, so that a piece is in the processor's cache from one step to the next.
 *
 * <p>Used by one thread. Closing closes the stream below.
 */
final class WorkedPipe implements PlainStream.Pipe {

  private static final int PIECE = 128 << 10;

  private final PlainStream.Pipe below;
  private final ByteBuffer file;
  private final CRC32C sum = new CRC32C();

  /**
   * Works over {@code below}.
   *
   * @param file what bytes are copied from or to, a multiple of all pieces; if empty nothing is
   *     copied
   */
  WorkedPipe(PlainStream.Pipe below, ByteBuffer file) {
    this.below = below;
    this.file = file;
  }

  /** A file's memory, all of which was touched. */
  static ByteBuffer file(int bytes) {
    ByteBuffer file = ByteBuffer.allocateDirect(bytes);
    for (int at = 0; at < bytes; at += Long.BYTES) {
      file.putLong(at, at);
    }
    return file;
  }

  @Override
  public void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      ByteBuffer piece = next(from);
      if (file.capacity() > 0) {
        piece.duplicate().put(nextOfFile(piece.remaining()));
      }
      sum.update(piece.duplicate());
      below.write(piece);
    }
  }

  @Override
  public void read(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      ByteBuffer piece = next(into);
      below.read(piece);
      piece.rewind();
      sum.update(piece.duplicate());
      if (file.capacity() > 0) {
        nextOfFile(piece.remaining()).put(piece);
      }
    }
  }

  private static ByteBuffer next(ByteBuffer message) {
    int bytes = Math.min(PIECE, message.remaining());
    ByteBuffer piece = message.slice(message.position(), bytes);
    message.position(message.position() + bytes);
    return piece;
  }

  private ByteBuffer nextOfFile(int bytes) {
    if (file.remaining() < bytes) {
      file.clear();
    }
    ByteBuffer piece = file.slice(file.position(), bytes);
    file.position(file.position() + bytes);
    return piece;
  }

  @Override
  public void close() throws IOException {
    below.close();
  }
}
