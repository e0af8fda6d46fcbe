package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Checks the invariants that {@link BlockCache} states about its frames. Called with the lock held.
 */
final class Invariants {

  private Invariants() {}

  static void check(CacheState state) {
    int frames = 0;
    int dirty = 0;
    long dirtyBytes = 0;
    long pinned = 0;
    for (Frame frame = state.lru.oldest(); frame != null; frame = state.lru.newerThan(frame)) {
      check(state, frame);
      frames++;
      dirty += frame.isDirty() ? 1 : 0;
      pinned += frame.pins > 0 ? frame.bytes : 0;
      dirtyBytes += frame.isDirty() ? frame.bytes : 0;
    }
    CacheState.check(
        pinned <= state.pinnedHeld, pinned + " bytes pinned, held: " + state.pinnedHeld);
    CacheState.check(frames == state.lru.size(), "list by use: " + frames);
    CacheState.check(
        frames == state.table.size(), frames + " in use, table: " + state.table.size());
    CacheState.check(dirty == state.dirty.size(), dirty + " dirty, chain: " + state.dirty.size());
    CacheState.check(
        dirtyBytes == state.dirtyHeld(), dirtyBytes + " bytes dirty: " + state.dirtyHeld());
    state.slabs.checkInvariants(frames + state.quarantined);
    int ofStrands = 0;
    int dirtyOfStrands = 0;
    for (Strand strand : state.strands) {
      ofStrands += strand.frames.size();
      dirtyOfStrands += strand.dirty.size();
      CacheState.check(
          strand.loads >= 0 && strand.writes >= 0, strand.name() + " counts store calls");
      CacheState.check(strand.writesHeld || !strand.loadsHeld, strand.name() + " holds only loads");
    }
    CacheState.check(ofStrands == frames, frames + " in use, of strands: " + ofStrands);
    CacheState.check(dirtyOfStrands == dirty, dirty + " dirty, of strands: " + dirtyOfStrands);
  }

  private static void check(CacheState state, Frame frame) {
    Strand strand = frame.strand;
    if (strand == null) {
      throw new IllegalStateException("free frame in the list by use");
    }
    CacheState.check(frame.bytes == strand.blockBytes(), frame + " has " + frame.bytes + " bytes");
    CacheState.check(
        state.table.find(strand, frame.block) == frame, frame + " is not in the table");
    CacheState.check(
        0 <= frame.validFrom
            && frame.validFrom <= frame.validTo
            && frame.validTo <= strand.blockBytes(),
        frame + " valid " + frame.validFrom + ".." + frame.validTo);
    CacheState.check(
        !frame.isDirty()
            || (frame.dirtyFrom < frame.dirtyTo && frame.covers(frame.dirtyFrom, frame.dirtyTo)),
        frame + " dirty " + frame.dirtyFrom + ".." + frame.dirtyTo);
    CacheState.check(
        frame.readers >= 0 && frame.claims >= 0 && frame.writersWaiting >= 0, frame + " counts");
    CacheState.check(!frame.exclusive || frame.readers == 0, frame + " pinned both ways");
    CacheState.check(!frame.exclusive || frame.load == null, frame + " loaded while written");
    CacheState.check(frame.load == null || strand.loads > 0, frame + " loads, its strand does not");
    CacheState.check(
        frame.run == null || strand.writes > 0, frame + " writes, its strand does not");
    CacheState.check(!frame.quarantined, frame + " is in quarantine");
    CacheState.check(frame.pins >= frame.writePins && frame.writePins >= 0, frame + " counts pins");
    CacheState.check(
        frame.pins == 0 || frame.blind || frame.isFull(), frame + " pinned, not whole");
    CacheState.check(
        !frame.blind || (frame.exclusive && frame.isEmpty()), frame + " blind, not empty");
    if (!frame.exclusive && frame.writePins == 0 && strand.open) {
      checkZeroBeyondEnd(frame, strand);
    }
  }

  private static void checkZeroBeyondEnd(Frame frame, Strand strand) {
    long end = strand.end - (frame.block << strand.shift);
    for (long i = Math.max(end, frame.validFrom); i < frame.validTo; i++) {
      MemorySegment memory = frame.memory;
      CacheState.check(
          memory.get(ValueLayout.JAVA_BYTE, i) == 0, frame + " not zero at " + i + ", end " + end);
    }
  }
}
