package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.BlockPlace;
import org.millrace.protocol.PinnedBlocks.ReturnedPin;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.protocol.StrandId;

/**
 * A strand whose blocks can be pinned, and the memory of its node: asks for pins, maps what was
 * pinned, gives it back. Holds no state.
 */
record PinTarget(Env env, Link link, MappedSlabs slabs, StrandId strand, Layout layout) {

  /** Asks for blocks, and releases others; either list may be empty. */
  Pending ask(boolean write, List<WantedBlocks> wanted, List<ReturnedPin> returned) {
    var request =
        new NodeRequest.Pin(
            strand, layout.blockBytes(), write, slabs.process(), wanted, List.copyOf(returned));
    return link.start(request, MemorySegment.NULL);
  }

  /**
   * Where blocks that are pinned lie in this process; null if their memory cannot be mapped, or if
   * another node has answered than the one whose memory is known here.
   */
  @Nullable PinnedExtents map(
      boolean write, List<WantedBlocks> wanted, List<BlockPlace> places, long deadlineNanos)
      throws IOException {
    long blockBytes = layout.blockBytes();
    PinnedExtents extents = new PinnedExtents();
    int next = 0;
    for (WantedBlocks run : wanted) {
      long block = run.first();
      long limit = run.first() + run.count();
      while (block < limit) {
        BlockPlace place = next < places.size() ? places.get(next++) : null;
        if (place == null || place.count() < 1 || place.count() > limit - block) {
          throw wrong(wanted, places);
        }
        long bytes = place.count() * blockBytes;
        MemorySegment memory = null;
        if (place.slab() != BlockPlace.HOLE) {
          memory = NodeSlabs.map(link, slabs, place, deadlineNanos);
          if (memory == null) {
            return null;
          }
          if (place.offset() < 0 || place.offset() > memory.byteSize() - bytes) {
            throw wrong(wanted, places);
          }
          if (write) {
            MappedSlabs.touch(memory, place.offset(), bytes);
          }
        } else if (write) {
          throw wrong(wanted, places);
        }
        extents.add(block * blockBytes, block * blockBytes + bytes, memory, place.offset());
        block += place.count();
      }
    }
    return link.reached() == slabs ? extents : null;
  }

  private static MillraceException wrong(List<WantedBlocks> wanted, List<BlockPlace> places) {
    return new MillraceException(
        ErrorCode.PROTOCOL, "blocks " + wanted + " are said to lie at " + places);
  }

  /** Gives back, unwritten, what the answers to some requests will have pinned. Does not wait. */
  void giveBackLater(boolean write, List<Pending> replies) {
    if (!replies.isEmpty()) {
      env.start(ThreadKind.SERVICE, "gives back pins", () -> giveBack(write, replies));
    }
  }

  private void giveBack(boolean write, List<Pending> replies) {
    List<ReturnedPin> late = new ArrayList<>();
    for (Pending one : replies) {
      try {
        Pinned reply = (Pinned) one.await(Env.NEVER);
        if (reply.pin() > Pinned.NONE) {
          late.add(new ReturnedPin(reply.pin(), false, 0));
        }
      } catch (IOException e) {
        // nothing was pinned, or the session is over and the node looks after it
      }
    }
    if (!late.isEmpty()) {
      ask(write, List.of(), late);
    }
  }
}
