package org.millrace.bench.grid;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.millrace.bench.measure.WrongResultException;

/**
 * What a whole file must hold: the word k at byte 8k, and its complement where a workload's ranks
 * have written it last. Used by one thread; its memory belongs to the arena it was made with.
 */
public final class FileModel {

  private static final int CHUNK_BYTES = 4 << 20;

  // constant after construction
  private final long fileBytes;
  private final MemorySegment chunk;

  /** One bit for each word of the file: written by the workload. */
  private final long[] written;

  /** Reads or writes all of memory at an offset of a file. */
  public interface Transfer {
    /** Moves all of {@code memory}. */
    void move(long offset, MemorySegment memory) throws IOException;
  }

  /** A file into which no workload has written. */
  public FileModel(Arena arena, long fileBytes) {
    this.fileBytes = fileBytes;
    this.chunk = arena.allocate(CHUNK_BYTES, 4096);
    this.written = new long[(int) Math.ceilDiv(fileBytes / Long.BYTES, Long.SIZE)];
  }

  /** Takes a workload's parts as those that are written. */
  public void mark(Workload workload) {
    Arrays.fill(written, 0);
    for (Workload.Part part : workload.parts()) {
      RankMemory.forEachRun(
          part,
          part.loops().size() - 1,
          part.offset(),
          offset -> {
            long end = (offset + part.runBytes()) / Long.BYTES;
            for (long word = offset / Long.BYTES; word < end; word++) {
              written[(int) (word / Long.SIZE)] |= 1L << word;
            }
          });
    }
  }

  /** Writes the whole file as it is at the beginning. */
  public void write(Transfer transfer) throws IOException {
    for (long at = 0; at < fileBytes; at += CHUNK_BYTES) {
      MemorySegment part = chunk.asSlice(0, Math.min(CHUNK_BYTES, fileBytes - at));
      for (long b = 0; b < part.byteSize(); b += Long.BYTES) {
        part.set(JAVA_LONG, b, (at + b) / Long.BYTES);
      }
      transfer.move(at, part);
    }
  }

  /** Throws unless the whole file is what it should be. */
  public void check(String what, boolean complement, Transfer transfer) throws IOException {
    for (long at = 0; at < fileBytes; at += CHUNK_BYTES) {
      MemorySegment part = chunk.asSlice(0, Math.min(CHUNK_BYTES, fileBytes - at));
      part.fill((byte) 0x5A);
      transfer.move(at, part);
      for (long b = 0; b < part.byteSize(); b += Long.BYTES) {
        long word = (at + b) / Long.BYTES;
        long found = part.get(JAVA_LONG, b);
        boolean flipped = complement && (written[(int) (word / Long.SIZE)] >>> word & 1) != 0;
        if (found != (flipped ? ~word : word)) {
          throw new WrongResultException(
              "%s: the file is wrong at byte %s: found %s, expected %s"
                  .formatted(what, at + b, found, flipped ? ~word : word));
        }
      }
    }
  }
}
