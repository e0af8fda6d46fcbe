package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.access.Runs;
import org.millrace.env.Work;
import org.millrace.message.Link;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.plan.collective.Chunk;
import org.millrace.plan.collective.Chunks;
import org.millrace.plan.collective.Piece;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;
import org.millrace.plan.collective.Request;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.RankRequest;

/**
 * The two-phase strategies on the side of an aggregator: it transfers chunks of its file domain
 * between the file and a few buffers, and pieces between the buffers and the ranks.
 *
 * <pre>
 *   read    chunk 0 | chunk 1 | chunk 2 | ...           a buffer is used again when all pieces of
 *   hand out        | chunk 0 | chunk 1 | chunk 2       its chunk were answered
 * </pre>
 *
 * <p>The pieces of a chunk go to all ranks at once, and while they are under way the next chunk is
 * read. Writing goes the other way round: while a chunk is written the pieces of the next come.
 * Chunks to be read are announced to the nodes so many ahead as there are buffers.
 *
 * <p>For one call of one rank; used by one thread.
 */
public final class ExchangeTransfer {

  /**
   * Every chunk is compared with what every rank wants: what is wanted of the rest of the domain,
   * where the chunk ends, what each rank wants of it.
   */
  private static final int CHUNK_PASSES = 3;

  /** Runs of a chunk that are announced one by one. */
  private static final int MAX_ANNOUNCED = 8;

  // constant after construction
  private final TransferContext carrier;
  private final Ranks ranks;
  private final Strands strands;
  private final CollectiveId collective;
  private final Request request;
  private final boolean overlapping;
  private final ReceiveBuffer own;

  /** Chunks whose pieces are under way, the oldest first. */
  private final ArrayDeque<Turn> turns = new ArrayDeque<>();

  /** A rank's part in a call; {@code own} is its memory. */
  public ExchangeTransfer(
      TransferContext carrier,
      Ranks ranks,
      Strands strands,
      CollectiveId collective,
      Planned planned,
      ReceiveBuffer own) {
    this.carrier = carrier;
    this.ranks = ranks;
    this.strands = strands;
    this.collective = collective;
    this.request = planned.plan().request();
    this.overlapping = planned.overlapping();
    this.own = own;
  }

  /** A chunk in its buffer, and its pieces under way. */
  private static final class Turn {
    final Chunk chunk;
    final MemorySegment buffer;
    final List<Pending> pieces = new ArrayList<>();

    /** Whether a node may still touch the buffer: it was not heard how a request to it ended. */
    boolean lent;

    Turn(Chunk chunk, MemorySegment buffer) {
      this.chunk = chunk;
      this.buffer = buffer;
    }

    MemorySegment bytes() {
      return buffer.asSlice(0, chunk.bytes());
    }

    Payload payload(Piece piece) {
      return new Payload(buffer, piece.places(), piece.bytes());
    }
  }

  /** Goes through the file domain of this rank, if it has one. */
  public void run(Plan.Exchanging plan) throws IOException {
    int aggregator = plan.domains().aggregatorAt(ranks.own());
    if (aggregator < 0) {
      return;
    }
    Chunks chunks = Chunks.of(plan, aggregator, overlapping);
    carrier.env().charge(Work.PLAN, 2L * chunks.looked()); // who wants something of the domain
    ArrayDeque<Chunk> ahead = new ArrayDeque<>();
    try {
      while (find(chunks, ahead, 1 + plan.depth())) {
        MemorySegment buffer =
            turns.size() < plan.depth()
                ? carrier.buffers().take(plan.chunkBytes())
                : finish(turns.element());
        begin(new Turn(ahead.remove(), buffer));
      }
      while (!turns.isEmpty()) {
        carrier.buffers().give(finish(turns.element()));
      }
    } finally {
      turns.forEach(this::abandon);
    }
  }

  /** Finds the next chunks, so many at most, and announces them. False if none is left. */
  private boolean find(Chunks chunks, ArrayDeque<Chunk> ahead, int max) {
    while (ahead.size() < max && chunks.next()) {
      carrier.env().charge(Work.PLAN, (long) CHUNK_PASSES * chunks.partners());
      if (!request.write() && (!ahead.isEmpty() || !turns.isEmpty())) { // the first is read at once
        announce(chunks.chunk().access());
      }
      ahead.add(chunks.chunk());
    }
    return !ahead.isEmpty();
  }

  private void announce(Access access) {
    Runs runs = access.view().runs(access.from(), access.to());
    for (int announced = 0; announced < MAX_ANNOUNCED && runs.next(); ) {
      for (long i = 0; i < runs.count() && announced < MAX_ANNOUNCED; i++, announced++) {
        strands.hint(runs.offset() + i * runs.stride(), runs.length());
      }
    }
  }

  /** Reads a chunk and hands its pieces out, or asks for the pieces of one to be written. */
  private void begin(Turn turn) throws IOException {
    turns.add(turn);
    if (!request.write()) {
      read(turn);
    }
    for (Piece piece : turn.chunk.pieces()) {
      int before = turn.pieces.size();
      start(piece, turn);
      if (request.write() && !turn.chunk.isDisjoint()) {
        await(turn.pieces.subList(before, turn.pieces.size())); // where two write the higher wins
      }
    }
  }

  private void read(Turn turn) throws IOException {
    Access access = turn.chunk.access();
    turn.lent = true;
    if (access.view().isContiguous()) {
      long offset = access.view().offsetOf(access.from());
      long got = strands.read(offset, turn.buffer, 0, access.size());
      turn.bytes().asSlice(got).fill((byte) 0); // if the file is truncated meanwhile
    } else {
      strands.move(false, access, Payload.of(turn.bytes()));
    }
    turn.lent = false;
  }

  /** Waits for the pieces of the oldest chunk; returns its buffer, which is free again. */
  private MemorySegment finish(Turn turn) throws IOException {
    await(turn.pieces);
    if (request.write()) {
      write(turn);
    }
    turns.remove(turn);
    return turn.buffer;
  }

  /**
   * Writes a chunk as it is if the ranks gave all of it, else the pieces of each rank: the owners
   * of the blocks apply lists, and what lies between the pieces is not touched.
   */
  private void write(Turn turn) throws IOException {
    Chunk chunk = turn.chunk;
    turn.lent = true;
    if (chunk.isCovered()) {
      write(chunk.access(), Payload.of(turn.bytes()));
    } else {
      for (Piece piece : chunk.pieces()) {
        Access access =
            new Access(request.accesses().get(piece.rank()).view(), piece.from(), piece.to());
        write(access, turn.payload(piece));
      }
    }
    turn.lent = false;
  }

  private void write(Access access, Payload payload) throws IOException {
    if (access.view().isContiguous() && payload.isPacked()) {
      long offset = access.view().offsetOf(access.from());
      strands.write(offset, payload.memory(), payload.places().start(), access.size());
    } else {
      strands.move(true, access, payload);
    }
  }

  /** Gives a chunk up. A buffer that another process may still touch is never used again. */
  private void abandon(Turn turn) {
    boolean answered = !turn.lent;
    for (Pending one : turn.pieces) {
      answered &= one.isAnswered();
      one.abandon();
    }
    if (answered) {
      carrier.buffers().give(turn.buffer);
    }
  }

  private void await(List<Pending> pieces) throws IOException {
    AwaitAll.all(pieces, carrier::deadline);
  }

  /** Moves a piece between the chunk's buffer and its rank. */
  private void start(Piece piece, Turn turn) {
    Payload payload = turn.payload(piece);
    var part = new RankRequest.Piece(piece.from(), piece.bytes());
    if (piece.rank() == ranks.own()) {
      own.move(part, payload, request.write());
      return;
    }
    Link link = carrier.participants().apply(ranks.participant(piece.rank()));
    RankRequest message =
        request.write()
            ? new RankRequest.Fetch(collective, part)
            : new RankRequest.Place(collective, part);
    turn.pieces.add(link.start(message, payload));
  }
}
