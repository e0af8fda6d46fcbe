package org.millrace.heritage.kotz;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.millrace.access.View;
import org.millrace.client.HeldLock;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * The type of a file, kept beside it in {@code NAME.kotz}, so that the file itself holds nothing
 * but its bytes. Files without one are byte plain files. Numbers are big-endian:
 *
 * <pre>
 *   0     4     8             12          16             20      24            24+8*subfiles
 *   | KTZ1 | 0   | recordBytes | subfiles  | blockRecords | 0     | end 0 | ... |
 * </pre>
 *
 * <p>An end is in bytes. Each is written by the one process that has its subfile.
 *
 * <p>Belongs to the process's thread. Closing is idempotent.
 */
final class StoredType implements AutoCloseable {

  private static final int MAGIC = 0x4b545a31;
  private static final int HEADER_BYTES = 24;

  // constant after construction
  private final SharedFile side;
  private final FileType type;

  private StoredType(SharedFile side, FileType type) {
    this.side = side;
    this.type = type;
  }

  static String name(String path) {
    return path + ".kotz";
  }

  /** Keeps the type of a new file; all ends are 0. Collective. Byte plain files need none. */
  static Optional<StoredType> create(Rank rank, String path, FileType type) throws IOException {
    if (type.equals(FileType.BYTES)) {
      rank.together(
          "create",
          () -> {
            if (rank.number() == 0) {
              removeIfThere(rank, path);
            }
          });
      return Optional.empty();
    }
    SharedFile side = rank.open(name(path), OpenOptions.create().withTruncate().withStrands(1));
    ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + Long.BYTES * type.subfiles());
    bytes.putInt(MAGIC).putInt(0).putInt(type.recordBytes());
    bytes.putInt(type.subfiles()).putInt(type.blockRecords()).rewind();
    MemorySegment all = MemorySegment.ofBuffer(bytes);
    side.at(0).all().write(rank.number() == 0 ? all : all.asSlice(0, 0));
    side.flush();
    return Optional.of(new StoredType(side, type));
  }

  /**
   * Fails on all processes if a new file's type could not take the place of what is kept: to be
   * asked before the old bytes go. Collective.
   */
  static void checkReplaceable(Rank rank, String path) throws IOException {
    rank.together(
        "create",
        () -> {
          if (rank.number() != 0) {
            return;
          }
          try {
            rank.names().checkReplaceable(name(path));
          } catch (NoSuchNameException e) {
            return; // it is a byte plain file, or none
          }
        });
  }

  static void removeIfThere(Rank rank, String path) throws IOException {
    try {
      rank.names().removeUnused(name(path));
    } catch (NoSuchNameException e) {
      return; // it was a byte plain file before
    }
  }

  /** The type that was kept; empty for a byte plain file. Collective. */
  static Optional<StoredType> open(Rank rank, String path, boolean write) throws IOException {
    SharedFile side;
    try {
      side = rank.open(name(path), write ? OpenOptions.readWrite() : OpenOptions.read());
    } catch (NoSuchNameException e) {
      return Optional.empty();
    }
    try {
      ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES);
      long got = side.at(0).all().read(MemorySegment.ofBuffer(bytes));
      if (got < HEADER_BYTES || bytes.getInt(0) != MAGIC) {
        throw new IllegalArgumentException("begins otherwise");
      }
      FileType type = new FileType(bytes.getInt(8), bytes.getInt(12), bytes.getInt(16));
      return Optional.of(new StoredType(side, type));
    } catch (IllegalArgumentException | ArithmeticException e) { // the same on all processes
      side.close();
      throw new MillraceException(ErrorCode.INVALID, name(path) + " keeps no type of a file", e);
    }
  }

  FileType type() {
    return type;
  }

  /** The ends of subfiles, in bytes, as they were kept last. */
  long[] ends(int first, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(Long.BYTES, count));
    side.at(HEADER_BYTES + (long) Long.BYTES * first).read(MemorySegment.ofBuffer(bytes));
    long[] ends = new long[count];
    Arrays.setAll(ends, i -> Math.max(0, bytes.getLong(i * Long.BYTES)));
    return ends;
  }

  void keepEnd(int subfile, long end) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).putLong(0, end);
    side.at(HEADER_BYTES + (long) Long.BYTES * subfile).write(MemorySegment.ofBuffer(bytes));
  }

  /** Keeps others, of whatever group, from moving the end of a subfile. */
  HeldLock lock(int subfile) throws IOException {
    long at = HEADER_BYTES + (long) Long.BYTES * subfile;
    return HeldLock.ofAccess(side, View.WHOLE, at, at + Long.BYTES, false);
  }

  void flush() throws IOException {
    side.flush();
  }

  @Override
  public void close() throws IOException {
    side.close();
  }
}
