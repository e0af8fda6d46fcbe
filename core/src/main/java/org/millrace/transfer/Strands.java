package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.Runs;
import org.millrace.access.View;
import org.millrace.access.group.BlockSpans;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Copies;
import org.millrace.layout.Layout;
import org.millrace.message.Lent;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.Asking;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.Holder;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.StrandStatus;
import org.millrace.transfer.ListTransfer.Move;

/**
 * The bytes of a file, on the nodes of its strands: maps a range of the file or of a view to
 * requests. A range within one stripe unit is one one-sided operation, a short one across two units
 * is two, and neither allocates. Anything larger is one request to each strand that it touches, all
 * at the same time.
 *
 * <p>Safe for use by several threads; holds no state but the file's identity and what nodes keep
 * for its writes.
 */
public final class Strands {

  /**
   * A range of up to so many bytes that touches two units is two one-sided verbs: for these, making
   * requests costs more than moving the bytes one after the other.
   */
  private static final long ONE_SIDED_MOST = 8 << 10;

  /** How often {@link #isReady} asks a cache: more is not small. */
  private static final int MAX_LOOKS = 8;

  /** A longer range is better copied by this side where it can reach the node's memory. */
  private static final long PINNED_LEAST = 1 << 20;

  /** Strands among which ranks that ask for the size are spread, at least, where there are many. */
  private static final int TELLERS = 8;

  /**
   * There are more of them on more strands: the ends of what ranks want repeat with the stripes.
   */
  private static final int STRANDS_OF_TELLER = 32;

  // constant after construction
  private final TransferContext carrier;
  private final long timeoutNanos;
  private final Layout layout;
  private final long unit;
  private final long file;
  private final StrandLinks links;
  private final ListTransfer lists;
  private final SmallWrites small;
  private final SequentialWrites sequential;

  private final boolean showsLater;

  // what was shown last
  private volatile NodeRequest.@Nullable Present shown;

  /** The strands of file number {@code file}, which has no copies. */
  public Strands(TransferContext carrier, long file, Layout layout) {
    this(carrier, file, layout, 0, () -> false, false);
  }

  /**
   * The strands of file number {@code file}.
   *
   * @param copyEpoch the highest epoch of its copies when it was opened
   * @param open whether it can be seen, without asking, that this session still has it open
   */
  public Strands(
      TransferContext carrier, long file, Layout layout, long copyEpoch, BooleanSupplier open) {
    this(carrier, file, layout, copyEpoch, open, false);
  }

  /**
   * The strands of a file for a session that uses it alone and for long: nodes are asked for when
   * they are needed, and those that were restarted are found again ({@link ReturningLink}).
   */
  public static Strands ofHandle(
      TransferContext carrier, long file, Layout layout, long copyEpoch) {
    return new Strands(carrier, file, layout, copyEpoch, () -> false, true);
  }

  private Strands(
      TransferContext carrier,
      long file,
      Layout layout,
      long copyEpoch,
      BooleanSupplier open,
      boolean alone) {
    this.carrier = carrier;
    this.timeoutNanos = carrier.operationNanos();
    this.layout = layout;
    this.unit = layout.strands() == 1 ? Long.MAX_VALUE : layout.stripeUnitBytes();
    this.file = file;
    boolean returning = alone && !carrier.nodes().areLasting();
    this.showsLater = returning && !Copies.hasCopies(file);
    this.links =
        new StrandLinks(
            carrier.nodes(),
            layout,
            Copies.hasCopies(file)
                ? s ->
                    new FollowingLink(
                        carrier, new StrandId(file, s), layout.node(s), copyEpoch, () -> shown)
                : returning ? s -> new ReturningLink(carrier, layout.node(s), () -> shown) : null,
            showsLater);
    this.lists = new ListTransfer(carrier, layout, file, links, open);
    this.small = new SmallWrites(carrier, layout, file, links);
    this.sequential = new SequentialWrites(carrier, layout, file, links);
  }

  /** Whether some of the nodes want to be shown what lets this session use the file. */
  public boolean isGuarded() {
    return layout.nodes().stream().anyMatch(carrier.nodes()::isGuarded);
  }

  /** What becomes of a node that cannot be shown anything. */
  public enum Showing {
    /**
     * The file is being opened: a link that turns out to be dead is replaced, because its node may
     * have come back. If that fails, too, so does the open.
     */
    OPENING,
    /**
     * As above, for reading alone: a node that is away is noted, and only what needs its bytes
     * fails.
     */
    OPENING_TO_READ,
    /**
     * The file is in use. A dead link must not be replaced: what the node had not made durable is
     * lost, and users of the file must learn that.
     */
    AGAIN
  }

  /**
   * Shows the nodes what lets this session use the file, and in whose name it writes; before
   * anything else is asked of them.
   */
  public void present(Capability capability, Holder holder, Showing showing) throws IOException {
    if (!carrier.nodes().isFenced()) {
      return;
    }
    NodeRequest.Present present = new NodeRequest.Present(capability, holder);
    shown = present;
    if (showsLater) {
      return;
    }
    Pending[] pending = new Pending[links.count()];
    for (int s = 0; s < pending.length; s++) {
      pending[s] = links.get(s).start(present, MemorySegment.NULL);
    }
    long deadline = carrier.deadline(); // of all together: several may be away
    for (int s = 0; s < pending.length; s++) {
      try {
        pending[s].await(deadline);
      } catch (MillraceException e) {
        if (showing != Showing.AGAIN) {
          presentToAbsent(s, present, showing, e);
        } else if (!links.isAway(s)) {
          throw e;
        }
      }
    }
  }

  /** A node has not taken what it was shown: perhaps a new one in its place does. */
  private void presentToAbsent(
      int s, NodeRequest.Present present, Showing showing, MillraceException first)
      throws IOException {
    MillraceException e = first;
    if (NodeLinks.isDead(e)) {
      try {
        links.replace(s).call(present, MemorySegment.NULL, carrier.deadline());
        return;
      } catch (MillraceException again) {
        e = again;
      }
    }
    boolean away =
        NodeLinks.isDead(e) || e.code() == ErrorCode.DEADLINE || e.code() == ErrorCode.MOVED;
    if (!away) {
      throw e;
    }
    int node = layout.nodes().get(s);
    MillraceException reason =
        new MillraceException(
            ErrorCode.NODE,
            "%s: bring node %s back and open the file again; if its disk is lost, use millrace nodes replace %s [strand %s: all of it]"
                .formatted(e.getMessage(), node, node, s),
            e);
    if (showing == Showing.OPENING) {
      throw reason;
    }
    links.away(s, reason);
  }

  /** Shows the nodes that this session may use the file for longer. */
  public void presentAgain(Capability fresh) throws IOException {
    NodeRequest.Present before = shown;
    if (before != null) {
      present(fresh, before.holder(), Showing.AGAIN);
    }
  }

  /**
   * Reads bytes of the file; returns how many there were before its end. Memory beyond those is not
   * touched.
   */
  public long read(long offset, MemorySegment into, long at, long length) throws IOException {
    long left = unit - offset % unit;
    if (length <= left && !isPinned(offset, length)) {
      return readInUnit(offset, into, at, length);
    }
    if (length <= Math.min(unit, ONE_SIDED_MOST)) {
      long got = readInUnit(offset, into, at, left);
      return got < left ? got : left + readInUnit(offset + left, into, at + left, length - left);
    }
    long available = available(offset, length);
    move(false, whole(offset, available), Payload.of(into, at, available));
    return available;
  }

  /** Reads bytes of one strand, by their place in it; returns how many lie before its own end. */
  public long readStrand(int s, long offset, MemorySegment into, long at, long length)
      throws IOException {
    return links.get(s).get(key(s), offset, into, at, length, timeoutNanos);
  }

  private boolean isPinned(long offset, long length) {
    if (length < PINNED_LEAST) {
      return false;
    }
    MappedSlabs slabs = links.get(layout.strandOf(offset)).reached();
    return slabs != null && slabs.isUseful();
  }

  private long readInUnit(long offset, MemorySegment into, long at, long length)
      throws IOException {
    int s = layout.strandOf(offset);
    long inStrand = layout.strandOffset(offset);
    long got = links.get(s).get(key(s), inStrand, into, at, length, timeoutNanos);
    return got == length ? got : readAroundEnd(s, offset, inStrand, into, at, length);
  }

  /**
   * The strand ends within the range, but another strand may reach further: then what is missing
   * here is a hole.
   */
  private long readAroundEnd(
      int s, long offset, long inStrand, MemorySegment into, long at, long length)
      throws IOException {
    long available = available(offset, length);
    // asked again after the size, so that bytes which the size already counts are not taken for a
    // hole
    long got = links.get(s).get(key(s), inStrand, into, at, available, timeoutNanos);
    into.asSlice(at + got, available - got).fill((byte) 0);
    return available;
  }

  private static Access whole(long offset, long length) {
    return new Access(View.WHOLE, offset, offset + length);
  }

  private long available(long offset, long length) throws IOException {
    return Math.clamp(sizeUpTo(offset + length) - offset, 0, length);
  }

  /** Writes bytes of the file. */
  public void write(long offset, MemorySegment from, long at, long length) throws IOException {
    boolean inUnit = length <= unit - offset % unit;
    boolean small = inUnit ? length <= SmallWrites.KEPT_MOST : length <= ONE_SIDED_MOST;
    long kept = small ? 0 : sequential.write(offset, from, at, length);
    if (kept < length) {
      writeRest(offset + kept, from, at + kept, length - kept);
    }
  }

  private void writeRest(long offset, MemorySegment from, long at, long length) throws IOException {
    long left = unit - offset % unit;
    if (length <= left && !isPinned(offset, length)) {
      small.write(offset, from, at, length);
    } else if (length <= Math.min(unit, ONE_SIDED_MOST)) {
      small.write(offset, from, at, left);
      small.write(offset + left, from, at + left, length - left);
    } else {
      move(true, whole(offset, length), Payload.of(from, at, length));
    }
  }

  /** Gives back to the nodes what they keep for this file. It can still be used. */
  public void close() {
    small.close();
    sequential.close();
    lists.close();
  }

  /**
   * Asks the nodes of a range to pin it, so that this side can use its bytes in place; empty if
   * they are not all within reach. Does not wait.
   */
  public Optional<RangePins> pin(boolean write, long offset, long length) {
    if (!write) {
      hint(offset, length);
    }
    var range = new RangePins.Range(write, offset, offset + length);
    return RangePins.ask(carrier, layout, links, file, range);
  }

  /**
   * Moves an access between the file and memory; what is read must lie before the end of the file.
   */
  public void move(boolean write, Access access, Payload payload) throws IOException {
    await(start(write, access, payload));
  }

  /** As {@link #move}, without waiting: the payload is in use until {@link #await} has returned. */
  List<Pending> start(boolean write, Access access, Payload payload) {
    return start(write, access, payload, access.view().isContiguous());
  }

  /**
   * As {@link #start}; of a read whose bytes are {@code dense} disks read all that its span has.
   */
  List<Pending> start(boolean write, Access access, Payload payload, boolean dense) {
    if (access.isEmpty()) {
      return List.of();
    }
    return write
        ? lists.start(Move.WRITE, access, payload)
        : lists.startRead(access, payload, dense ? access.span() : ListTransfer.NOTHING);
  }

  /** As {@link #start}, of a write after which this rank soon flushes: disks begin at once. */
  List<Pending> startToFlush(Access access, Payload payload) {
    return access.isEmpty() ? List.of() : lists.start(Move.WRITE_TO_FLUSH, access, payload);
  }

  /** Waits for what {@link #start} began, and fails if any of it failed. */
  void await(List<Pending> begun) throws IOException {
    AwaitAll.all(begun, carrier::deadline);
  }

  /**
   * Whether moving this access would find all it needs in memory of this JVM, by a few looks. A
   * guess: a wrong one only takes time.
   */
  public boolean isReady(Access access) {
    Extent span = access.span();
    if ((span.end() - 1) / unit - span.offset() / unit < MAX_LOOKS) {
      return looks(span.offset(), span.end()) > 0;
    }
    int looks = 0;
    Runs runs = access.view().runs(access.from(), access.to());
    while (runs.next()) {
      for (long i = 0; i < runs.count(); i++) {
        long offset = runs.offset() + i * runs.stride();
        int more = looks < MAX_LOOKS ? looks(offset, offset + runs.length()) : 0;
        if (more == 0) {
          return false;
        }
        looks += more;
      }
    }
    return true;
  }

  /** Looks whether a range is ready; returns how many looks that took, 0 if it is not. */
  private int looks(long from, long to) {
    int looks = 0;
    long offset = from;
    while (offset < to) {
      long length = Math.min(to - offset, unit - offset % unit);
      int s = layout.strandOf(offset);
      if (looks == MAX_LOOKS
          || !links.get(s).isReady(key(s), layout.strandOffset(offset), length)) {
        return 0;
      }
      looks++;
      offset += length;
    }
    return looks;
  }

  /** Blocks of a strand as memory, if its node is in this JVM and has them all at hand. */
  @Nullable Lent lend(int s, BlockSpans blocks, boolean write) {
    return links.get(s).lend(key(s), blocks, write);
  }

  private long key(int s) {
    return StrandId.key(file, s);
  }

  /** Whether large accesses are copied straight from and to the memory of all nodes elsewhere. */
  boolean isMapped() {
    return links.isMapped();
  }

  /** Whether this rank reaches all nodes' memory: none is elsewhere, or all that are it maps. */
  public boolean reachesAll() {
    return !links.isRemote() || links.isMapped();
  }

  /** Whether some node is in another process. */
  public boolean isRemote() {
    return links.isRemote();
  }

  /** Whether scattered writes that come again are likely to need no message. */
  public boolean isKeeping() {
    return lists.isKeeping();
  }

  /** Lets all disks start to read what the following requests need. */
  public void hint(long offset, long length) {
    long units =
        (offset + length - 1) / layout.stripeUnitBytes() - offset / layout.stripeUnitBytes();
    long count = Math.min(links.count(), length == 0 ? 0 : units + 1);
    int first = layout.strandOf(offset);
    for (int i = 0; i < count; i++) {
      int s = (first + i) % links.count();
      long from = layout.strandSize(s, offset);
      long to = layout.strandSize(s, offset + length);
      if (to > from) {
        links.get(s).hint(key(s), from, to - from);
      }
    }
  }

  /** The size of the file. If a strand cannot tell, the error says how long it is at least. */
  public long size() throws IOException {
    return sizeOrEnough(Long.MAX_VALUE);
  }

  /**
   * What each strand is, for a session that may use the file or shows that it may ask.
   *
   * @param files that it may ask about
   */
  public StrandStatus[] statuses(Asking asking, List<Long> files) throws IOException {
    Message[] replies = onStrands(s -> new NodeRequest.AskStatuses(asking, files, List.of(id(s))));
    StrandStatus[] all = new StrandStatus[replies.length];
    for (int s = 0; s < all.length; s++) {
      all[s] = ((NodeReply.Statuses) replies[s]).strands().getFirst();
    }
    return all;
  }

  /** Where each strand ends, in bytes of it. */
  public long[] strandEnds() throws IOException {
    Message[] replies = onStrands(s -> new NodeRequest.Size(id(s)));
    return ends(replies);
  }

  private static long[] ends(@Nullable Message[] replies) {
    long[] ends = new long[replies.length];
    for (int s = 0; s < ends.length; s++) {
      ends[s] = replies[s] instanceof NodeReply.Count count ? count.bytes() : 0;
    }
    return ends;
  }

  /** Asks all strands; those that cannot tell do not matter if the others make it long enough. */
  private long sizeOrEnough(long enough) throws IOException {
    @Nullable Message[] replies = new Message[links.count()];
    IOException failure = ask(s -> s, s -> new NodeRequest.Size(id(s)), replies);
    long known = layout.fileSize(ends(replies));
    if (failure == null) {
      return known;
    }
    if (known >= enough) {
      return enough;
    }
    if (!(failure instanceof MillraceException e)) {
      throw failure;
    }
    MillraceException told =
        MillraceException.of(
            e.code(),
            "the size of the file is not known, only that it has at least %s bytes: %s"
                .formatted(known, e.getMessage()));
    told.initCause(e);
    throw told.withDetail(e.detail());
  }

  /**
   * The size of the file, or {@code enough} if it has at least so many bytes: mostly one strand can
   * tell.
   */
  public long sizeUpTo(long enough) throws IOException {
    boolean enoughThere =
        enough > 0 && (lists.showsReach(enough) || reaches(layout.strandOf(enough - 1), enough));
    return enoughThere ? enough : sizeOrEnough(enough);
  }

  /** Whether a strand says that the file has so many bytes. */
  private boolean reaches(int s, long enough) throws IOException {
    try {
      return layout.fileSize(s, strandEnd(s)) >= enough;
    } catch (MillraceException e) {
      if (NodeLinks.isDead(e) || e.code() == ErrorCode.CORRUPT) {
        return false; // others may know; if not, it is asked again and fails
      }
      throw e;
    }
  }

  /**
   * As {@link #sizeUpTo}, where many ranks ask at the same time about bytes close together: each
   * asks one of several strands that can tell, unless the file ends right there.
   */
  public long sizeUpToTogether(long enough) throws IOException {
    int tellers = Math.max(TELLERS, links.count() / STRANDS_OF_TELLER);
    long ahead = carrier.participant() % tellers * layout.stripeUnitBytes();
    boolean many = links.count() >= 4 * TELLERS && enough < Long.MAX_VALUE - ahead;
    if (many && ahead > 0 && enough > 0 && reaches(layout.strandOf(enough - 1 + ahead), enough)) {
      return enough;
    }
    return sizeUpTo(enough);
  }

  /** Where a strand ends, in bytes of it. */
  public long strandEnd(int s) throws IOException {
    var request = new NodeRequest.Size(id(s));
    Message reply = links.get(s).call(request, MemorySegment.NULL, carrier.deadline());
    return ((NodeReply.Count) reply).bytes();
  }

  /**
   * Where the next byte at or behind {@code offset} may lie that was ever written, or the file's
   * size if there is none.
   */
  public long nextData(long offset) throws IOException {
    Message[] replies =
        onStrands(s -> new NodeRequest.NextData(id(s), layout.strandSize(s, offset)));
    long next = Long.MAX_VALUE;
    for (int s = 0; s < replies.length; s++) {
      long at = ((NodeReply.Count) replies[s]).bytes();
      next = at < 0 ? next : Math.min(next, layout.fileOffset(s, at));
    }
    return next < Long.MAX_VALUE ? next : Math.max(offset, size());
  }

  /** The checksum, CRC32C, of bytes of the file, which the nodes read; holes are zeros. */
  public int checksum(long offset, long length) throws IOException {
    return new FileSums(carrier, layout, file, links).of(offset, offset + length);
  }

  /** Where the bytes live. */
  public Layout layout() {
    return layout;
  }

  /** Sends a rank's parts of a disk-directed call to the node of a strand. */
  Pending startDirect(NodeRequest.Direct part, Payload payload) {
    return links.get(part.strand().strand()).start(part, payload);
  }

  /**
   * Gives a round of a disk-directed call and all later ones up; returns when the node touches no
   * payload of the round any more.
   */
  void withdraw(int s, CollectiveId collective) throws IOException {
    // ends: what runs has the deadlines of the cache, block by block
    startWithdrawal(s, collective).await(Env.NEVER);
  }

  /**
   * As {@link #withdraw}, without waiting. If this file's link is dead another is used, so that
   * others do not wait for parts that can never come.
   */
  Pending startWithdrawal(int s, CollectiveId collective) {
    Link link = links.get(s);
    if (link.isBroken()) {
      link = carrier.nodes().replace(layout.nodes().get(s), link);
      NodeRequest.Present before = shown;
      if (before != null) {
        link.start(before, MemorySegment.NULL);
      }
    }
    return link.start(new NodeRequest.WithdrawDirect(id(s), collective), MemorySegment.NULL);
  }

  StrandId id(int s) {
    return new StrandId(file, s);
  }

  /** Cuts or extends the file. */
  public void resize(long size) throws IOException {
    size(); // if one of the strands cannot be had, none is cut
    onStrands(s -> new NodeRequest.Resize(id(s), layout.strandSize(s, size)));
  }

  /** Whether the byte at {@code offset} lives at a node in another process. */
  public boolean isElsewhere(long offset) {
    return carrier.nodes().isGuarded(layout.nodes().get(layout.strandOf(offset)));
  }

  /** Takes room on the disks for a file of {@code size} bytes, which stays as long as it is. */
  public void reserve(long size) throws IOException {
    onStrands(s -> new NodeRequest.Preallocate(id(s), layout.strandSize(s, size)));
  }

  /** Takes room on the disks, and makes the file at least {@code size} bytes long. */
  public void preallocate(long size) throws IOException {
    reserve(size);
    onStrands(s -> new NodeRequest.Extend(id(s), layout.strandSize(s, size)));
  }

  /** Makes the file at least {@code size} bytes long: the strand of its last byte knows the end. */
  public void extend(long size) throws IOException {
    if (size > 0) {
      int s = layout.strandOf(size - 1);
      var request = new NodeRequest.Extend(id(s), layout.strandSize(s, size));
      links.get(s).call(request, MemorySegment.NULL, carrier.deadline());
    }
  }

  /** Returns after everything written is durable. */
  public void flush() throws IOException {
    onStrands(s -> new NodeRequest.Flush(id(s)));
  }

  /** As {@link #flush()}, of the strands that have something of a range. */
  public void flush(long offset, long length) throws IOException {
    flush(
        IntStream.range(0, links.count())
            .filter(s -> layout.strandSize(s, offset + length) > layout.strandSize(s, offset))
            .toArray());
  }

  /** As {@link #flush()}, of some strands only. */
  void flush(int[] some) throws IOException {
    onStrands(some.length, i -> some[i], s -> new NodeRequest.Flush(id(s)));
  }

  /** Begins to flush some strands: {@code touched} says of each whether it is one of them. */
  List<Pending> startFlush(boolean[] touched) {
    List<Pending> begun = new ArrayList<>();
    for (int s : StrandOrder.of(touched, carrier.participant())) {
      begun.add(links.get(s).start(new NodeRequest.Flush(id(s)), MemorySegment.NULL));
    }
    return begun;
  }

  /** Flushes this rank's share of the strands; each strand is in the share of one rank. */
  public void flushShare(int rank, int ranks) throws IOException {
    int count = rank < links.count() ? Math.ceilDiv(links.count() - rank, ranks) : 0;
    onStrands(count, i -> rank + i * ranks, s -> new NodeRequest.Flush(id(s)));
  }

  /** Makes the strands of a new file. */
  public void create() throws IOException {
    onStrands(s -> new NodeRequest.Create(id(s), layout.blockBytes()));
  }

  /** Removes the strands if that is for this rank to do; else their nodes do it by themselves. */
  public void remove() throws IOException {
    try {
      onStrands(s -> new NodeRequest.Remove(id(s)));
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.NOT_PERMITTED) {
        throw e;
      }
    }
  }

  /** Fills empty cache slots on all nodes at once. */
  public void preload(long offset) throws IOException {
    onStrands(s -> new NodeRequest.Preload(id(s), layout.strandSize(s, offset)));
  }

  /** Sends a request to each strand, waits for all, and fails if any failed. */
  private Message[] onStrands(IntFunction<NodeRequest> request) throws IOException {
    return onStrands(links.count(), s -> s, request);
  }

  /** As {@link #onStrands(IntFunction)}, on {@code count} strands, of which {@code which} tells. */
  private Message[] onStrands(int count, IntUnaryOperator which, IntFunction<NodeRequest> request)
      throws IOException {
    @Nullable Message[] replies = new Message[count];
    IOException failure = ask(which, request, replies);
    if (failure != null) {
      throw failure;
    }
    Message[] all = new Message[count];
    for (int i = 0; i < count; i++) {
      all[i] = Objects.requireNonNull(replies[i]);
    }
    return all;
  }

  /** Waits for all replies, and returns what went wrong where there is none. */
  private @Nullable IOException ask(
      IntUnaryOperator which, IntFunction<NodeRequest> request, @Nullable Message[] replies) {
    Pending[] pending = new Pending[replies.length];
    for (int i = 0; i < pending.length; i++) {
      int at = (i + carrier.participant()) % pending.length; // not all ranks to strand 0 first
      int s = which.applyAsInt(at);
      pending[at] = links.get(s).start(request.apply(s), MemorySegment.NULL);
    }
    IOException failure = null;
    for (int s = 0; s < pending.length; s++) {
      try {
        replies[s] = pending[s].await(carrier.deadline());
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    return failure;
  }
}
