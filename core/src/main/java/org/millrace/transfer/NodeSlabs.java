package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.protocol.NodeReply.SlabAt;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.BlockPlace;

/** Maps memory of nodes, and asks them for the name of memory that is new. Stateless. */
final class NodeSlabs {

  private NodeSlabs() {}

  /** The memory that a place names; null if the kernel does not let this process in. */
  static @Nullable MemorySegment map(
      Link link, MappedSlabs slabs, BlockPlace place, long deadlineNanos) throws IOException {
    MemorySegment known = slabs.find(place.slab(), place.generation());
    if (known != null) {
      return known;
    }
    SlabAt at = ask(link, place.slab(), place.generation(), deadlineNanos);
    try {
      return slabs.attach(place.slab(), place.generation(), at.name(), at.bytes());
    } catch (IOException e) {
      return null;
    }
  }

  /** The memory of the node's cells, likewise. */
  static @Nullable MemorySegment mapCells(Link link, MappedSlabs slabs, long deadlineNanos)
      throws IOException {
    MemorySegment known = slabs.cells();
    if (known != null) {
      return known;
    }
    SlabAt at = ask(link, BlockPlace.CELLS, 0, deadlineNanos);
    try {
      return slabs.attachCells(at.name(), at.bytes());
    } catch (IOException e) {
      return null;
    }
  }

  private static SlabAt ask(Link link, int slab, int generation, long deadlineNanos)
      throws IOException {
    var question = new NodeRequest.AskSlab(slab, generation);
    return (SlabAt) link.call(question, MemorySegment.NULL, deadlineNanos);
  }
}
