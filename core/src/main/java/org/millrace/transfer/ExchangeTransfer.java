package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;
import org.millrace.env.Parker;
import org.millrace.env.Work;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.plan.Domains;
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
 * <p>As many chunks are asked for at the same time as there are buffers, and whichever is there
 * first is handed out first, its pieces to all ranks at once. Writing goes the other way round: a
 * chunk is written as soon as its pieces are there, while those of others come. Inside one JVM a
 * request is done when it was made, so that each chunk leaves the buffer before the next one enters
 * it. Further chunks to be read are announced to the nodes, so many ahead as there are buffers.
 *
 * <p>Of a write that is flushed the pieces of one chunk come after those of another: the first is
 * complete soon, disks begin with it, and the others come while they work. The pieces of the next
 * are asked for when half of these are there, so that none of the ranks waits for a question.
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

  /** On fewer strands each is flushed once, when all ranks have written. */
  private static final int MIN_STRANDS = 32;

  /** Bytes of a strand from which on it matters in which order it is read. */
  private static final long MIN_SHARE = 1 << 20;

  /** Stripe units of a file domain that its aggregator flushes by itself, at most. */
  private static final long MAX_FLUSHED = 16;

  // constant after construction
  private final TransferContext carrier;
  private final Ranks ranks;
  private final Strands strands;
  private final CollectiveId collective;
  private final Request request;
  private final boolean overlapping;
  private final ReceiveBuffer own;

  private final Parker parker;

  /** Chunks of which something is under way, the oldest first. */
  private final ArrayDeque<Turn> turns = new ArrayDeque<>();

  /** What is left to do of a file domain. */
  private static final class Rest {
    final Chunks chunks;
    final DomainFlush flush;

    /** Chunks that were found and not begun. */
    final List<Chunk> ahead = new ArrayList<>();

    Rest(Chunks chunks, DomainFlush flush) {
      this.chunks = chunks;
      this.flush = flush;
    }
  }

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
    this.parker = carrier.env().parker();
  }

  /** A chunk in its buffer, and what is under way between that and the file or the ranks. */
  private static final class Turn {
    final Chunk chunk;
    final MemorySegment buffer;
    final List<Pending> underWay = new ArrayList<>();

    /** Whether its bytes are in the buffer and leave it. */
    boolean filled;

    /** Whether a node may still touch the buffer: it was not heard how a request to it ended. */
    boolean lent;

    /** Whether the thread of the transfer is told when all that is under way is done. */
    private boolean watched;

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

    boolean isReady() {
      for (Pending one : underWay) {
        if (!one.isDone()) {
          return false;
        }
      }
      return true;
    }

    /** Whether more than half of what fills it is still to come. */
    boolean isGathering() {
      return !filled
          && 2 * underWay.stream().filter(one -> !one.isDone()).count() > underWay.size();
    }

    /**
     * Lets {@code thread} be woken when half of it is done, and when it is ready; false if some
     * request cannot do that.
     */
    boolean watch(Parker thread) {
      if (watched) {
        return true;
      }
      for (Pending one : underWay) {
        if (!one.tellsWhenDone()) {
          return false;
        }
      }
      watched = true;
      int half = underWay.size() / 2;
      AtomicInteger left = new AtomicInteger(underWay.size());
      for (Pending one : underWay) {
        one.whenDone(
            () -> {
              int still = left.decrementAndGet();
              if (still == 0 || still == half) {
                thread.unpark();
              }
            });
      }
      return true;
    }

    /** What was under way has ended well. */
    void ended() {
      underWay.clear();
      watched = false;
      lent = false;
    }
  }

  /**
   * Whether {@link #run} may make durable what it writes, so that no rank has to wait for the
   * others before it flushes: strands are many and each domain lies on few of them, so that a
   * strand is flushed for a few domains only. The same on all ranks.
   */
  public static boolean mayFlush(Planned planned) {
    if (!(planned.plan() instanceof Plan.Exchanging plan)) {
      return false;
    }
    Domains domains = plan.domains();
    Layout layout = plan.request().layout();
    return domains.blocks() <= domains.aggregators()
        && layout.strands() >= MIN_STRANDS
        && domains.maxBlockBytes() <= MAX_FLUSHED * layout.stripeUnitBytes();
  }

  /**
   * Goes through the file domain of this rank, if it has one.
   *
   * @param flushes whether to return only when what it wrote is durable
   */
  public void run(Plan.Exchanging plan, boolean flushes) throws IOException {
    int aggregator = plan.domains().aggregatorAt(ranks.own());
    if (aggregator < 0) {
      return;
    }
    announceDomain(plan, aggregator);
    Rest rest =
        new Rest(Chunks.of(plan, aggregator, overlapping), new DomainFlush(strands, flushes));
    carrier.env().charge(Work.PLAN, 2L * rest.chunks.looked()); // who wants something of the domain
    if (find(rest) && request.write()) {
      Collections.rotate(rest.ahead, -first(rest, aggregator));
    }
    try {
      while (find(rest) || !turns.isEmpty()) {
        if (mayBegin(rest)) {
          beginNext(rest);
        } else {
          Turn next = awaitNext(rest);
          if (next != null) {
            goOn(next, rest);
          }
        }
        for (Turn turn = ready(); turn != null; turn = ready()) {
          goOn(turn, rest);
        }
      }
      rest.flush.finish();
    } finally {
      turns.forEach(this::abandon);
      rest.flush.abandon();
    }
  }

  /** Whether there is a chunk to begin with, and it is time. */
  private boolean mayBegin(Rest rest) {
    return !rest.ahead.isEmpty()
        && turns.size() < rest.chunks.depth()
        && !(rest.flush.isTold() && turns.stream().anyMatch(Turn::isGathering));
  }

  /** The oldest turn that can go on without waiting. */
  private @Nullable Turn ready() {
    for (Turn turn : turns) {
      if (turn.isReady()) {
        return turn;
      }
    }
    return null;
  }

  /**
   * Waits until some turn can go on; or returns the oldest, if it is to be waited for. Null if it
   * is time to begin with another chunk.
   */
  private @Nullable Turn awaitNext(Rest rest) {
    boolean any = (turns.size() > 1 || rest.flush.isTold()) && !strands.isMapped();
    for (Turn turn : turns) {
      any = any && turn.watch(parker);
    }
    long deadline = carrier.deadline();
    Turn next = ready();
    while (any && next == null && !mayBegin(rest) && parker.park(deadline)) {
      next = ready(); // it may have been told of a turn that has gone on since
    }
    return next != null || mayBegin(rest) ? next : turns.element();
  }

  /** Waits for what is under way of a turn, and begins what comes then. */
  private void goOn(Turn turn, Rest rest) throws IOException {
    await(turn.underWay);
    turn.ended();
    if (turn.filled) {
      turns.remove(turn);
      carrier.buffers().give(turn.buffer);
      rest.flush.onWritten(turn.chunk.access());
      return;
    }
    turn.filled = true;
    if (request.write()) {
      write(turn, rest.flush.isTold());
    } else {
      exchange(turn);
    }
  }

  /**
   * Finds the next chunks, as far ahead as they may be, and announces them. False if none is left.
   */
  private boolean find(Rest rest) {
    Chunks chunks = rest.chunks;
    while (rest.ahead.size() <= chunks.depth() && chunks.next()) {
      carrier.env().charge(Work.PLAN, (long) CHUNK_PASSES * chunks.partners());
      if (!request.write() && (!rest.ahead.isEmpty() || !turns.isEmpty())) { // the first is read
        announce(chunks.chunk().access());
      }
      rest.ahead.add(chunks.chunk());
    }
    return !rest.ahead.isEmpty();
  }

  /**
   * The chunk to begin with of so few that there is a buffer for each. Domains that are whole
   * stripes apart have their chunks on the same strands, and those of neighbours may have pieces of
   * the same ranks: they begin with different ones.
   */
  private int first(Rest rest, int aggregator) {
    Layout layout = strands.layout();
    int chunks = rest.ahead.size();
    if (chunks > rest.chunks.depth() || layout.strands() < MIN_STRANDS) {
      return 0;
    }
    Access access = rest.ahead.getFirst().access();
    long stripe = layout.stripeUnitBytes() * layout.strands();
    return (int) ((access.view().offsetOf(access.from()) / stripe + aggregator) % chunks);
  }

  /**
   * Announces a whole domain, if it is in one piece and most of it will be read: the nodes then
   * read those of all aggregators in the order of the file. Where strands are many a domain lies on
   * few of them, and its chunks are announced one by one.
   */
  private void announceDomain(Plan.Exchanging plan, int aggregator) {
    Domains domains = plan.domains();
    if (request.write()
        || domains.blocks() > domains.aggregators()
        || strands.layout().strands() >= MIN_STRANDS) {
      return;
    }
    Extent domain = domains.block(aggregator).intersect(request.span());
    boolean dense = plan instanceof Plan.TwoPhase || request.size() >= request.span().length() / 2;
    if (dense && domain.length() / strands.layout().strands() > MIN_SHARE) {
      strands.hint(domain.offset(), domain.length());
    }
  }

  private void announce(Access access) {
    Runs runs = access.view().runs(access.from(), access.to());
    for (int announced = 0; announced < MAX_ANNOUNCED && runs.next(); ) {
      for (long i = 0; i < runs.count() && announced < MAX_ANNOUNCED; i++, announced++) {
        strands.hint(runs.offset() + i * runs.stride(), runs.length());
      }
    }
  }

  /** Begins to read the next chunk, or asks for the pieces of one to be written. */
  private void beginNext(Rest rest) throws IOException {
    MemorySegment buffer = carrier.buffers().take(rest.chunks.chunkBytes());
    Turn turn = new Turn(rest.ahead.removeFirst(), buffer);
    turns.add(turn);
    if (request.write()) {
      exchange(turn);
    } else {
      read(turn);
    }
  }

  /** Begins to move the pieces of a chunk between its buffer and the ranks. */
  private void exchange(Turn turn) throws IOException {
    List<Piece> pieces = turn.chunk.pieces();
    boolean inOrder = request.write() && !turn.chunk.isDisjoint();
    int first = inOrder ? 0 : firstPiece(pieces);
    for (int i = 0; i < pieces.size(); i++) {
      int before = turn.underWay.size();
      start(pieces.get((first + i) % pieces.size()), turn);
      if (inOrder) {
        await(turn.underWay.subList(before, turn.underWay.size())); // the higher rank wins
      }
    }
  }

  /** Aggregators with the same partners begin with different ones: each with those behind it. */
  private int firstPiece(List<Piece> pieces) {
    for (int i = 0; i < pieces.size(); i++) {
      if (pieces.get(i).rank() > ranks.own()) {
        return i;
      }
    }
    return 0;
  }

  private void read(Turn turn) throws IOException {
    Access access = turn.chunk.access();
    turn.lent = true;
    long offset = access.view().offsetOf(access.from());
    if (access.view().isContiguous() && isInUnit(offset, access.size())) {
      long got = strands.read(offset, turn.buffer, 0, access.size());
      turn.bytes().asSlice(got).fill((byte) 0); // if the file is truncated meanwhile
      return;
    }
    begun(strands.start(false, access, Payload.of(turn.bytes())), turn);
  }

  private boolean isInUnit(long offset, long length) {
    long unit = strands.layout().stripeUnitBytes();
    return strands.layout().strands() == 1 || offset % unit + length <= unit;
  }

  /** Bytes of a chunk move between its buffer and the file. */
  private void begun(List<Pending> requests, Turn turn) throws IOException {
    if (strands.isMapped()) { // the thread that waits copies the bytes itself
      await(requests);
    } else {
      turn.underWay.addAll(requests);
    }
  }

  /**
   * Begins to write a chunk as it is if the ranks gave all of it, else the pieces of each rank: the
   * owners of the blocks apply lists, and what lies between the pieces is not touched.
   */
  private void write(Turn turn, boolean toFlush) throws IOException {
    Chunk chunk = turn.chunk;
    turn.lent = true;
    if (chunk.isCovered()) {
      write(chunk.access(), Payload.of(turn.bytes()), turn, toFlush);
      return;
    }
    for (Piece piece : chunk.pieces()) {
      Access access =
          new Access(request.accesses().get(piece.rank()).view(), piece.from(), piece.to());
      write(access, turn.payload(piece), turn, toFlush);
      if (!chunk.isDisjoint()) {
        await(turn.underWay);
        turn.underWay.clear();
      }
    }
  }

  private void write(Access access, Payload payload, Turn turn, boolean toFlush)
      throws IOException {
    long offset = access.view().offsetOf(access.from());
    if (toFlush) {
      begun(strands.startToFlush(access, payload), turn);
    } else if (access.view().isContiguous()
        && payload.isPacked()
        && isInUnit(offset, access.size())) {
      strands.write(offset, payload.memory(), payload.places().start(), access.size());
    } else {
      begun(strands.start(true, access, payload), turn);
    }
  }

  /**
   * Gives a chunk up. What is being written is waited for: it must not come after the call. A
   * buffer that another process may still touch is never used again.
   */
  private void abandon(Turn turn) {
    if (turn.filled && request.write()) {
      try {
        await(turn.underWay);
        turn.ended();
      } catch (IOException e) {
        turn.lent = true; // the call fails already, with what came first
      }
    }
    boolean answered = !turn.lent;
    for (Pending one : turn.underWay) {
      answered &= one.isAnswered();
      one.abandon();
    }
    if (answered) {
      carrier.buffers().give(turn.buffer);
    }
  }

  private void await(List<Pending> requests) throws IOException {
    AwaitAll.all(requests, carrier::deadline);
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
    turn.underWay.add(link.start(message, payload));
  }
}
