package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.disk.StrandStore;
import org.millrace.node.CopyMembers.Member;
import org.millrace.protocol.NodeReply.CopySums;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Makes a copy in sync that differs in what nobody has flushed as its owner's own, before the owner
 * writes anything. If it left the set instead, what was flushed would be on fewer disks until it is
 * made anew: with two copies on one, which may be that of a node that has just failed.
 *
 * <p>Until that has come to its end each block of the copy is as it was, or as the owner's: what
 * was flushed is the same in both, and of the rest either version will do.
 *
 * <p>Belongs to one thread.
 */
final class CopyMatch {

  /** Longer strands are not compared: programs wait meanwhile. */
  static final long MAX_BYTES = 64 << 20;

  /** Any one: the copy is told a better one before the first write. */
  private static final long MARK = 1;

  // constant after construction
  private final StrandId id;
  private final StrandStore own;
  private final CopyCalls calls;
  private final Member copy;

  CopyMatch(StrandId id, StrandStore own, CopyCalls calls, Member copy) {
    this.id = id;
    this.own = own;
    this.calls = calls;
    this.copy = copy;
  }

  /** Makes the copy equal, durably; false if the strand is too long for that, or it is too slow. */
  boolean run() throws IOException {
    long end = own.end();
    if (end > MAX_BYTES) {
      return false;
    }
    long deadline = calls.deadline();
    int blockBytes = own.blockBytes();
    calls.call(copy, new NodeRequest.CopyBegin(id, copy.fence(), 0, blockBytes, MARK));
    calls.call(copy, new NodeRequest.CopyResize(id, copy.fence(), end));
    long blocks = Math.ceilDiv(end, blockBytes);
    int most = (int) Math.max(1, BlockSums.MAX_BYTES / blockBytes);
    MemorySegment bytes = calls.room(Math.min(most, blocks) * blockBytes);
    for (long first = 0; first < blocks; first += most) {
      int count = (int) Math.min(most, blocks - first);
      if (!match(first, count, bytes.asSlice(0, (long) count * blockBytes), deadline)) {
        return false;
      }
    }
    // a node that has started since has forgotten the mark, and refuses
    calls.call(copy, new NodeRequest.CopyFlush(id, copy.fence(), end, 0));
    return true;
  }

  /** A block that is corrupt here stays as it is there: it will be read from the copy. */
  private boolean match(long first, int count, MemorySegment bytes, long deadline)
      throws IOException {
    List<Long> here = BlockSums.of(own, first, bytes);
    var asked = new NodeRequest.CopySum(id, copy.fence(), first, count);
    List<Long> there = ((CopySums) calls.call(copy, asked)).sums();
    int blockBytes = own.blockBytes();
    for (int i = 0; i < count && !calls.isOver(deadline); i++) {
      if (here.get(i) != CopySums.BAD && !here.get(i).equals(there.get(i))) {
        MemorySegment block = bytes.asSlice((long) i * blockBytes, blockBytes);
        var written = new NodeRequest.CopyWrite(id, copy.fence(), first + i, blockBytes);
        calls.call(copy, written, block);
      }
    }
    return !calls.isOver(deadline);
  }
}
