package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.PinnedBlocks.ReturnedPin;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.protocol.StrandId;

/**
 * A range of a file whose blocks are pinned at all nodes that hold some of it: this side uses its
 * bytes where they lie. {@link PinnedMove} copies between pinned blocks and other memory instead.
 *
 * <pre>
 *   asked ---- pieces ----&gt; pinned ---- commit ----&gt; committed ---- isAccepted ----&gt; over
 *     |                       |                                                   ^
 *     '------ release --------'---------------------------------------------------'
 * </pre>
 *
 * <p>A node pins without waiting for other holders, or says that it has no room. If one node has
 * none, the range is not pinned at all. Pins that are held for too long are taken away; then what
 * was written is not accepted.
 *
 * <p>Used by one thread at a time. Must be released, or committed.
 */
public final class RangePins {

  /**
   * Bytes of the range that lie one behind the other.
   *
   * @param at the first one's place in the range
   * @param bytes how many
   * @param memory where; null if they are zero and lie nowhere
   */
  public record Piece(long at, long bytes, @Nullable MemorySegment memory) {}

  /** What one node holds of it. */
  private static final class Part {
    final PinTarget target;
    final PinWindow window;
    final List<WantedBlocks> wanted;
    @Nullable Pending reply;
    long pin = Pinned.NONE;

    Part(PinTarget target, PinWindow window, boolean write) {
      this.target = target;
      this.window = window;
      this.wanted = window.wanted(write);
    }
  }

  // constant after construction
  private final LongSupplier deadlines;
  private final boolean write;
  private final List<Part> parts;

  private RangePins(LongSupplier deadlines, boolean write, List<Part> parts) {
    this.deadlines = deadlines;
    this.write = write;
    this.parts = parts;
    for (Part part : parts) {
      part.reply = part.target.ask(write, part.wanted, List.of());
    }
  }

  /** Asks for a range. Empty, and nobody is asked, if some of it cannot be reached or is short. */
  static Optional<RangePins> ask(
      TransferContext carrier, Layout layout, StrandLinks links, long file, Range range) {
    int[] order =
        StrandOrder.of(layout.touches(View.WHOLE, range.from, range.to), carrier.participant());
    List<PinTarget> targets = new ArrayList<>();
    for (int s : order) {
      Link link = links.get(s);
      MappedSlabs slabs = link.reached();
      if (slabs == null
          || !slabs.isUseful()
          || (range.to - range.from) / order.length < slabs.minBytes()) {
        return Optional.empty();
      }
      targets.add(new PinTarget(carrier.env(), link, slabs, new StrandId(file, s), layout));
    }
    return ask(carrier::deadline, targets, range);
  }

  /** Asks for a range of these strands; empty if it has too many pieces for one request. */
  static Optional<RangePins> ask(LongSupplier deadlines, List<PinTarget> targets, Range range) {
    Access access = new Access(View.WHOLE, range.from, range.to);
    List<Part> parts = new ArrayList<>();
    for (PinTarget target : targets) {
      Layout layout = target.layout();
      int s = target.strand().strand();
      PinWindows windows = PinWindows.of(target, access, Places.packed(access.size()));
      long held = layout.strandSize(s, range.to) - layout.strandSize(s, range.from);
      PinWindow window = windows.next(held + 2L * layout.blockBytes()); // cuts at both ends
      if (window == null || windows.next(layout.blockBytes()) != null) {
        return Optional.empty();
      }
      parts.add(new Part(target, window, range.write));
    }
    return Optional.of(new RangePins(deadlines, range.write, parts));
  }

  /** The bytes from one to before another of a file, and what for. */
  record Range(boolean write, long from, long to) {}

  /**
   * Waits for the nodes. All bytes of the range, in its order; none if some node had no room: then
   * nothing is pinned.
   */
  public List<Piece> pieces() throws IOException {
    List<Piece> pieces = new ArrayList<>();
    boolean all = true;
    try {
      for (Part part : parts) {
        all &= add(part, pieces);
      }
    } catch (IOException e) {
      release();
      throw e;
    }
    if (!all) {
      release();
      return List.of();
    }
    pieces.sort(Comparator.comparingLong(Piece::at));
    return pieces;
  }

  private boolean add(Part part, List<Piece> pieces) throws IOException {
    Pending reply = part.reply;
    if (reply == null) {
      throw new IllegalStateException("was asked for before");
    }
    Pinned pinned = (Pinned) reply.await(deadlines.getAsLong());
    part.reply = null;
    part.pin = pinned.pin();
    PinnedExtents there =
        part.pin <= Pinned.NONE
            ? null
            : part.target.map(write, part.wanted, pinned.places(), deadlines.getAsLong());
    if (there == null) {
      if (part.pin != Pinned.NONE) {
        part.target.slabs().giveUp(); // never lends, or cannot be mapped
      }
      return false;
    }
    part.window.forEachRun(
        there, (place, bytes, memory) -> pieces.add(new Piece(place, bytes, memory)));
    return true;
  }

  /** All bytes have been written, and are not touched any more. Does not wait. */
  public void commit() {
    for (Part part : parts) {
      var written = new ReturnedPin(part.pin, true, part.window.end());
      part.reply = part.target.ask(write, List.of(), List.of(written));
    }
  }

  /**
   * After {@link #commit}: waits until all nodes have what was written. False if one had taken its
   * blocks away meanwhile: then the range has to be written again.
   */
  public boolean isAccepted() throws IOException {
    List<Pending> replies = new ArrayList<>();
    for (Part part : parts) {
      Pending reply = part.reply;
      if (reply == null) {
        throw new IllegalStateException("was not committed");
      }
      replies.add(reply);
      part.reply = null;
      part.pin = Pinned.NONE;
    }
    AwaitAll.all(replies, deadlines);
    boolean accepted = true;
    for (Pending reply : replies) {
      accepted &= ((Pinned) reply.await(deadlines.getAsLong())).refused().isEmpty();
    }
    return accepted;
  }

  /** Gives back what is pinned, or will be, as if nothing had been written. Does not wait. */
  public void release() {
    for (Part part : parts) {
      Pending reply = part.reply;
      part.reply = null;
      if (reply != null) {
        part.target.giveBackLater(write, List.of(reply));
      } else if (part.pin > Pinned.NONE) {
        part.target.ask(write, List.of(), List.of(new ReturnedPin(part.pin, false, 0)));
      }
      part.pin = Pinned.NONE;
    }
  }
}
