package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Places;
import org.millrace.access.Runs;
import org.millrace.copy.Kernels;
import org.millrace.env.Work;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.plan.Chunks;
import org.millrace.plan.Piece;
import org.millrace.plan.Pieces;
import org.millrace.plan.Plan;
import org.millrace.plan.Planned;
import org.millrace.plan.Request;
import org.millrace.plan.Rounds;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.RankRequest;

/**
 * The two-phase strategies, seen from an aggregator: it moves large contiguous chunks of its file
 * domain between the file and one bounded buffer, and the pieces between the buffer and the ranks
 * that want or have them. Disk and exchange overlap through the nodes' caches: chunks to come are
 * announced so many ahead, and what is written leaves behind.
 *
 * <p>For one call of one rank; used by one thread.
 */
public final class ExchangeTransfer {

  /** What is wanted of the rest of the domain, where the chunk ends, what each rank wants of it. */
  private static final int CHUNK_PASSES = 3;

  private final Carrier carrier;
  private final Ranks ranks;
  private final Strands strands;
  private final CollectiveId collective;
  private final Request request;
  private final boolean overlapping;
  private final Landing own;

  /** Whether somebody may still touch a buffer: it was not heard how what was asked ended. */
  private boolean lent;

  /** A rank's part in a call; {@code own} is its memory. */
  public ExchangeTransfer(
      Carrier carrier,
      Ranks ranks,
      Strands strands,
      CollectiveId collective,
      Planned planned,
      Landing own) {
    this.carrier = carrier;
    this.ranks = ranks;
    this.strands = strands;
    this.collective = collective;
    this.request = planned.plan().request();
    this.overlapping = planned.overlapping();
    this.own = own;
  }

  /** Phase by phase over the whole domain, wanted or not, in rounds of what fits the buffers. */
  public void run(Plan.TwoPhase plan) throws IOException {
    int aggregator = plan.domains().aggregatorAt(ranks.own());
    if (aggregator < 0) {
      return;
    }
    Rounds rounds = Rounds.of(plan, overlapping);
    MemorySegment buffer = carrier.buffers().take(plan.chunkBytes());
    try {
      for (long round = 0; round < rounds.count(); round++) {
        Pieces pieces = rounds.pieces(round, aggregator);
        chargeSearch(1);
        if (!pieces.extent().isEmpty()) {
          move(pieces, buffer);
        }
      }
    } finally {
      giveBack(buffer);
    }
  }

  /** Through what is wanted of the domain, in sequence. */
  public void run(Plan.ExtendedTwoPhase plan) throws IOException {
    int aggregator = plan.domains().aggregatorAt(ranks.own());
    if (aggregator < 0) {
      return;
    }
    Chunks chunks = Chunks.of(plan, aggregator, overlapping);
    Chunks ahead = Chunks.of(plan, aggregator, overlapping);
    MemorySegment buffer = carrier.buffers().take(plan.chunkBytes());
    try {
      for (int i = 0; i < plan.depth(); i++) {
        announceNext(ahead);
      }
      while (chunks.next()) {
        chargeSearch(CHUNK_PASSES);
        announceNext(ahead);
        move(chunks.pieces(), buffer);
      }
    } finally {
      giveBack(buffer);
    }
  }

  /**
   * A buffer that another process may still read or write by its name is nobody's any more: in the
   * next call its bytes would be wrong.
   */
  private void giveBack(MemorySegment buffer) {
    if (!lent) {
      carrier.buffers().give(buffer);
    }
  }

  private void announceNext(Chunks ahead) {
    if (!request.write() && ahead.next()) {
      chargeSearch(CHUNK_PASSES);
      Extent extent = ahead.pieces().extent();
      strands.hint(extent.offset(), extent.length());
    }
  }

  /** Every chunk is compared with what every rank wants. */
  private void chargeSearch(int passes) {
    carrier.env().charge(Work.PLAN, (long) passes * request.ranks());
  }

  private void move(Pieces pieces, MemorySegment buffer) throws IOException {
    Extent extent = pieces.extent();
    MemorySegment chunk = buffer.asSlice(0, extent.length());
    if (!request.write()) {
      lent = true;
      long got = strands.read(extent.offset(), chunk, 0, extent.length());
      lent = false;
      chunk.asSlice(got).fill((byte) 0); // if somebody cuts the file meanwhile
      for (Piece piece : pieces.list()) {
        place(piece.rank(), extent.offset(), chunk);
      }
    } else if (pieces.isCovered()) {
      for (Piece piece : pieces.list()) {
        fetch(piece.rank(), extent.offset(), chunk);
      }
      write(extent.offset(), chunk, 0, extent.length());
    } else {
      for (Piece piece : pieces.list()) {
        writeAround(piece, extent, chunk);
      }
    }
  }

  /** Writes a rank's pieces without touching what lies between them: the owners apply a list. */
  private void writeAround(Piece piece, Extent extent, MemorySegment chunk) throws IOException {
    Access access = request.accesses().get(piece.rank());
    if (piece.isExact()) {
      MemorySegment packed = chunk.asSlice(0, piece.bytes());
      fetchPacked(piece, packed);
      Access part = new Access(access.view(), piece.from(), piece.from() + piece.bytes());
      lent = true;
      strands.move(true, part, Places.packed(piece.bytes()), packed);
      lent = false;
      return;
    }
    fetch(piece.rank(), extent.offset(), chunk);
    Runs runs = access.view().runs(access.from(), access.to(), extent.offset(), extent.end());
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long offset = runs.offset() + i * runs.stride();
        write(offset, chunk, offset - extent.offset(), runs.length());
      }
    }
  }

  private void write(long offset, MemorySegment chunk, long at, long length) throws IOException {
    lent = true;
    strands.write(offset, chunk, at, length);
    lent = false;
  }

  private void fetchPacked(Piece piece, MemorySegment packed) throws IOException {
    Link link = link(piece.rank());
    long most = link.mostPayloadBytes();
    for (long at = 0; at < piece.bytes(); at += Math.min(most, piece.bytes() - at)) {
      long bytes = Math.min(most, piece.bytes() - at);
      ask(
          link,
          new RankRequest.FetchPacked(collective, piece.from() + at, bytes),
          packed.asSlice(at, bytes));
    }
  }

  private void place(int to, long offset, MemorySegment chunk) throws IOException {
    if (to == ranks.own()) {
      own.place(offset, chunk);
      return;
    }
    Access wanted = request.accesses().get(to);
    Link link = link(to);
    long most = link.mostPayloadBytes();
    for (long at = 0; at < chunk.byteSize(); at += Math.min(most, chunk.byteSize() - at)) {
      long bytes = Math.min(most, chunk.byteSize() - at);
      var part = new RankRequest.Place(collective, offset + at, bytes, wanted);
      ask(link, part, chunk.asSlice(at, bytes));
    }
  }

  private void fetch(int from, long offset, MemorySegment chunk) throws IOException {
    Access theirs = request.accesses().get(from);
    if (from == ranks.own()) {
      own.fetch(offset, chunk);
    } else if (theirs.view().isAscending()) {
      fetch(link(from), theirs, offset, chunk);
    } else {
      fetchScattered(link(from), theirs, offset, chunk);
    }
  }

  private void fetch(Link link, Access theirs, long offset, MemorySegment chunk)
      throws IOException {
    long most = link.mostPayloadBytes();
    for (long at = 0; at < chunk.byteSize(); at += Math.min(most, chunk.byteSize() - at)) {
      long bytes = Math.min(most, chunk.byteSize() - at);
      var part = new RankRequest.Fetch(collective, offset + at, bytes, theirs);
      ask(link, part, chunk.asSlice(at, bytes));
    }
  }

  /** What comes back has bytes of no meaning between the pieces, so it goes beside the chunk. */
  private void fetchScattered(Link link, Access theirs, long offset, MemorySegment chunk)
      throws IOException {
    long length = chunk.byteSize();
    MemorySegment beside = carrier.buffers().take(length);
    try {
      MemorySegment got = beside.asSlice(0, length);
      fetch(link, theirs, offset, got);
      Runs runs = theirs.view().runs(theirs.from(), theirs.to(), offset, offset + length);
      while (runs.next()) {
        long at = runs.offset() - offset;
        long stride = runs.stride();
        Kernels.copy(got, at, stride, chunk, at, stride, runs.length(), runs.count());
      }
    } finally {
      giveBack(beside);
    }
  }

  private Link link(int other) {
    return carrier.participants().apply(ranks.participant(other));
  }

  private void ask(Link link, Message request, MemorySegment payload) throws IOException {
    Pending pending = link.start(request, payload);
    try {
      pending.await(carrier.deadline());
    } catch (IOException e) {
      lent = !pending.isAnswered();
      pending.abandon();
      throw e;
    }
  }
}
