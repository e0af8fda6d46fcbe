package org.millrace.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pins blocks for other processes and gets them back, also from holders that die or stall.
 *
 * <p>How it works: all blocks of a pin are pinned in one breath, without waiting, after they have
 * been brought here one by one; so nobody waits while it holds something. Many may pin one block,
 * readers and writers: writers of different bytes do not meet, and those of the same bytes must
 * have agreed before. What is pinned for writing is whole, so that bytes that are not written stay
 * as they were; only a block that one writer overwrites wholly, and that is not here, is lent as it
 * is, "blind", and then nobody else uses it.
 *
 * <p>Write-back does not wait for writers. It copies a frame before it makes the checksum, and the
 * writer's end makes the frame dirty again, so that what was copied half is written once more.
 * Beyond the strand's end it writes zeros, whatever is there.
 *
 * <p>A frame that a stalled holder may still touch is put in quarantine: its block goes on in
 * another frame, which has the same bytes, if it is dirty or was pinned for writing. All holders of
 * the frame are left with the old memory; so what any of them writes is refused. At most a quarter
 * of the cache is pinned or in quarantine.
 *
 * <p>A pin can be kept from write to write ({@link CachedStrand#keep}): its holder notes each write
 * in shared memory, where it counts at once, and calls of this process look there before they look
 * at the strand's end or its dirty blocks. Closing the notes ends it at once, without quarantine,
 * unless the holder is in the middle of a write.
 *
 * <p>A block that is pinned for reading is published: processes that know where it is may read it
 * there without a pin, and find out afterwards whether it was withdrawn meanwhile. A frame is
 * withdrawn before it is used for anything else ({@link CacheState#forget}, {@link
 * Slabs#exchange}).
 *
 * <p>Owned by the cache's lock; methods that wait or let go of it say so.
 */
final class Pins {

  /** The part of the cache that can be pinned or in quarantine. */
  private static final int SHARE = 4;

  /** How often it is tried to find all blocks here at once. */
  private static final int TRIES = 8;

  private final CacheState state;
  private final Evictor evictor;
  private final BlockAccess access;
  private final WriteBack writeBack;

  /** All that are not over, in the order in which they were made. */
  private final Set<Pin> all = new LinkedHashSet<>();

  Pins(CacheState state, Evictor evictor, BlockAccess access, WriteBack writeBack) {
    this.state = state;
    this.evictor = evictor;
    this.access = access;
    this.writeBack = writeBack;
  }

  /**
   * Pins blocks. Null if too much is pinned, or the cache is too busy to have all of them here at
   * once. Waits.
   */
  @Nullable Pin take(
      Strand strand,
      List<Pin.Blocks> wanted,
      boolean write,
      @Nullable WriteNotes notes,
      long deadlineNanos)
      throws IOException {
    for (int i = 0; i < TRIES; i++) {
      strand.checkOpen();
      if (isTooMuch(strand, wanted)) {
        return null;
      }
      @Nullable Frame[] frames = new @Nullable Frame[count(wanted)];
      switch (find(strand, wanted, write, frames)) {
        case ALL -> {
          return take(strand, wanted, write, notes, frames);
        }
        case TOO_MANY -> {
          return null;
        }
        case SOME -> bring(strand, wanted, write, deadlineNanos);
      }
    }
    return null;
  }

  /** What was found of blocks that are wanted. */
  private enum Found {
    ALL,
    SOME,
    TOO_MANY
  }

  private static int count(List<Pin.Blocks> wanted) {
    return wanted.stream().mapToInt(Pin.Blocks::count).sum();
  }

  /** Whether it is nothing, or more than may ever be pinned: its number may not be an int. */
  private boolean isTooMuch(Strand strand, List<Pin.Blocks> wanted) {
    long count = wanted.stream().mapToLong(Pin.Blocks::count).sum();
    return count == 0 || count > state.slabs.limitBytes() / SHARE >>> strand.shift;
  }

  /** How many blocks of the strand could be pinned beside those that are. */
  private long pinnableBlocks(Strand strand) {
    return Math.max(0, state.slabs.limitBytes() / SHARE - state.pinnedHeld) >>> strand.shift;
  }

  /** Whether {@link #take} would not have to wait. */
  boolean isReady(Strand strand, List<Pin.Blocks> wanted, boolean write) {
    return strand.open
        && (isTooMuch(strand, wanted)
            || find(strand, wanted, write, new @Nullable Frame[count(wanted)]) != Found.SOME);
  }

  /**
   * Whether blocks would have to be loaded, apart from the one in which the strand ends. Small
   * writes that follow each other may well overwrite them, and a put needs no load for that.
   */
  boolean wouldLoad(Strand strand, Pin.Blocks blocks) {
    long last = (strand.end - 1) >>> strand.shift;
    long to = Math.min(blocks.first() + blocks.count(), strand.storedBlocks);
    for (long block = blocks.first(); block < to; block++) {
      Frame frame = state.find(strand, block);
      if (block != last && (frame == null || !frame.isFull())) {
        return true;
      }
    }
    return false;
  }

  private Pin take(
      Strand strand,
      List<Pin.Blocks> wanted,
      boolean write,
      @Nullable WriteNotes notes,
      @Nullable Frame[] frames) {
    int at = 0;
    for (Pin.Blocks run : wanted) {
      for (int i = 0; i < run.count(); i++, at++) {
        Frame frame = frames[at];
        if (frame == null && write) {
          frame = state.take(strand, run.first() + i);
          frame.exclusive = true;
          frame.blind = true;
          frames[at] = frame;
        }
        if (frame != null) {
          count(frame, write);
        }
      }
    }
    Pin pin = new Pin(state, this, strand, write, notes, wanted, frames);
    all.add(pin);
    if (notes != null) {
      strand.kept.add(pin);
    }
    return pin;
  }

  private void count(Frame frame, boolean write) {
    if (frame.pins++ == 0) {
      state.pinnedHeld += frame.bytes;
    }
    if (!write) {
      frame.slab.publish(frame.index); // it is whole: its holder may read it again without a pin
    }
    frame.writePins += write ? 1 : 0;
    state.lru.touch(frame);
    state.counters.hits++;
  }

  /** Finds the frames of all blocks that can be pinned now. */
  private Found find(
      Strand strand, List<Pin.Blocks> wanted, boolean write, @Nullable Frame[] into) {
    long room = pinnableBlocks(strand);
    boolean all = !strand.loadsHeld;
    int blind = 0;
    int fresh = 0;
    int at = 0;
    for (Pin.Blocks run : wanted) {
      for (int i = 0; i < run.count(); i++, at++) {
        long block = run.first() + i;
        Frame frame = state.find(strand, block);
        into[at] = frame;
        if (frame == null) {
          boolean hole = !write && isHole(strand, block);
          fresh += hole ? 0 : 1;
          blind += write && run.whole() ? 1 : 0;
          all &= hole || (write && run.whole());
        } else {
          fresh += frame.pins == 0 ? 1 : 0;
          all &= !frame.exclusive && frame.isFull() && frame.load == null && !frame.prefetched;
        }
      }
    }
    if (fresh > room) {
      return Found.TOO_MANY;
    }
    return all && blind <= state.slabs.free(strand) ? Found.ALL : Found.SOME;
  }

  private static boolean isHole(Strand strand, long block) {
    return block >= strand.storedBlocks || block << strand.shift >= strand.end;
  }

  /** Brings here what is missing, one after the other. Waits. */
  private void bring(Strand strand, List<Pin.Blocks> wanted, boolean write, long deadlineNanos)
      throws IOException {
    while (strand.loadsHeld) {
      state.await(strand.changed, deadlineNanos, strand, 0, "turn");
    }
    long blind = 0;
    for (Pin.Blocks run : wanted) {
      long last = run.first() + run.count() - 1;
      for (long block = run.first(); block <= last; block++) {
        Frame frame = state.find(strand, block);
        if (frame == null && write && run.whole()) {
          blind++;
        } else if (write) {
          int bytes = strand.blockBytes();
          Frame there = access.writing(strand, block, 0, bytes, true, false, last, deadlineNanos);
          there.prefetched = false;
        } else if (frame != null || !isHole(strand, block)) {
          access.reading(strand, block, 0, strand.blockBytes(), false, last, deadlineNanos);
        }
      }
    }
    while (state.slabs.free(strand) < blind) {
      if (evictor.tryMake(strand, (int) blind) < blind) {
        evictor.makeAnother(strand, 0, deadlineNanos);
        strand.checkOpen();
      }
    }
  }

  /** Ends a pin; its holder no longer accesses the blocks. */
  void end(Pin pin, boolean written, long writtenTo) {
    Strand strand = pin.strand;
    all.remove(pin);
    if (written) {
      state.modified(strand);
    }
    if (written && writtenTo > strand.end) {
      strand.end = writtenTo;
      strand.changes++;
    }
    for (Frame frame : pin.frames) {
      if (frame != null) {
        end(frame, pin, written);
      }
    }
    if (pin.write && state.isTooDirty()) {
      writeBack.behind();
    }
  }

  private void end(Frame frame, Pin pin, boolean written) {
    Strand strand = pin.strand;
    frame.pins--;
    frame.writePins -= pin.write ? 1 : 0;
    if (frame.pins == 0) {
      state.pinnedHeld -= frame.bytes;
    }
    if (frame.quarantined) {
      if (frame.pins == 0) {
        frame.quarantined = false;
        state.quarantined--;
        state.slabs.giveBack(frame);
        state.spaceFreed.signalAll();
      }
      return;
    }
    if (frame.blind) {
      frame.blind = false;
      frame.exclusive = false;
      if (written) {
        frame.growValid(0, frame.bytes);
        state.markDirty(frame, strand, 0, frame.bytes);
      } else {
        frame.changed.signalAll();
        state.drop(frame, strand); // the store has what was there before
        return;
      }
    } else if (pin.write) {
      endWriting(frame, strand, pin.isAnythingWritten());
    }
    state.wake(frame);
  }

  /** Nobody knows which bytes were written, or they all were; or that was noted before. */
  private void endWriting(Frame frame, Strand strand, boolean anything) {
    if (anything && strand.end > frame.block << strand.shift) {
      state.modified(strand);
      state.markDirty(frame, strand, 0, frame.bytes);
    }
    state.clearBeyondEnd(frame, strand);
  }

  /** Takes all frames away from a holder that stalls. Waits. */
  void takeAway(Pin pin, long deadlineNanos) throws IOException {
    for (int i = 0; i < pin.frames.length; ) {
      Frame frame = pin.frames[i];
      if (frame == null || frame.quarantined || !all.contains(pin)) {
        i++;
      } else if (!frame.blind && isInUse(frame)) {
        state.await(frame.changed, deadlineNanos, pin.strand, frame.block, "end of use");
      } else if (frame.blind || (!frame.isDirty() && frame.writePins == 0)) {
        frame.blind = false;
        frame.exclusive = false;
        state.forget(frame, pin.strand);
        quarantine(frame);
        frame.changed.signalAll();
      } else if (!evictor.isFree(pin.strand, 1)) {
        evictor.makeAnother(pin.strand, frame.block, deadlineNanos);
      } else {
        giveOther(frame, pin.strand);
      }
    }
  }

  /** Whether threads of this process are just using it. */
  private static boolean isInUse(Frame frame) {
    return frame.exclusive
        || frame.readers > 0
        || frame.claims > 0
        || frame.load != null
        || frame.run != null;
  }

  /** Goes on with a block in other memory; processes that have pinned it stay with the old one. */
  private void giveOther(Frame frame, Strand strand) {
    for (Pin holder : List.copyOf(strand.kept)) {
      if (holder.holds(frame)) {
        boolean _ = holder.tryRecall(); // before the copy: what counts is in it
      }
    }
    boolean written = frame.writePins > 0;
    Frame old = state.slabs.exchange(frame);
    for (Pin holder : List.copyOf(all)) {
      for (int i = 0; i < holder.frames.length; i++) {
        if (holder.frames[i] == frame) {
          holder.frames[i] = old;
          holder.refused |= holder.write;
        }
      }
    }
    old.pins = frame.pins;
    old.writePins = frame.writePins;
    frame.pins = 0;
    frame.writePins = 0;
    quarantine(old);
    if (written) {
      endWriting(frame, strand, true);
    }
    state.wake(frame);
  }

  /** The frame no longer holds a block, but is not free until its holders are done with it. */
  private void quarantine(Frame frame) {
    frame.quarantined = true;
    state.quarantined++;
    for (Pin holder : all) {
      for (Frame one : holder.frames) {
        holder.refused |= one == frame && holder.write;
      }
    }
    state.spaceFreed.signalAll();
  }

  /** Throws if pins and frames do not agree. For tests. */
  void checkInvariants() {
    List<Frame> pinned = new ArrayList<>();
    for (Pin pin : all) {
      for (Frame frame : pin.frames) {
        if (frame != null) {
          pinned.add(frame);
        }
      }
    }
    long bytes = 0;
    int quarantined = 0;
    for (Frame frame : new LinkedHashSet<>(pinned)) {
      long count = pinned.stream().filter(one -> one == frame).count();
      CacheState.check(count == frame.pins, frame + " has " + frame.pins + " pins, not " + count);
      CacheState.check(frame.quarantined == (frame.strand == null), frame + " pinned, and free");
      bytes += frame.bytes;
      quarantined += frame.quarantined ? 1 : 0;
    }
    CacheState.check(bytes == state.pinnedHeld, bytes + " bytes pinned, held: " + state.pinnedHeld);
    CacheState.check(quarantined == state.quarantined, quarantined + " in quarantine");
  }
}
