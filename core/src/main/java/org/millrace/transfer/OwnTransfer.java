package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.access.copy.PlacedVector;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.plan.collective.SieveWindow;
import org.millrace.transfer.MemorySlices.Share;

/**
 * The strategies in which each rank transfers its own bytes: direct, run by run, and sieved, as
 * lists that the owners of the blocks apply. Reads must end before the end of the file.
 *
 * <p>Safe for use by several threads; holds no state.
 */
public final class OwnTransfer {

  /** Lists that want at least one byte in so many let the disks read all between them. */
  private static final long DENSE = 8;

  /** Lists of one rank that are under way at the same time. */
  private static final int LISTS = 4;

  private final Strands strands;

  /** Of a file. */
  public OwnTransfer(Strands strands) {
    this.strands = strands;
  }

  /** Moves stretches of an access, which are positions of its view: one request for each run. */
  public void direct(boolean write, Access access, List<Extent> stretches, MemorySlices memory)
      throws IOException {
    for (Extent one : stretches) {
      for (Share share : memory.of(access.view(), access.from(), one.offset(), one.end())) {
        direct(write, share.access(), share.payload());
      }
    }
  }

  /**
   * As {@link #direct(boolean, Access, List, MemorySlices)}, a whole access, between the file and
   * one payload.
   */
  public void direct(boolean write, Access access, Payload payload) throws IOException {
    MemorySegment memory = payload.memory();
    if (access.view().isContiguous() && payload.isPacked()) {
      long offset = access.view().offsetOf(access.from());
      move(write, offset, memory, payload.places().start(), access.size());
      return;
    }
    Runs runs = access.view().runs(access.from(), access.to());
    PlacedVector placed = PlacedVector.of(runs, access.from(), payload.places());
    while (placed.next()) {
      for (long i = 0; i < placed.count(); i++) {
        long offset = placed.offset() + i * placed.stride();
        long place = placed.place() + i * placed.placeStride();
        move(write, offset, memory, place, placed.length());
      }
    }
  }

  private void move(boolean write, long offset, MemorySegment memory, long place, long length)
      throws IOException {
    if (write) {
      strands.write(offset, memory, place, length);
      return;
    }
    long got = strands.read(offset, memory, place, length);
    if (got < length) { // if the file is truncated meanwhile
      memory.asSlice(place + got, length - got).fill((byte) 0);
    }
  }

  /** As below, a whole access. */
  public void sieved(boolean write, Access access, MemorySlices memory, long sieveBytes)
      throws IOException {
    sieved(write, access, List.of(Extent.between(access.from(), access.to())), memory, sieveBytes);
  }

  /**
   * Moves stretches of an access by lists, each of which covers {@code sieveBytes} of blocks
   * ({@link SieveWindow}), a few of them at a time; by one where blocks are pinned, which is done
   * in windows anyhow. Bytes that are written twice are written in order: one list after the other.
   *
   * @param stretches positions of its view
   */
  public void sieved(
      boolean write, Access access, List<Extent> stretches, MemorySlices memory, long sieveBytes)
      throws IOException {
    View view = access.view();
    boolean whole = view.isContiguous() || !view.isAscending() || strands.isMapped();
    int max = write && !view.isDisjoint() ? 1 : LISTS;
    ArrayDeque<List<Pending>> lists = new ArrayDeque<>();
    ArrayDeque<Extent> left = new ArrayDeque<>(stretches);
    IOException failure = null;
    while ((failure == null && !left.isEmpty()) || !lists.isEmpty()) {
      if (failure == null && !left.isEmpty() && lists.size() < max) {
        Extent next = left.remove();
        long from = next.offset();
        Access rest = new Access(view, from, next.end());
        long to =
            whole
                ? next.end()
                : SieveWindow.end(rest, from, sieveBytes, strands.layout().blockBytes());
        lists.add(start(write, access, from, to, memory, max == 1));
        if (to < next.end()) {
          left.addFirst(Extent.between(to, next.end()));
        }
      } else {
        failure = ended(lists.remove(), failure);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Waits for a list, whatever came of earlier ones: its memory is in use. */
  private @Nullable IOException ended(List<Pending> list, @Nullable IOException before) {
    try {
      strands.await(list);
      return before;
    } catch (IOException e) {
      if (before == null) {
        return e;
      }
      before.addSuppressed(e);
      return before;
    }
  }

  /** Begins to move positions {@code [from, to)}, from or to whatever parts hold them. */
  private List<Pending> start(
      boolean write, Access access, long from, long to, MemorySlices memory, boolean inOrder)
      throws IOException {
    boolean dense = !write && access.view().span(from, to).length() / DENSE <= to - from;
    List<Pending> begun = new ArrayList<>();
    for (Share share : memory.of(access.view(), access.from(), from, to)) {
      if (inOrder) {
        strands.move(write, share.access(), share.payload());
      } else {
        begun.addAll(strands.start(write, share.access(), share.payload(), dense));
      }
    }
    return begun;
  }
}
