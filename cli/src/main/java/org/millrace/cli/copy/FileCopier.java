package org.millrace.cli.copy;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
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
import org.millrace.env.Env;
import org.millrace.error.CorruptBlockException;

/**
 * Copies between a file of the cluster and a stream or local file, in large pieces of which several
 * are in flight, with a checksum. Between a local file and nodes that lend their memory the kernel
 * copies straight from one to the other ({@link FillInPlace}, {@link DrainInPlace}). Meanwhile what
 * has arrived is made durable and verified ({@link FlushAndSum}). Holes are kept: blocks of zeros
 * are not written, and holes of the cluster's file are neither read nor summed byte by byte.
 *
 * <p>Safe for use by several threads, each with files of its own. Nothing to close.
 */
public final class FileCopier {

  /**
   * What was carried.
   *
   * @param bytes how many
   * @param checksum CRC32C of them
   */
  record Load(long bytes, int checksum) {

    String shown() {
      return "%s bytes with checksum %08x".formatted(bytes, checksum);
    }
  }

  /** What goes at a time; several of them are under way. */
  static final long PIECE_BYTES = 4L << 20;

  private static final int BLOCK_BYTES = ByteSum.BLOCK_BYTES;

  /**
   * What one write gives to the local file. The kernel takes as much page cache in one piece as one
   * write fills, and pieces of 2 MiB are what a hypervisor takes back first: a virtual machine
   * waited for them four times as long as for the same bytes in smaller writes.
   */
  static final int WRITE_BYTES = 256 << 10;

  // constant after construction
  private final Env env;
  private final LongConsumer progress;
  private final BooleanSupplier isStopped;

  FileCopier(Env env, LongConsumer progress, BooleanSupplier isStopped) {
    this.env = env;
    this.progress = progress;
    this.isStopped = isStopped;
  }

  /**
   * Writes all that comes from {@code source} to the file, which is new; zeros become holes.
   * Returns when all is durable, and was found to be right if {@code verify}.
   */
  Load upload(String what, ReadableByteChannel source, SharedFile file, boolean verify)
      throws IOException {
    ByteSum tally = new ByteSum(progress);
    FlushAndSum.Kept kept =
        new FlushAndSum.Kept() {
          @Override
          public void force(boolean last) throws IOException {
            file.flush();
          }

          @Override
          public int checksum(long from, long to, MemorySegment buffer) throws IOException {
            return file.checksum(from, to - from); // by the nodes: nothing comes back
          }

          @Override
          public long nextData(long at) throws IOException {
            return file.nextData(at);
          }

          @Override
          public long size() throws IOException {
            return file.size();
          }
        };
    try (FlushAndSum trail = new FlushAndSum(env, kept, verify, progress);
        WriteBehind writes = new WriteBehind(file, pieceBytes(sizeOf(source)), trail)) {
      long written =
          source instanceof FileChannel local
              ? uploadInPlace(local, file, tally, trail, writes)
              : uploadAll(source, tally, writes, () -> false);
      writes.finish();
      if (written < tally.bytes()) {
        file.resize(tally.bytes());
      }
      return settled(what, tally.load(), trail, verify);
    }
  }

  /** Pieces of a file of this size: memory is cleared when it is taken, so not more than needed. */
  static long pieceBytes(long size) {
    return Math.clamp(size, BLOCK_BYTES, PIECE_BYTES);
  }

  private static long sizeOf(ReadableByteChannel source) throws IOException {
    return source instanceof FileChannel local ? local.size() : PIECE_BYTES;
  }

  private long uploadInPlace(
      FileChannel source, SharedFile file, ByteSum tally, FlushAndSum trail, WriteBehind writes)
      throws IOException {
    try (FillInPlace places = new FillInPlace(source, file, trail, writes)) {
      long written = uploadAll(source, tally, writes, () -> places.tryFill(tally));
      places.finish();
      return written;
    }
  }

  /** Copies the next bytes in another way than through memory of this process. */
  private interface Shortcut {
    /** False if it has copied nothing, and counted nothing. */
    boolean tryCopy() throws IOException;
  }

  /** Returns where the last byte ends that was written. */
  private long uploadAll(
      ReadableByteChannel source, ByteSum tally, WriteBehind writes, Shortcut shortcut)
      throws IOException {
    long written = 0;
    while (true) {
      checkGoesOn();
      if (shortcut.tryCopy()) {
        written = tally.bytes();
        continue;
      }
      MemorySegment memory = writes.memory();
      ByteBuffer piece = memory.asByteBuffer();
      while (piece.hasRemaining() && source.read(piece) >= 0) {
        // pipes give little at a time
      }
      if (piece.position() == 0) {
        return written;
      }
      MemorySegment bytes = memory.asSlice(0, piece.position());
      List<Run> runs = dataIn(bytes);
      written = runs.isEmpty() ? written : tally.bytes() + runs.getLast().to;
      writes.write(tally.bytes(), runs);
      tally.add(bytes);
    }
  }

  /**
   * Writes the whole file to {@code target}, which is empty; its holes stay holes. Returns when all
   * is durable, and was found to be right if {@code verify}.
   */
  Load download(String what, SharedFile file, FileChannel target, boolean verify)
      throws IOException {
    FlushAndSum.Kept kept =
        new FlushAndSum.Kept() {
          @Override
          public void force(boolean last) throws IOException {
            target.force(last);
          }

          @Override
          public int checksum(long from, long to, MemorySegment buffer) throws IOException {
            return sumOf(target, from, to, buffer);
          }

          @Override
          public long nextData(long at) {
            return Long.MAX_VALUE; // what was not written in a new file is a hole
          }

          @Override
          public long size() throws IOException {
            return target.size();
          }
        };
    ByteSum tally = new ByteSum(progress);
    try (FlushAndSum trail = new FlushAndSum(env, kept, verify, progress);
        DrainInPlace places = new DrainInPlace(file, target, trail)) {
      Load load =
          download(
              file,
              tally,
              () -> places.tryDrain(tally),
              (position, bytes) -> {
                for (Run run : dataIn(bytes)) {
                  writeAll(
                      target::write, position + run.from, bytes.asSlice(run.from, run.length()));
                  trail.wrote(new Run(position + run.from, position + run.to));
                }
              });
      if (target.size() < load.bytes) {
        target.write(ByteBuffer.allocate(1), load.bytes - 1); // the file ends with a hole
      }
      return settled(what, load, trail, verify);
    }
  }

  static int sumOf(FileChannel file, long from, long to, MemorySegment buffer) throws IOException {
    CRC32C sum = new CRC32C();
    for (long at = from; at < to; ) {
      ByteBuffer piece = buffer.asByteBuffer();
      piece.limit((int) Math.min(piece.capacity(), to - at));
      int got = file.read(piece, at);
      if (got <= 0) {
        break; // too short, as its size will tell
      }
      sum.update(piece.flip());
      at += got;
    }
    return (int) sum.getValue();
  }

  /** The write of a local file. */
  interface Writer {
    int write(ByteBuffer from, long position) throws IOException;
  }

  static void writeAll(Writer target, long position, MemorySegment bytes) throws IOException {
    ByteBuffer left = bytes.asByteBuffer();
    long at = position;
    for (int limit = 0; limit < bytes.byteSize(); ) {
      limit = (int) Math.min(bytes.byteSize(), limit + WRITE_BYTES);
      left.limit(limit);
      while (left.hasRemaining()) {
        at += target.write(left, at);
      }
    }
  }

  private static Load settled(String what, Load sent, FlushAndSum trail, boolean verify)
      throws IOException {
    Load arrived = trail.finish();
    if (verify) {
      compare(what, sent, arrived);
    }
    return sent;
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
    Load load = download(file, new ByteSum(progress), () -> false, all);
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

  private Load download(SharedFile file, ByteSum tally, Shortcut shortcut, Sink sink)
      throws IOException {
    try (ReadAhead ahead = new ReadAhead(file, pieceBytes(file.size()))) {
      while (true) {
        checkGoesOn();
        // only behind zeros can a hole begin: files without holes are never asked
        if (tally.endsInZeros()) {
          tally.addZeros(file.nextData(tally.bytes()) - tally.bytes());
        }
        if (shortcut.tryCopy()) {
          continue;
        }
        MemorySegment bytes = ahead.read(tally.bytes());
        if (bytes.byteSize() == 0) {
          return tally.load();
        }
        sink.take(tally.bytes(), bytes);
        tally.add(bytes);
      }
    }
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

  /** The parts of a piece that are not zero, in whole blocks. */
  static List<Run> dataIn(MemorySegment piece) {
    List<Run> runs = new ArrayList<>();
    long from = -1;
    for (long at = 0; at < piece.byteSize(); at += BLOCK_BYTES) {
      boolean zero = ByteSum.isZero(piece, at, Math.min(piece.byteSize(), at + BLOCK_BYTES));
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

  /** So many more bytes are done. */
  void advance(long bytes) {
    progress.accept(bytes);
  }

  /** What these bytes are, all of a file. */
  static Load load(MemorySegment all) {
    CRC32C sum = new CRC32C();
    sum.update(all.asByteBuffer());
    return new Load(all.byteSize(), (int) sum.getValue());
  }

  /** Fails if what arrived is not what was sent. */
  static void compare(String what, Load sent, Load arrived) throws IOException {
    if (!sent.equals(arrived)) {
      throw new CorruptBlockException(
          "%s is damaged: %s were sent, %s arrived; nothing was kept, try again"
              .formatted(what, sent.shown(), arrived.shown()));
    }
  }

  /** A stream of this process, with reads that end when the copy is interrupted. */
  ReadableByteChannel interruptible(InputStream in) {
    return new StandardInput(env, in, this::checkGoesOn);
  }

  /** Fails if the user wants no more of this. */
  void checkGoesOn() throws InterruptedIOException {
    if (isStopped.getAsBoolean()) {
      throw new InterruptedIOException("interrupted");
    }
  }
}
