package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Places;
import org.millrace.layout.Layout;
import org.millrace.message.Pending;
import org.millrace.message.Staging;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Moves accesses between a file and memory by lists that the owners of the blocks apply: one
 * request to each strand that is touched, all under way at the same time. Where nodes are in other
 * processes, an access is moved in parts of what one request may carry, two under way at a time,
 * and by way of memory that the nodes can reach, if there is some.
 *
 * <p>Safe for use by several threads; holds no state but the file's identity.
 */
final class Lists {

  /** Parts of an access, between processes: small enough to stay in the processor's caches. */
  private static final long PART_BYTES = 512 << 10;

  /** Less than this goes with the request. */
  private static final long LEAST_STAGED = 4 << 10;

  private static final int WINDOW = 2;

  // constant after construction
  private final Carrier carrier;
  private final Layout layout;
  private final long file;
  private final StrandLinks links;

  Lists(Carrier carrier, Layout layout, long file, StrandLinks links) {
    this.carrier = carrier;
    this.layout = layout;
    this.file = file;
    this.links = links;
  }

  /** Whether some node is in another process. */
  boolean isRemote() {
    return links.isRemote();
  }

  /** A part under way. */
  private record Part(
      List<Pending> pending, Access access, Places places, @Nullable MemorySegment staged) {}

  /** Moves a whole access. */
  void move(boolean write, Access access, Places places, MemorySegment memory) throws IOException {
    if (!isRemote()) {
      finish(write, start(write, access, places, memory, null), memory);
      return;
    }
    // bytes that are written twice must end as the later position has them
    int most = write && !access.view().isDisjoint() ? 1 : WINDOW;
    ArrayDeque<Part> window = new ArrayDeque<>();
    try {
      long from = access.from();
      while (from < access.to() || !window.isEmpty()) {
        while (from < access.to() && window.size() < most) {
          long to = Math.min(access.to(), from + PART_BYTES);
          Access part = new Access(access.view(), from, to);
          window.add(startRemote(write, part, places.after(from - access.from()), memory));
          from = to;
        }
        finish(write, window.remove(), memory);
      }
    } finally {
      window.forEach(this::abandon);
    }
  }

  private Part startRemote(boolean write, Access access, Places places, MemorySegment memory) {
    long size = access.size();
    Staging staging = carrier.staging();
    if (places.isPacked() && staging.holds(memory)) {
      MemorySegment there = memory.asSlice(places.start(), size);
      return start(write, access, Places.packed(size), there, null);
    }
    MemorySegment staged = size < LEAST_STAGED ? null : staging.tryTake(size);
    if (staged == null && write && staging.holds(memory)) {
      // memory that is named is taken for packed
      MemorySegment packed = Arena.ofAuto().allocate(size);
      PlacedCopy.pack(memory, places, size, packed, 0);
      return start(true, access, Places.packed(size), packed, null);
    }
    if (staged == null) {
      return start(write, access, places, memory, null);
    }
    if (write) {
      PlacedCopy.pack(memory, places, size, staged, 0);
    }
    Part part = start(write, access, Places.packed(size), staged, staged);
    return new Part(part.pending, access, places, staged);
  }

  private Part start(
      boolean write,
      Access access,
      Places places,
      MemorySegment payload,
      @Nullable MemorySegment staged) {
    boolean[] touched = layout.touches(access.view(), access.from(), access.to());
    List<Pending> pending = new ArrayList<>();
    for (int i = 0; i < touched.length; i++) {
      int s = (i + carrier.participant()) % touched.length; // not all ranks to strand 0 first
      if (touched[s]) {
        pending.add(links.get(s).start(list(write, s, access, places), payload));
      }
    }
    return new Part(pending, access, places, staged);
  }

  private NodeRequest list(boolean write, int s, Access access, Places places) {
    StrandId id = new StrandId(file, s);
    return write
        ? new NodeRequest.Scatter(id, layout, access, places)
        : new NodeRequest.Gather(id, layout, access, places);
  }

  /** Waits for all of a part; what was read is then where it belongs. */
  private void finish(boolean write, Part part, MemorySegment memory) throws IOException {
    IOException failure = null;
    for (Pending one : part.pending) {
      try {
        one.await(carrier.deadline());
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      abandon(part);
      throw failure;
    }
    if (part.staged != null) {
      if (!write) {
        PlacedCopy.unpack(part.staged, memory, part.places, part.access.size());
      }
      carrier.staging().give(part.staged);
    }
  }

  /** Gives the memory back to its owner; what nodes may still touch is not used again. */
  private void abandon(Part part) {
    boolean answered = true;
    for (Pending one : part.pending) {
      answered &= one.isAnswered();
      one.abandon();
    }
    if (part.staged != null && answered) {
      carrier.staging().give(part.staged);
    }
  }
}
