package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.env.ThreadKind;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply.Kept;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.StrandId;

/**
 * Blocks of a strand that its node keeps for writes that follow each other, window after window.
 * The next window is asked for when writes reach the one before it, with the request that gives
 * back the last one, and is larger than that up to a limit.
 *
 * <pre>
 *   writer   ask 1 ... | ask 2, write into 1 | give back 1 and ask 3, write into 2 | ...
 *   node     keep 1    | keep 2              | end 1, keep 3                       | ...
 * </pre>
 *
 * <p>Used by one thread at a time.
 */
final class KeptAhead {

  /** A window that was asked for. */
  private record Asked(KeptWindow.Wanted wanted, Pending reply) {}

  // constant after construction
  private final TransferContext carrier;
  private final Link link;
  private final MappedSlabs slabs;
  private final StrandId strand;
  private final int blockBytes;

  private @Nullable KeptWindow current;
  private @Nullable Asked asked;
  private int count;
  private boolean paid;

  KeptAhead(
      TransferContext carrier, Link link, MappedSlabs slabs, StrandId strand, int blockBytes) {
    this.carrier = carrier;
    this.link = link;
    this.slabs = slabs;
    this.strand = strand;
    this.blockBytes = blockBytes;
    this.count = KeptWindow.blocks(blockBytes);
  }

  /** Asks for the blocks from an offset of the strand on, without waiting. */
  void ask(long offset) {
    ask(offset, Pinned.NONE);
  }

  private void ask(long offset, long returned) {
    var wanted = new KeptWindow.Wanted(link, slabs, strand, blockBytes, offset / blockBytes, count);
    asked = new Asked(wanted, wanted.ask(returned));
  }

  /** Whether writes have filled what was kept. */
  boolean hasPaid() {
    return paid;
  }

  /** Writes bytes of the strand; returns how many from their beginning were kept, and count. */
  long write(long offset, MemorySegment source, long at, long length) throws IOException {
    for (long done = 0; done < length; ) {
      KeptWindow there = window(offset + done);
      long part = there == null ? 0 : Math.min(length - done, there.to() - offset - done);
      if (there == null || !there.write(carrier.env(), offset + done, source, at + done, part)) {
        return done;
      }
      done += part;
    }
    return length;
  }

  /** What is kept at an offset of the strand. Waits if it was asked for just now. */
  private @Nullable KeptWindow window(long offset) throws IOException {
    KeptWindow now = current;
    if (now != null && now.covers(offset, offset + 1)) {
      return now;
    }
    KeptWindow next = receive();
    if (next == null || !next.covers(offset, offset + 1)) {
      if (next != null) {
        next.giveBack();
      }
      return null;
    }
    if (now != null) {
      paid = true;
      count = Math.min(2 * count, KeptWindow.maxBlocks(blockBytes)); // fewer requests
    }
    current = next;
    ask(next.to(), now == null ? Pinned.NONE : now.pin());
    return next;
  }

  /** What was asked for; null if it is not kept. */
  private @Nullable KeptWindow receive() throws IOException {
    Asked one = asked;
    asked = null;
    if (one == null) {
      return null;
    }
    long deadline = carrier.deadline();
    try {
      Kept kept = (Kept) one.reply.await(deadline);
      return kept.pin() <= Pinned.NONE ? null : KeptWindow.map(one.wanted, kept, deadline);
    } catch (DeadlineException e) {
      throw e;
    } catch (MillraceException e) {
      return null; // what is written another way fails with it
    }
  }

  /** Gives back all that is kept, without waiting. */
  void giveBack() {
    KeptWindow now = current;
    if (now != null) {
      now.giveBack();
    }
    current = null;
    Asked one = asked;
    asked = null;
    if (one != null && one.reply.isDone()) {
      giveBack(one);
    } else if (one != null) {
      carrier.env().start(ThreadKind.SERVICE, "gives back what is kept", () -> giveBack(one));
    }
  }

  private void giveBack(Asked one) {
    try {
      Kept kept = (Kept) one.reply.await(carrier.deadline());
      if (kept.pin() > Pinned.NONE) {
        one.wanted.giveBack(kept.pin());
      }
    } catch (IOException e) {
      one.reply.abandon(); // the node takes back what nobody uses
    }
  }
}
