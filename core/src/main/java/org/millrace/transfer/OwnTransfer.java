package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.PlacedComb;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.message.Payload;
import org.millrace.plan.SieveWindow;
import org.millrace.transfer.Shares.Share;

/**
 * The strategies in which a rank moves its own bytes by itself: direct, run by run, and sieved, as
 * lists that the owners of the blocks apply. What is read must lie before the end of the file.
 *
 * <p>Safe for use by several threads; holds no state.
 */
public final class OwnTransfer {

  /** Lists that want at least one byte in so many let the disks read all between them. */
  private static final long DENSE = 8;

  private final Strands strands;

  /** Of a file. */
  public OwnTransfer(Strands strands) {
    this.strands = strands;
  }

  /** Moves run by run: one request for each. */
  public void direct(boolean write, Access access, Shares memory) throws IOException {
    for (Share share : memory.of(access)) {
      direct(write, share.access(), share.payload());
    }
  }

  /** As {@link #direct(boolean, Access, Shares)}, between the file and one payload. */
  public void direct(boolean write, Access access, Payload payload) throws IOException {
    MemorySegment memory = payload.memory();
    if (access.view().isContiguous() && payload.isPacked()) {
      long offset = access.view().offsetOf(access.from());
      move(write, offset, memory, payload.places().start(), access.size());
      return;
    }
    Runs runs = access.view().runs(access.from(), access.to());
    PlacedComb placed = PlacedComb.of(runs, access.from(), payload.places());
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
    if (got < length) { // if somebody cuts the file meanwhile
      memory.asSlice(place + got, length - got).fill((byte) 0);
    }
  }

  /**
   * Moves by lists, each of which covers {@code sieveBytes} of blocks ({@link SieveWindow}); by one
   * where blocks are pinned, which is done in windows anyhow.
   */
  public void sieved(boolean write, Access access, Shares memory, long sieveBytes)
      throws IOException {
    View view = access.view();
    boolean whole = view.isContiguous() || !view.isAscending() || strands.isMapped();
    long from = access.from();
    while (from < access.to()) {
      long to =
          whole
              ? access.to()
              : SieveWindow.end(access, from, sieveBytes, strands.layout().blockBytes());
      list(write, access, from, to, memory);
      from = to;
    }
  }

  /** Moves the positions from {@code from} to {@code to}, from or to whatever parts hold them. */
  private void list(boolean write, Access access, long from, long to, Shares memory)
      throws IOException {
    if (!write && !access.view().isContiguous()) {
      Extent span = access.view().span(from, to);
      if (span.length() / DENSE <= to - from) {
        strands.hint(span.offset(), span.length());
      }
    }
    for (Share share : memory.of(access.view(), access.from(), from, to)) {
      strands.move(write, share.access(), share.payload());
    }
  }
}
