package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.millrace.disk.StrandStore;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeReply;

/** Checksums of a strand's blocks as they are on the disk. Stateless. */
public final class BlockSums {

  /** How many bytes are read at a time. */
  static final long MAX_BYTES = 4 << 20;

  private BlockSums() {}

  /** Of blocks from one on; {@link NodeReply.CopySums#BAD} for those that are corrupt. */
  public static List<Long> of(StrandStore store, long firstBlock, int count) throws IOException {
    int blockBytes = store.blockBytes();
    if (count < 0 || (long) count * blockBytes > Math.max(MAX_BYTES, blockBytes)) {
      throw new MillraceException(ErrorCode.INVALID, "checksums of " + count + " blocks at once");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate((long) count * blockBytes, CopyTargets.ALIGNMENT);
      return of(store, firstBlock, bytes);
    }
  }

  /** As above, leaving the blocks in memory. */
  static List<Long> of(StrandStore store, long firstBlock, MemorySegment into) throws IOException {
    int blockBytes = store.blockBytes();
    if (into.byteSize() == 0) {
      return List.of();
    }
    List<MemorySegment> blocks = new ArrayList<>();
    for (long at = 0; at < into.byteSize(); at += blockBytes) {
      blocks.add(into.asSlice(at, blockBytes));
    }
    List<Long> sums = new ArrayList<>();
    try {
      store.readStill(firstBlock, blocks);
      blocks.forEach(block -> sums.add(of(block)));
    } catch (CorruptBlockException e) {
      sums.clear();
      for (int i = 0; i < blocks.size(); i++) {
        sums.add(ofOne(store, firstBlock + i, blocks.get(i)));
      }
    }
    return sums;
  }

  private static long ofOne(StrandStore store, long block, MemorySegment into) throws IOException {
    try {
      store.readStill(block, List.of(into));
      return of(into);
    } catch (CorruptBlockException e) {
      return NodeReply.CopySums.BAD;
    }
  }

  /** Of a block in memory. */
  static long of(MemorySegment block) {
    CRC32C sum = new CRC32C();
    sum.update(block.asByteBuffer());
    return sum.getValue();
  }
}
