package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.message.Board;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.transfer.Ranks;

/**
 * One participant of a parallel program, as a member of a group: its number, the operations of the
 * group, and the files that the group opens together. {@link #split} and {@link #alone} give the
 * same participant's place in other groups.
 *
 * <p>Operations of the group are synchronizing: every rank must make the same calls in the same
 * order. A call that some rank does not make, or makes with other arguments, fails on all with
 * {@link org.millrace.error.MixedCallException}; a rank that ends or throws lets the others fail
 * with {@link org.millrace.error.RankFailedException}.
 *
 * <p>A rank belongs to the thread that runs it; {@link #send}, {@link #receive} and {@link #names}
 * may be used by several. The code that started it closes it.
 */
public final class Rank {

  /** As sender or tag in {@link #receive}: the first that comes. */
  public static final int ANY = -1;

  // constant after construction
  private final Session session;
  private final long group;
  private final int number;
  private final List<Integer> participants;
  private final Channel channel;
  private final Collectives collectives;
  private final @Nullable Board board;
  private final AtomicLong opens = new AtomicLong();

  private Rank(
      Session session,
      Channel channel,
      long group,
      int number,
      List<Integer> participants,
      @Nullable Board board) {
    this.session = session;
    this.group = group;
    this.number = number;
    this.participants = participants;
    this.channel = channel;
    this.collectives = new Collectives(this, channel);
    this.board = board;
  }

  /** A member of a group to which all ranks come together for the first time. */
  private static Rank gathered(
      Session session, Channel channel, long group, int number, List<Integer> participants) {
    Board board = BoardForming.form(session, channel, number, participants.size());
    channel.among(participants).on(board == null ? null : BoardPlace.ofGroup(board));
    return new Rank(session, channel, group, number, List.copyOf(participants), board);
  }

  /** Takes part in group {@code group} as its rank {@code number}. */
  static Rank join(Session session, long group, int number, List<Integer> participants)
      throws IOException {
    session.ask(new CoordinatorRequest.Join(group, number));
    Channel channel = new Channel(session, group, number, 0).among(participants);
    return new Rank(session, channel, group, number, List.copyOf(participants), null);
  }

  /**
   * Rank {@code number} of a group that its session has already joined, by being assembled. All
   * ranks come here together.
   */
  static Rank member(Session session, long group, int number, List<Integer> participants) {
    Channel channel = new Channel(session, group, number, 0);
    return gathered(session, channel, group, number, participants);
  }

  /** This rank's number, from 0. */
  public int number() {
    return number;
  }

  /** How many ranks the group has. */
  public int size() {
    return participants.size();
  }

  Session session() {
    return session;
  }

  long group() {
    return group;
  }

  Channel channel() {
    return channel;
  }

  /** Where the calls of the next file that the group opens meet; null if there is no such place. */
  @Nullable BoardPlace nextPlace(BoardPlace.Check check) {
    return board == null ? null : BoardPlace.ofFile(board, opens.getAndIncrement(), check);
  }

  Collectives collectives() {
    return collectives;
  }

  Ranks ranks() {
    return new Ranks(number, participants);
  }

  int participant(int rank) {
    return participants.get(rank);
  }

  /** Waits until all ranks are here. */
  public void barrier() throws IOException {
    channel.meet("barrier", 0, "", 0);
  }

  /** What a rank does in {@link #together}. */
  public interface Part {
    /** Does it. */
    void run() throws IOException;
  }

  /**
   * Does each rank's part, and fails on all ranks if one has failed, so that nobody goes on alone.
   * Collective: all must say the same {@code call}.
   */
  public void together(String call, Part part) throws IOException {
    channel.together(
        "together",
        0,
        call,
        () -> {
          part.run();
          return 0;
        });
  }

  /** Gives {@code root}'s bytes to all; the other ranks' argument is ignored. */
  public byte[] broadcast(int root, byte[] bytes) throws IOException {
    return collectives.broadcast(root, bytes);
  }

  /**
   * Fills {@code inPlace} on all ranks with what it holds on {@code root}; all must have the same
   * length.
   */
  public void broadcast(int root, MemorySegment inPlace) throws IOException {
    collectives.broadcast(root, inPlace);
  }

  /** All ranks' bytes, by rank, on {@code root}; an empty list elsewhere. Lengths may differ. */
  public List<byte[]> gather(int root, byte[] mine) throws IOException {
    return collectives.gather(root, mine);
  }

  /** All ranks' bytes, by rank, on every rank. Lengths may differ. */
  public List<byte[]> allGather(byte[] mine) throws IOException {
    return collectives.allGather(mine);
  }

  /**
   * Gives {@code parts.get(i)} to rank i and returns what each rank gave to this one. Lengths may
   * differ.
   */
  public List<byte[]> allToAll(List<byte[]> parts) throws IOException {
    return collectives.allToAll(parts);
  }

  /** Every rank's value, by rank, on every rank: the cheapest exchange there is. */
  public List<Long> allGather(long mine) throws IOException {
    return channel.meet("allGather", 0, "a long", mine).values();
  }

  /**
   * Combines all ranks' values in order of rank, on every rank, so that the result is the same each
   * time.
   */
  public double allReduceDouble(double mine, DoubleBinaryOperator operator) throws IOException {
    List<Long> bits =
        channel.meet("allReduce", 0, "a double", Double.doubleToRawLongBits(mine)).values();
    double result = Double.longBitsToDouble(bits.get(0));
    for (long next : bits.subList(1, bits.size())) {
      result = operator.applyAsDouble(result, Double.longBitsToDouble(next));
    }
    return result;
  }

  /** As {@link #allReduceDouble}. */
  public long allReduceLong(long mine, LongBinaryOperator operator) throws IOException {
    List<Long> values = channel.meet("allReduce", 0, "a long", mine).values();
    return values.stream().mapToLong(Long::longValue).reduce(operator).orElseThrow();
  }

  /**
   * Combines all ranks' arrays element by element in order of rank; the result is on {@code root},
   * elsewhere empty.
   */
  public double[] reduce(int root, double[] mine, DoubleBinaryOperator operator)
      throws IOException {
    return collectives.reduce(root, mine, operator);
  }

  /** As {@link #reduce(int, double[], DoubleBinaryOperator)}. */
  public long[] reduce(int root, long[] mine, LongBinaryOperator operator) throws IOException {
    return collectives.reduce(root, mine, operator);
  }

  /** Combines all ranks' arrays element by element in order of rank, on every rank. */
  public double[] allReduce(double[] mine, DoubleBinaryOperator operator) throws IOException {
    return collectives.allReduce(mine, operator);
  }

  /** As {@link #allReduce(double[], DoubleBinaryOperator)}. */
  public long[] allReduce(long[] mine, LongBinaryOperator operator) throws IOException {
    return collectives.allReduce(mine, operator);
  }

  /**
   * Sends a copy of {@code bytes}, however many, to rank {@code to}. Returns when the receiver has
   * buffered or received it; it buffers no more than its mailbox holds.
   *
   * @param tag which receive it is for; not negative
   */
  public void send(int to, int tag, MemorySegment bytes) throws IOException {
    collectives.send(to, checkTag(tag), bytes);
  }

  /** As {@link #send(int, int, MemorySegment)}. */
  public void send(int to, int tag, byte[] bytes) throws IOException {
    collectives.send(to, checkTag(tag), MemorySegment.ofArray(bytes));
  }

  /**
   * Waits for a message of rank {@code from}, or of {@link #ANY}, with this tag, or with any. A
   * message that is longer than an array can be is refused with INVALID and stays.
   */
  public Received receive(int from, int tag) throws IOException {
    return collectives.receive(from, tag == ANY ? Mailbox.ANY_TAG : checkTag(tag));
  }

  /**
   * As {@link #receive(int, int)}, into memory; returns the length. A longer message is refused
   * with INVALID and stays, to be received into more memory.
   */
  public long receive(int from, int tag, MemorySegment into) throws IOException {
    return collectives.receive(from, tag == ANY ? Mailbox.ANY_TAG : checkTag(tag), into);
  }

  private static long checkTag(int tag) {
    if (tag < 0) {
      throw new IllegalArgumentException("tag " + tag + " is negative");
    }
    return tag;
  }

  /**
   * Splits the group: ranks that give the same {@code color} form a new one, ordered by {@code
   * key}, then by their numbers here. With a negative color a rank gets a group of its own.
   */
  public Rank split(int color, int key) throws IOException {
    var reply = (CoordinatorReply.Split) channel.meet("split", "", new Effect.Split(color, key));
    return reply.rank() < 0 ? alone() : meetMembers("split", reply.group(), reply.rank());
  }

  /** This participant in a group whose members do not know each other yet. */
  private Rank meetMembers(String call, long newGroup, int newNumber) throws IOException {
    Channel fresh = new Channel(session, newGroup, newNumber, 0);
    List<Integer> members =
        fresh.meet(call + ": who is who", 0, "", session.participant()).values().stream()
            .map(Long::intValue)
            .toList();
    return gathered(session, fresh, newGroup, newNumber, members);
  }

  /**
   * Some ranks of this group as a group of their own: those that call this with the same {@code
   * name}. Unlike {@link #split} the others need not call anything, and may be in the middle of
   * something else; a rank that stays away is missed only after the time that synchronizing calls
   * wait.
   *
   * @param name what the ranks find each other by
   * @param ranks how many will come
   * @param asNumber which of them this one is to be
   */
  public Rank subgroup(String name, int ranks, int asNumber) throws IOException {
    long waitNanos = session.limits().meetingNanos();
    var request =
        new CoordinatorRequest.Assemble(
            CoordinatorRequest.Assemble.jobOfGroup(group, name), asNumber, ranks, "", waitNanos);
    var made = (CoordinatorReply.Assembled) awaitOthers(request);
    return meetMembers("subgroup", made.group(), asNumber);
  }

  /**
   * Goes on without the ranks that have ended: every living rank of the group calls this, and
   * together they are a new group, in the order of their numbers here. It is what to do after a
   * {@link org.millrace.error.RankFailedException}. The first call ends the group for all: whatever
   * is or will be waiting in its synchronizing calls, or for messages of who has come here, fails
   * with RankFailedException. Files that it has open are the old group's: close and open again.
   *
   * <p>Fails with {@link org.millrace.error.DeadlineException} on all who came if a living rank
   * does not come; then it may be called again.
   */
  public Rank regroup() throws IOException {
    Gatherings gatherings = session.gatherings();
    if (gatherings != null) {
      gatherings.end(group);
    }
    if (board != null) {
      board.end();
    }
    var request = new CoordinatorRequest.Regroup(group, number, session.limits().meetingNanos());
    var made = (CoordinatorReply.Regrouped) awaitOthers(request);
    List<Integer> members = made.former().stream().map(participants::get).toList();
    Channel fresh = new Channel(session, made.group(), made.rank(), 0);
    return gathered(session, fresh, made.group(), made.rank(), members);
  }

  private Message awaitOthers(CoordinatorRequest request) throws IOException {
    Pending pending = session.coordinator().start(request, Session.NOTHING);
    try {
      return pending.await(session.meetingDeadline());
    } catch (DeadlineException e) { // the coordinator gives up, too, and says who is missing
      return Channel.awaitCoordinator(pending, session);
    }
  }

  /** This participant in a group of its own. */
  public Rank alone() throws IOException {
    return join(session, session.form(1), 0, List.of(session.participant()));
  }

  /**
   * Waits for the group's lock of this name. It is given back by {@link HeldLock#close}. Locks that
   * wait for each other in a circle fail with {@link org.millrace.error.DeadlockException}.
   */
  public HeldLock lock(String name) throws IOException {
    String whole = "group " + group + "/" + name;
    boolean alone = session.operations().isIdle();
    return HeldLock.acquire(
        session,
        new CoordinatorRequest.Lock(group, number, whole, 0, Long.MAX_VALUE, false, alone, false));
  }

  /**
   * Waits on the rank's own thread for an asynchronous operation of it, and returns what it
   * returned. Unlike {@link CompletableFuture#join} the wait is part of the picture of who waits
   * for whom: if the operation waits for ranks that wait for this one, it fails with {@link
   * org.millrace.error.DeadlockException}.
   */
  public long await(CompletableFuture<Long> operation) throws IOException {
    Env env = session.env();
    var _ = operation.whenComplete((_, _) -> session.operations().wake());
    try (DeclaredWait wait = DeclaredWait.forOwn(session, group, number, "an operation")) {
      while (!session
          .operations()
          .awaitDone(operation, env.deadlineAfter(DeclaredWait.DECLARE_AFTER_NANOS))) {
        wait.declare(session.operations().underWay());
      }
    }
    try {
      return operation.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException io -> throw io;
        case RuntimeException wrong -> throw wrong;
        case null, default -> throw e;
      }
    }
  }

  /**
   * Opens a file for all ranks of the group. All must give the same path and options.
   * Synchronizing.
   */
  public SharedFile open(String path, OpenOptions options) throws IOException {
    return FileOpening.open(this, channel, path, options);
  }

  /**
   * Whether another rank of the group has a file open more often than this one, in whatever groups:
   * then this one may open it by {@linkplain OpenOptions#withJoining joining}. Not synchronizing.
   */
  public boolean isOpenElsewhere(String path) throws IOException {
    var request = new CoordinatorRequest.AskOpens(group, number, path);
    return ((CoordinatorReply.Value) session.ask(request)).value() == 1;
  }

  /**
   * Begins a transaction of this rank alone: several accesses to files that this participant has
   * open, in this group or others, all or nothing. Not synchronizing.
   */
  public Transaction begin() {
    return Transaction.begin(this, _ -> {});
  }

  /** Directories and names of files. */
  public FileNames names() {
    return new FileNames(session);
  }

  /**
   * Changes how much memory each node of the cluster may use for its cache, for all who use the
   * cluster, and until somebody changes it again. Collective: all ranks must give the same. Nodes
   * in other processes allow it to the cluster's owner only; for others it fails on all ranks with
   * NOT_PERMITTED.
   *
   * @param bytesPerNode at least one block
   */
  public void setCacheBytes(long bytesPerNode) throws IOException {
    var request = new NodeRequest.SetCacheBytes(bytesPerNode);
    channel.together(
        "setCacheBytes",
        bytesPerNode,
        "",
        () -> number == 0 ? session.askNodes(request).size() : 0);
  }

  /** What each node's cache and disk have done, by name of the counter. Not synchronizing. */
  public List<Map<String, Long>> report() throws IOException {
    return session.askNodes(new NodeRequest.AskReport()).stream()
        .map(reply -> ((NodeReply.Report) reply).counters())
        .toList();
  }

  /**
   * Changes how much memory this rank may use for copies of remote blocks, over all files that it
   * opens with {@link OpenOptions#withDataCache}; at first there is none. What is too much is
   * forgotten at once. Not synchronizing.
   */
  public void setDataCacheBytes(long bytes) {
    session.dataCache().setBytes(bytes);
  }

  /** What this rank's copies of remote blocks take, and what they were good for. */
  public DataCacheReport dataCache() {
    return session.dataCache().report();
  }

  /**
   * Leaves the group: others that need this rank from now on fail. For the code that started it.
   */
  public void leave(String reason) throws IOException {
    session.ask(new CoordinatorRequest.Leave(group, number, reason));
  }

  @Override
  public String toString() {
    return "rank " + number + " of " + size();
  }
}
