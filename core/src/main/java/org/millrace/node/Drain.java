package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.message.Payload;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandDuty;
import org.millrace.protocol.StrandId;

/**
 * What a node does because nodes are drained: it copies strands that it owns to other nodes, lets
 * copies go, and moves strands that have none. Each step is recorded by the coordinator before
 * anything is removed, so that it may be interrupted anywhere, and is asked for again.
 *
 * <p>While a strand changes its owner or moves it is <em>parked</em>: closed, with all that was
 * written to it durable. Requests for it wait; if one waits for a strand that moves, the move is
 * given up, and the strand is served here again.
 *
 * <p>For one thread at a time.
 */
final class Drain {

  private static final long CHUNK_BYTES = 1 << 20;

  /** What a move is sent under: no owner of copies ever had it. */
  private static final long NO_EPOCH = 0;

  // constant after construction
  private final Env env;
  private final CopiedStrands node;
  private final OpenStrands strands;

  Drain(Env env, CopiedStrands node, OpenStrands strands) {
    this.env = env;
    this.node = node;
    this.strands = strands;
  }

  /** Does what there is to do now; returns how much was done. */
  int run() throws IOException {
    var asked = new CoordinatorRequest.AskDuties(node.number());
    int done = 0;
    for (StrandDuty duty : ((CoordinatorReply.Duties) node.ask(asked)).duties()) {
      done += tryDo(duty) ? 1 : 0;
    }
    return done;
  }

  /** False if it has to be tried again. */
  private boolean tryDo(StrandDuty duty) {
    try {
      node.checkOpen();
      return switch (duty.kind()) {
        case StrandDuty.COPY -> node.tryRebuild(duty.strand(), duty.node());
        case StrandDuty.DROP -> drop(duty.strand(), duty.node());
        case StrandDuty.MOVE -> move(duty.strand(), duty.node());
        default -> false; // of a later version
      };
    } catch (IOException e) {
      return false; // it is said again with the next heartbeat
    }
  }

  /** A copy that is not needed any more leaves; if it is this node's own, so does the strand. */
  private boolean drop(StrandId id, int dropped) throws IOException {
    // only an open strand can tell its copies what it vouches for, and that they are equal
    CopiedStore copied = strands.get(id.key()).copied;
    if (copied != null) {
      copied.match();
    }
    strands.park(id);
    try {
      CopySet set = node.askSet(id);
      if (set.owner() != node.number()) {
        return false;
      }
      node.ask(new CoordinatorRequest.DropCopy(id, node.number(), set.epoch(), dropped));
      if (dropped == node.number()) {
        node.remove(id);
        strands.removeParked(id);
      } else {
        removeAt(dropped, id);
      }
      return true;
    } finally {
      strands.unpark(id);
    }
  }

  /** It takes room only: if it fails, the node is about to be removed anyhow. */
  private void removeAt(int other, StrandId id) {
    try {
      call(link(other), new NodeRequest.Remove(id));
    } catch (IOException e) {
      return;
    }
  }

  private boolean move(StrandId id, int to) throws IOException {
    strands.park(id);
    try {
      tryPush(id, to);
      boolean moved = commit(id, to);
      if (moved) {
        strands.removeParked(id);
      }
      return moved;
    } finally {
      strands.unpark(id);
    }
  }

  /** Has the move recorded. What is on the other node is removed only if it certainly is not. */
  private boolean commit(StrandId id, int to) throws IOException {
    try {
      node.ask(new CoordinatorRequest.MoveStrand(id, node.number(), to));
      return true;
    } catch (MillraceException e) {
      boolean refused =
          e.code() == ErrorCode.IN_USE
              || e.code() == ErrorCode.INVALID
              || e.code() == ErrorCode.NO_SUCH_NAME;
      if (refused) {
        removeAt(to, id);
      }
      throw e;
    }
  }

  /** The next attempt may go to another node: this one must not keep a part of it. */
  private void tryPush(StrandId id, int to) throws IOException {
    try {
      push(id, to);
    } catch (IOException e) {
      removeAt(to, id);
      throw e;
    }
  }

  /** Copies a parked strand to another node, durably. */
  private void push(StrandId id, int to) throws IOException {
    Link link = link(to);
    try (StrandStore own = strands.openCopy(id, 0)) {
      int blockBytes = own.blockBytes();
      call(link, new NodeRequest.CopyMake(id, NO_EPOCH, blockBytes));
      call(link, new NodeRequest.CopyBegin(id, NO_EPOCH, NO_EPOCH, blockBytes, 1));
      int perChunk = (int) Math.max(1, CHUNK_BYTES / blockBytes);
      MemorySegment room =
          env.autoArena().allocate((long) perChunk * blockBytes, CopyTargets.ALIGNMENT);
      long blocks = Math.ceilDiv(own.end(), blockBytes);
      long block = 0;
      while (block < blocks) {
        requireUnwanted(id);
        block = own.nextWritten(block, blocks);
        int count = (int) Math.min(perChunk, blocks - block);
        if (count > 0) {
          send(id, own, block, room.asSlice(0, (long) count * blockBytes), link);
          block += count;
        }
      }
      call(link, new NodeRequest.CopyResize(id, NO_EPOCH, own.end()));
      call(link, new NodeRequest.CopyFlush(id, NO_EPOCH, own.end(), 1));
      call(link, new NodeRequest.CopyEnd(id, NO_EPOCH));
    }
    requireUnwanted(id);
  }

  private void requireUnwanted(StrandId id) throws MillraceException {
    if (strands.isWanted(id)) {
      throw new MillraceException(ErrorCode.IN_USE, id + " is used");
    }
  }

  private void send(StrandId id, StrandStore own, long block, MemorySegment part, Link link)
      throws IOException {
    List<MemorySegment> into = new ArrayList<>();
    for (long at = 0; at < part.byteSize(); at += own.blockBytes()) {
      into.add(part.asSlice(at, own.blockBytes()));
    }
    own.read(block, into);
    var request = new NodeRequest.CopyWrite(id, NO_EPOCH, block, part.byteSize());
    link.start(request, Payload.of(part)).await(deadline());
  }

  private Link link(int other) {
    Link link = node.link(other);
    return link.isBroken() ? node.replace(other, link) : link;
  }

  private void call(Link link, NodeRequest request) throws IOException {
    link.call(request, MemorySegment.NULL, deadline());
  }

  private long deadline() {
    return env.deadlineAfter(CopyCalls.COPY_NANOS);
  }
}
