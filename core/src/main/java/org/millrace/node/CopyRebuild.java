package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.millrace.cache.CachedStrand;
import org.millrace.disk.StrandStore;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.node.CopyMembers.Member;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Makes a copy anew on a node that has none, or one that has missed something, while the strand is
 * used: it gets all that is written from then on, then what was there before, piece by piece. When
 * it is in sync the coordinator is told.
 *
 * <p>Belongs to one thread.
 */
final class CopyRebuild {

  private static final long CHUNK_BYTES = 1 << 20;

  // constant after construction
  private final StrandId id;
  private final StrandStore own;
  private final Reading mending; // of the same, where blocks are mended from other copies
  private final CopyMembers members;
  private final CopyCalls calls;
  private final CopyMarks marks;
  private final ChangeGate gate;

  /** Reads whole blocks. */
  interface Reading {
    void read(long firstBlock, List<MemorySegment> into) throws IOException;
  }

  CopyRebuild(
      StrandId id,
      StrandStore own,
      Reading mending,
      CopyMembers members,
      CopyCalls calls,
      CopyMarks marks,
      ChangeGate gate) {
    this.id = id;
    this.own = own;
    this.mending = mending;
    this.members = members;
    this.calls = calls;
    this.marks = marks;
    this.gate = gate;
  }

  /** Rebuilds the copy on a node. */
  void run(int node, CachedStrand strand) throws IOException {
    members.requireOwned();
    Member copy = members.invite(node);
    begin(copy);
    try {
      strand.flush(); // else its end would not be known, and much would be copied twice
      copyBlocks(copy);
      join(copy);
    } catch (IOException | RuntimeException e) {
      members.miss(copy);
      throw e;
    }
  }

  private void begin(Member copy) throws IOException {
    gate.hold();
    try {
      marks.whileStill(
          (mark, _) -> {
            calls.call(copy, new NodeRequest.CopyMake(id, copy.fence(), own.blockBytes()));
            calls.call(copy, marks.first(copy, mark));
            members.setJoining(copy);
          });
    } finally {
      gate.letGo();
    }
  }

  private void copyBlocks(Member copy) throws IOException {
    int perChunk = (int) Math.max(1, CHUNK_BYTES / own.blockBytes());
    MemorySegment bytes = calls.room((long) perChunk * own.blockBytes());
    long block = 0;
    while (block >= 0) {
      gate.hold();
      try {
        block = copyNext(copy, block, perChunk, bytes);
      } finally {
        gate.letGo();
      }
    }
  }

  /** Copies the next blocks that were written; returns where to go on, or -1 at the end. */
  private long copyNext(Member copy, long from, int perChunk, MemorySegment bytes)
      throws IOException {
    members.requireOwned();
    requireJoining(copy);
    long blocks = Math.ceilDiv(own.end(), own.blockBytes());
    long first = from < blocks ? own.nextWritten(from, blocks) : blocks;
    if (first >= blocks) {
      return -1;
    }
    long end = first + 1; // holes stay holes
    while (end < blocks && end < first + perChunk && own.nextWritten(end, end + 1) == end) {
      end++;
    }
    MemorySegment part = bytes.asSlice(0, (end - first) * own.blockBytes());
    mending.read(first, CopyTargets.blocks(part, own.blockBytes()));
    var request = new NodeRequest.CopyWrite(id, copy.fence(), first, part.byteSize());
    calls.call(copy, request, part);
    return end;
  }

  private void requireJoining(Member copy) throws MillraceException {
    if (!members.isJoining(copy)) {
      throw new MillraceException(
          ErrorCode.NODE,
          "node %s missed a write to its new copy of %s".formatted(copy.node(), id));
    }
  }

  private void join(Member copy) throws IOException {
    gate.hold();
    try {
      marks.whileStill(
          (mark, clean) -> {
            requireJoining(copy);
            long end = own.end();
            calls.call(copy, new NodeRequest.CopyResize(id, copy.fence(), end));
            calls.call(copy, marks.first(copy, mark));
            calls.call(copy, new NodeRequest.CopyFlush(id, copy.fence(), end, clean ? mark : 0));
            members.join(copy);
          });
    } finally {
      gate.letGo();
    }
  }
}
