package org.millrace.cli.copy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;

/**
 * Gets what can be read of files that are damaged, or whose nodes are away. What cannot is zero in
 * the copy, and is listed. Used by the rank's thread.
 */
public final class Salvage {

  private static final int CHUNK_BYTES = 1 << 20;

  /**
   * Bytes that could not be read.
   *
   * @param path of the file
   * @param from the first
   * @param to one past the last
   * @param reason what the cluster says
   */
  public record Missing(String path, long from, long to, String reason) {}

  private final LongConsumer progress;
  private final List<Missing> missing = new ArrayList<>();

  /** Tells {@code progress} of all bytes that it has tried. */
  public Salvage(LongConsumer progress) {
    this.progress = progress;
  }

  /** What is missing so far, in the order of the files. */
  public List<Missing> missing() {
    return missing;
  }

  /** Copies a file to {@code target}, which is empty, durably. */
  void get(SharedFile file, FileChannel target) throws IOException {
    long size = size(file);
    byte[] chunk = new byte[CHUNK_BYTES];
    for (long at = 0; at < size; at += chunk.length) {
      int length = (int) Math.min(chunk.length, size - at);
      if (!copy(file, target, chunk, at, length, false)) {
        long end = at + length;
        for (long piece = at; piece < end; ) {
          long next = Math.min(end, pieceEnd(file.layout(), piece));
          copy(file, target, chunk, piece, (int) (next - piece), true);
          piece = next;
        }
      }
      progress.accept(length);
    }
    if (target.size() < size) {
      target.write(ByteBuffer.allocate(1), size - 1); // it ends with a hole, or with a loss
    }
    target.force(true);
  }

  /** The size of the file, as far as its strands can tell. */
  private long size(SharedFile file) throws IOException {
    try {
      return file.size();
    } catch (MillraceException e) {
      requireDamage(e);
      long most = 0;
      Layout layout = file.layout();
      for (int s = 0; s < layout.strands(); s++) {
        try {
          most = Math.max(most, layout.fileSize(s, file.strandEnd(s)));
        } catch (MillraceException of) {
          requireDamage(of);
          missing.add(new Missing(file.path(), layout.fileOffset(s, 0), Long.MAX_VALUE, text(of)));
        }
      }
      return most;
    }
  }

  /** One past the last byte that lies in the same block and stripe unit as {@code at}. */
  private static long pieceEnd(Layout layout, long at) {
    long inStrand = layout.strandOffset(at);
    long block = layout.blockBytes() - inStrand % layout.blockBytes();
    long unit =
        layout.strands() == 1
            ? Long.MAX_VALUE
            : layout.stripeUnitBytes() - at % layout.stripeUnitBytes();
    return at + Math.min(block, unit);
  }

  /** False if the bytes are damaged; these are noted if {@code last}. */
  private boolean copy(
      SharedFile file, FileChannel target, byte[] memory, long at, int length, boolean last)
      throws IOException {
    try {
      long got = file.at(at).read(Memory.of(MemorySegment.ofArray(memory).asSlice(0, length)));
      write(target, at, memory, (int) got);
      return true;
    } catch (MillraceException e) {
      requireDamage(e);
      if (last) {
        note(new Missing(file.path(), at, at + length, text(e)));
      }
      return false;
    }
  }

  private static void write(FileChannel target, long at, byte[] memory, int length)
      throws IOException {
    for (int i = 0; i < length; i++) {
      if (memory[i] != 0) { // else it is a hole, or may be one
        ByteBuffer left = ByteBuffer.wrap(memory, 0, length);
        for (long to = at; left.hasRemaining(); ) {
          to += target.write(left, to);
        }
        return;
      }
    }
  }

  /** Joins neighbours that are missing for the same reason. */
  private void note(Missing next) {
    Missing before = missing.isEmpty() ? null : missing.getLast();
    if (before != null
        && before.path.equals(next.path)
        && before.to == next.from
        && before.reason.equals(next.reason)) {
      missing.removeLast();
      missing.add(new Missing(before.path, before.from, next.to, before.reason));
    } else {
      missing.add(next);
    }
  }

  private static void requireDamage(MillraceException e) throws MillraceException {
    if (!isDamage(e)) {
      throw e;
    }
  }

  /** Whether {@code e} is about some bytes only: damaged ones, or those of a node that is away. */
  public static boolean isDamage(MillraceException e) {
    return switch (e.code()) {
      case CORRUPT, DISK, NODE, RESTARTED, UNKNOWN -> true;
      default -> false;
    };
  }

  /** What the node says, which is the same for all bytes of one damage. */
  private static String text(MillraceException e) {
    String said = String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage());
    return said.replaceFirst("^(node \\d+: )\\1", "$1");
  }
}
