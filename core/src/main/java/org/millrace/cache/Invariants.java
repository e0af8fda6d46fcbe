package org.millrace.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Checks that what {@link BlockCache} promises about its frames holds. Called with the lock held.
 */
final class Invariants {

  private Invariants() {}

  static void check(Books books) {
    int frames = 0;
    int dirty = 0;
    long dirtyBytes = 0;
    long pinned = 0;
    for (Frame frame = books.lru.oldest(); frame != null; frame = books.lru.newerThan(frame)) {
      check(books, frame);
      frames++;
      dirty += frame.isDirty() ? 1 : 0;
      pinned += frame.pins > 0 ? frame.bytes : 0;
      dirtyBytes += frame.isDirty() ? frame.bytes : 0;
    }
    Books.check(pinned <= books.pinnedHeld, pinned + " bytes pinned, held: " + books.pinnedHeld);
    Books.check(frames == books.lru.size(), "list by use: " + frames);
    Books.check(frames == books.table.size(), frames + " in use, table: " + books.table.size());
    Books.check(dirty == books.dirty.size(), dirty + " dirty, chain: " + books.dirty.size());
    Books.check(dirtyBytes == books.dirtyHeld(), dirtyBytes + " bytes dirty: " + books.dirtyHeld());
    books.slabs.checkInvariants(frames + books.quarantined);
    int ofStrands = 0;
    int dirtyOfStrands = 0;
    for (Strand strand : books.strands) {
      ofStrands += strand.frames.size();
      dirtyOfStrands += strand.dirty.size();
      Books.check(strand.loads >= 0 && strand.writes >= 0, strand.name() + " counts store calls");
      Books.check(strand.writesHeld || !strand.loadsHeld, strand.name() + " holds only loads");
    }
    Books.check(ofStrands == frames, frames + " in use, of strands: " + ofStrands);
    Books.check(dirtyOfStrands == dirty, dirty + " dirty, of strands: " + dirtyOfStrands);
  }

  private static void check(Books books, Frame frame) {
    Strand strand = frame.strand;
    if (strand == null) {
      throw new IllegalStateException("free frame in the list by use");
    }
    Books.check(frame.bytes == strand.blockBytes(), frame + " has " + frame.bytes + " bytes");
    Books.check(books.table.find(strand, frame.block) == frame, frame + " is not in the table");
    Books.check(
        0 <= frame.validFrom
            && frame.validFrom <= frame.validTo
            && frame.validTo <= strand.blockBytes(),
        frame + " valid " + frame.validFrom + ".." + frame.validTo);
    Books.check(
        !frame.isDirty()
            || (frame.dirtyFrom < frame.dirtyTo && frame.covers(frame.dirtyFrom, frame.dirtyTo)),
        frame + " dirty " + frame.dirtyFrom + ".." + frame.dirtyTo);
    Books.check(
        frame.readers >= 0 && frame.claims >= 0 && frame.writersWaiting >= 0, frame + " counts");
    Books.check(!frame.exclusive || frame.readers == 0, frame + " pinned both ways");
    Books.check(!frame.exclusive || frame.load == null, frame + " loaded while written");
    Books.check(frame.load == null || strand.loads > 0, frame + " loads, its strand does not");
    Books.check(frame.run == null || strand.writes > 0, frame + " writes, its strand does not");
    Books.check(!frame.quarantined, frame + " is in quarantine");
    Books.check(frame.pins >= frame.writePins && frame.writePins >= 0, frame + " counts pins");
    Books.check(frame.pins == 0 || frame.blind || frame.isFull(), frame + " pinned, not whole");
    Books.check(!frame.blind || (frame.exclusive && frame.isEmpty()), frame + " blind, not empty");
    if (!frame.exclusive && frame.writePins == 0 && strand.open) {
      checkZeroBeyondEnd(frame, strand);
    }
  }

  private static void checkZeroBeyondEnd(Frame frame, Strand strand) {
    long end = strand.end - (frame.block << strand.shift);
    for (long i = Math.max(end, frame.validFrom); i < frame.validTo; i++) {
      MemorySegment memory = frame.memory;
      Books.check(
          memory.get(ValueLayout.JAVA_BYTE, i) == 0, frame + " not zero at " + i + ", end " + end);
    }
  }
}
