package org.millrace.array;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;
import org.millrace.access.Shape;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenFlag;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Creates and opens the file of a global array for a group. Every error occurs on all ranks alike,
 * and a file that was created before the error is removed. Stateless.
 */
final class ArrayOpening {

  private static final Memory NOTHING = Memory.of(MemorySegment.NULL);

  private ArrayOpening() {}

  static GlobalArray create(
      Rank rank, String path, Shape shape, ElementType type, OpenOptions options)
      throws IOException {
    GroupAgreement.check(
        rank,
        () -> {
          checkWrites(options);
          NpyHeader.of(shape, type).fileBytes();
          NpyHeader.of(shape, type).encode();
          return "creates %s: %s".formatted(path, NpyHeader.of(shape, type).dict());
        });
    NpyHeader header = NpyHeader.of(shape, type);
    boolean replaces = options.has(OpenFlag.TRUNCATE);
    SharedFile file = rank.open(path, replaces ? options.withCreate() : fresh(options));
    try {
      byte[] bytes = header.encode();
      boolean first = rank.number() == 0;
      file.through(View.WHOLE)
          .all()
          .write(first ? Memory.of(MemorySegment.ofArray(bytes)) : NOTHING);
      file.resize(header.fileBytes());
      return new GlobalArray(rank, file, new Dense(shape, type, header.headerBytes()));
    } catch (IOException | RuntimeException e) {
      giveUp(rank, file, !replaces, e);
      throw e;
    }
  }

  private static OpenOptions fresh(OpenOptions options) {
    return options.withCreate().withExclusive();
  }

  private static void checkWrites(OpenOptions options) {
    if (!options.has(OpenFlag.WRITE)) {
      throw new IllegalArgumentException("an array that is made must be opened for writing");
    }
    checkNoAppend(options);
  }

  private static void checkNoAppend(OpenOptions options) {
    if (options.has(OpenFlag.APPEND)) {
      throw new IllegalArgumentException("an array has its size: it cannot be appended to");
    }
  }

  static GlobalArray open(Rank rank, String path, OpenOptions options) throws IOException {
    GroupAgreement.check(
        rank,
        () -> {
          if (!options.has(OpenFlag.READ)
              || options.has(OpenFlag.CREATE)
              || options.has(OpenFlag.TRUNCATE)) {
            throw new IllegalArgumentException(
                "an array is opened by its header: for reading at least, neither creating nor truncating");
          }
          checkNoAppend(options);
          return "opens " + path;
        });
    SharedFile file = rank.open(path, options);
    try {
      byte[] begin = GroupAgreement.fromRankZero(rank, path, () -> header(file));
      NpyHeader header = NpyHeader.decode(begin);
      Placement placement = new Dense(header.shape(), header.type(), header.headerBytes());
      return new GlobalArray(rank, file, placement);
    } catch (IOException | RuntimeException e) {
      giveUp(rank, file, false, e);
      throw e;
    }
  }

  /** The begin of a file whose header and size were found to be right. */
  private static byte[] header(SharedFile file) throws IOException {
    byte[] begin = new byte[NpyHeader.MAX_WITH_PREFIX];
    long got = file.at(0).read(Memory.of(begin));
    byte[] found = Arrays.copyOf(begin, (int) got);
    NpyHeader header = NpyHeader.decode(found);
    if (file.size() != header.fileBytes()) {
      throw new IllegalArgumentException(
          "the header says %s of %s, with the header %s bytes, but the file has %s"
              .formatted(header.shape().dims(), header.type(), header.fileBytes(), file.size()));
    }
    return Arrays.copyOf(found, header.headerBytes());
  }

  static GlobalArray openRaw(Rank rank, String path, Supplier<Placement> made, OpenOptions options)
      throws IOException {
    GroupAgreement.check(
        rank,
        () -> {
          checkNoAppend(options);
          return "opens raw %s: %s".formatted(path, made.get());
        });
    Placement placement = made.get();
    SharedFile file = rank.open(path, options);
    try {
      byte[] size = GroupAgreement.fromRankZero(rank, path, () -> size(file, placement, options));
      if (ByteBuffer.wrap(size).getLong() < placement.end()) {
        file.resize(placement.end());
      }
      return new GlobalArray(rank, file, placement);
    } catch (IOException | RuntimeException e) {
      giveUp(rank, file, false, e);
      throw e;
    }
  }

  private static byte[] size(SharedFile file, Placement placement, OpenOptions options)
      throws IOException {
    long size = file.size();
    boolean fills = size == 0 && (options.has(OpenFlag.CREATE) || options.has(OpenFlag.TRUNCATE));
    if (size < placement.end() && !fills) {
      throw new IllegalArgumentException(
          "%s of %s from byte %s on needs %s bytes, but the file has %s"
              .formatted(
                  placement.shape().dims(),
                  placement.type(),
                  placement.headerBytes(),
                  placement.end(),
                  size));
    }
    return ByteBuffer.allocate(Long.BYTES).putLong(size).array();
  }

  /** Closes what was opened, and takes back the name if it is new. */
  private static void giveUp(Rank rank, SharedFile file, boolean made, Exception e) {
    try {
      file.close();
    } catch (IOException | RuntimeException suppressed) {
      e.addSuppressed(suppressed);
    }
    if (made && rank.number() == 0) {
      try {
        rank.names().remove(file.path());
      } catch (IOException | RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
    }
  }
}
