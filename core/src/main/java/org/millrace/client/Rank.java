package org.millrace.client;

import static java.util.Objects.requireNonNull;

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
 * group, and the files that the group opens together. {@link #split} and {@link #alone} return the
 * same participant's rank in another group.
 *
 * <p>Operations of the group are synchronizing: every rank must make the same calls in the same
 * order. If ranks make different calls or pass different arguments, the call fails on all of them
 * with {@link org.millrace.error.MixedCallException}. If a rank ends or throws, the others fail
 * with {@link org.millrace.error.RankFailedException}.
 *
 * <p>A rank belongs to the thread that runs it; {@link #send}, {@link #receive} and {@link #names}
 * may be used by several. The code that started it closes it.
 */
public final class Rank {

  /** As sender or tag in {@link #receive}: any, the first to arrive. */
  public static final int ANY = -1;

  // constant after construction
  private final Session session;
  private final long group;
  private final int number;
  private final List<Integer> participants;
  private final Channel channel;
  private final Collectives collectives;
  private final CallLog calls;
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
    this.calls = new CallLog(session.env(), session.callReports(), group, number);
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

  CallLog calls() {
    return calls;
  }

  Ranks ranks() {
    return new Ranks(number, participants);
  }

  int participant(int rank) {
    return participants.get(rank);
  }

  /** Waits until all ranks have called it. */
  public void barrier() throws IOException {
    channel.meet("barrier", 0, "", 0);
  }

  /** What a rank does in {@link #together}. */
  public interface Part {
    /** Does it. */
    void run() throws IOException;
  }

  /**
   * Runs each rank's part, and fails on all ranks if one has failed. Collective: all ranks must
   * pass the same {@code call}.
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

  /**
   * Finds out, before a call begins, whether all ranks make it, with the same arguments, and can.
   * Whatever comes of it, all ranks learn the same. Synchronizing.
   */
  public Agreement.Outcome agree(Agreement mine) throws IOException {
    return mine.reach(this);
  }

  /** Sends {@code root}'s bytes to all ranks; the argument of the others is ignored. */
  public byte[] broadcast(int root, byte[] bytes) throws IOException {
    return collectives.broadcast(root, bytes);
  }

  /**
   * Copies {@code inPlace} of {@code root} to that of all other ranks; all must have the same
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
   * Sends {@code parts.get(i)} to rank i and returns what each rank sent to this one. Lengths may
   * differ.
   */
  public List<byte[]> allToAll(List<byte[]> parts) throws IOException {
    return collectives.allToAll(parts);
  }

  /** Every rank's value, by rank, on every rank: the cheapest exchange. */
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
    return allReduce("an operation", mine, operator);
  }

  /** As {@link #allReduce(double[], DoubleBinaryOperator)}. */
  public long[] allReduce(long[] mine, LongBinaryOperator operator) throws IOException {
    return allReduce("an operation", mine, operator);
  }

  /**
   * As {@link #allReduce(double[], DoubleBinaryOperator)}, by an operation that has a name. All
   * ranks must give the same name: operators cannot be compared.
   */
  public double[] allReduce(String operation, double[] mine, DoubleBinaryOperator operator)
      throws IOException {
    return collectives.allReduce(operation, mine, operator);
  }

  /** As {@link #allReduce(String, double[], DoubleBinaryOperator)}. */
  public long[] allReduce(String operation, long[] mine, LongBinaryOperator operator)
      throws IOException {
    return collectives.allReduce(operation, mine, operator);
  }

  /**
   * Sends a copy of {@code bytes}, of any length, to rank {@code to}. Returns when the receiver has
   * buffered or received it; the receiver buffers up to the limit of its mailbox.
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
   * Waits for a message of rank {@code from}, or of {@link #ANY}, with this tag, or with any. If
   * the message is longer than an array can be, the call fails with INVALID, and the message stays
   * in the mailbox.
   */
  public Received receive(int from, int tag) throws IOException {
    return collectives.receive(from, tag == ANY ? Mailbox.ANY_TAG : checkTag(tag));
  }

  /**
   * As {@link #receive(int, int)}, into memory; returns the length. If the message is longer than
   * the memory, the call fails with INVALID, and the message can be received into more memory.
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
   * Splits the group: ranks with the same {@code color} form a new group, ordered by {@code key},
   * then by their numbers here. With a negative color a rank gets a group of its own.
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
   * name}. Unlike with {@link #split}, the other ranks need not call it. If one of the ranks does
   * not call it, the call fails after the timeout of synchronizing calls.
   *
   * @param name by which the ranks find each other
   * @param ranks the size of the new group
   * @param asNumber this rank's number in it
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
   * Continues without the ranks that have ended: all living ranks of the group call this and form a
   * new group, in the order of their numbers here. Use it after a {@link
   * org.millrace.error.RankFailedException}. The first call ends the old group: its synchronizing
   * calls, and receives from ranks that have called this, fail with RankFailedException. Open files
   * belong to the old group: close them and open them again.
   *
   * <p>If a living rank does not call it, it fails with {@link
   * org.millrace.error.DeadlineException} on the ranks that did; they may call it again.
   */
  public Rank regroup() throws IOException {
    LocalMeetings localMeetings = session.localMeetings();
    if (localMeetings != null) {
      localMeetings.end(group);
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

  /** This participant as the only rank of a group. */
  public Rank alone() throws IOException {
    return join(session, session.form(1), 0, List.of(session.participant()));
  }

  /**
   * Waits for the group's lock of this name. {@link HeldLock#close} releases it. Circular waits for
   * locks fail with {@link org.millrace.error.DeadlockException}.
   */
  public HeldLock lock(String name) throws IOException {
    String whole = "group " + group + "/" + name;
    boolean alone = session.operations().isIdle();
    return HeldLock.acquire(
        session,
        new CoordinatorRequest.Lock(group, number, whole, 0, Long.MAX_VALUE, false, alone, false));
  }

  /**
   * Waits on the rank's own thread for one of its asynchronous operations, and returns its result.
   * Unlike with {@link CompletableFuture#join}, the coordinator knows of the wait: if the operation
   * waits for ranks that wait for this one, it fails with {@link
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
   * Opens a file for all ranks of the group. All must pass the same path and options.
   * Synchronizing.
   */
  public SharedFile open(String path, OpenOptions options) throws IOException {
    return FileOpening.open(this, channel, path, () -> options);
  }

  /** As {@link #open(String, OpenOptions)}, in another mode than that of the options. */
  public SharedFile open(String path, OpenOptions options, Mode mode) throws IOException {
    return FileOpening.open(
        this, channel, path, () -> requireNonNull(options, "options").withMode(mode));
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
   * Changes the cache size of each node of the cluster, for all its users, until it is changed
   * again. Collective: all ranks must pass the same size. With nodes in other processes only the
   * cluster's owner may do this; for others it fails on all ranks with NOT_PERMITTED.
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

  /** Statistics of each node's cache and disk, as named counters. Not synchronizing. */
  public List<Map<String, Long>> report() throws IOException {
    return session.askNodes(new NodeRequest.AskReport()).stream()
        .map(reply -> ((NodeReply.Report) reply).counters())
        .toList();
  }

  /**
   * Changes the size of this rank's cache of remote blocks, for all files that it opens with {@link
   * OpenOptions#withDataCache}; initially 0. Blocks beyond the new size are dropped at once. Not
   * synchronizing.
   */
  public void setDataCacheBytes(long bytes) {
    session.dataCache().setBytes(bytes);
  }

  /** Size and hit counts of this rank's cache of remote blocks. */
  public DataCacheReport dataCache() {
    return session.dataCache().report();
  }

  /**
   * Leaves the group: later calls of other ranks that need this rank fail. For the code that
   * started it.
   */
  public void leave(String reason) throws IOException {
    session.callReports().tellNow();
    session.ask(new CoordinatorRequest.Leave(group, number, reason));
  }

  @Override
  public String toString() {
    return "rank " + number + " of " + size();
  }
}
