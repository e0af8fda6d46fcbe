package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Boards;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.message.Staging;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.RankRequest.Deliver;
import org.millrace.transfer.Buffers;
import org.millrace.transfer.Carrier;
import org.millrace.transfer.Landings;
import org.millrace.transfer.NodeLinks;
import org.millrace.transfer.Transfers;

/**
 * A participant's ways to everybody else: the coordinator, the nodes and the other participants of
 * its run. Whoever assembles a cluster makes one for each rank it starts; programs see it only
 * through their {@link Rank}.
 *
 * <p>Safe for use by several threads. Closing ends the participant for all others.
 */
public final class Session implements AutoCloseable {

  static final MemorySegment NOTHING = MemorySegment.NULL;

  /** A part of a long message, which has the time of one operation to come. */
  private static final long FETCH_BYTES = 16L << 20;

  // constant after construction
  private final Env env;
  private final Limits limits;
  private final Transfers transfers;
  private final int participant;
  private final Link coordinator;
  private final NodeLinks nodes;
  private final AtomicLong waits = new AtomicLong();
  private final Outbox outbox;
  private final Mailbox mailbox;
  private final Landings landings;
  private final MeetingTree tree;
  private final Carrier carrier;
  private final Operations operations;
  private final Renewals renewals;
  private final OpenTransactions transactions = new OpenTransactions();
  private final Queue<OpenFile> openFiles = new ConcurrentLinkedQueue<>(); // as they were opened
  private final DataCache dataCache = new DataCache();
  private final @Nullable Gatherings gatherings;
  private final @Nullable Boards boards;
  private final Queue<Pending> unheard = new ConcurrentLinkedQueue<>();

  /**
   * A session of participant {@code participant}.
   *
   * @param nodes its links to the nodes; they are closed with this session
   * @param participants gives a link to another participant's mailbox
   * @param staging memory that nodes and participants in other processes can reach
   * @param gatherings where participants gather all of whose groups are in this JVM; else null
   * @param boards where participants that are processes may meet; null if they do not try, which is
   *     the same for all of them
   */
  public Session(
      Env env,
      Limits limits,
      Transfers transfers,
      int participant,
      Link coordinator,
      NodeLinks nodes,
      IntFunction<Link> participants,
      Staging staging,
      @Nullable Gatherings gatherings,
      @Nullable Boards boards) {
    this.gatherings = gatherings;
    this.boards = boards;
    this.env = env;
    this.limits = limits;
    this.transfers = transfers;
    this.participant = participant;
    this.coordinator = coordinator;
    this.nodes = nodes;
    this.carrier =
        new Carrier(
            env,
            limits.operationNanos(),
            participant,
            nodes,
            participants,
            staging,
            new Buffers(staging));
    this.outbox = new Outbox(env);
    this.mailbox = new Mailbox(env, limits.mailboxBytes(), outbox, this::fetch);
    this.landings = new Landings(env, mailbox);
    this.tree = new MeetingTree(env, landings);
    this.operations = new Operations(env, "participant " + participant, limits.operations());
    this.renewals = new Renewals(this, env);
  }

  Env env() {
    return env;
  }

  Limits limits() {
    return limits;
  }

  Transfers transfers() {
    return transfers;
  }

  int participant() {
    return participant;
  }

  /** A link to a node, to be asked for anew with each open: links to nodes that ended are dead. */
  Link node(int number) {
    return nodes.link(number);
  }

  NodeLinks nodes() {
    return nodes;
  }

  Link coordinator() {
    return coordinator;
  }

  Link participant(int other) {
    return carrier.participants().apply(other);
  }

  /** Numbers of the waits that this participant declares. */
  AtomicLong waits() {
    return waits;
  }

  Outbox outbox() {
    return outbox;
  }

  /** Fills memory with the bytes of a message that are still the sender's. */
  void fetch(Deliver head, MemorySegment into) throws IOException {
    Link sender = participant(head.participant());
    long done = 0;
    while (done < head.bytes()) {
      long part = Math.min(FETCH_BYTES, head.bytes() - done);
      long got = sender.get(head.letter(), done, into, done, part, limits.operationNanos());
      if (got != part) {
        throw new MillraceException(
            ErrorCode.PROTOCOL, "%d bytes of a message where %d were said".formatted(got, part));
      }
      done += part;
    }
  }

  Mailbox mailbox() {
    return mailbox;
  }

  /** Where messages for this participant arrive. */
  public Endpoint inbox() {
    return tree;
  }

  MeetingTree tree() {
    return tree;
  }

  Landings landings() {
    return landings;
  }

  Carrier carrier() {
    return carrier;
  }

  Renewals renewals() {
    return renewals;
  }

  /** Where the ranks of this JVM gather, if all of a group are here. */
  @Nullable Gatherings gatherings() {
    return gatherings;
  }

  /** What makes and finds boards; null if none are tried. */
  @Nullable Boards boards() {
    return boards;
  }

  /** Nobody waits for the answer to this; but who meets later must find it done. */
  void tell(Pending request) {
    unheard.add(request);
  }

  /** Whether the coordinator has answered all that was only told to it. */
  boolean isHeard() {
    if (!unheard.isEmpty()) {
      unheard.removeIf(Pending::isDone);
    }
    return unheard.isEmpty();
  }

  DataCache dataCache() {
    return dataCache;
  }

  OpenTransactions transactions() {
    return transactions;
  }

  Operations operations() {
    return operations;
  }

  Queue<OpenFile> openFiles() {
    return openFiles;
  }

  /**
   * Makes durable what the program wrote to files that it has not closed. For whoever started it,
   * after it ended well: a program that forgets to close loses nothing, but should be told.
   *
   * @return what to tell, a line for each file
   * @throws IOException if something is not durable, after all files were tried
   */
  public List<String> flushUnclosed() throws IOException {
    Map<String, Integer> told = new TreeMap<>();
    IOException failure = null;
    for (OpenFile one : openFiles) {
      try {
        told.merge(one.flushUnclosed(), 1, Integer::sum);
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return told.entrySet().stream()
        .map(e -> e.getValue() == 1 ? e.getKey() : e.getKey() + " (" + e.getValue() + " opens)")
        .toList();
  }

  /** The instant at which an operation that begins now must have ended. */
  long deadline() {
    return env.deadlineAfter(limits.operationNanos());
  }

  /** The instant at which a call that waits for other ranks must have ended. */
  long meetingDeadline() {
    return env.deadlineAfter(limits.meetingNanos());
  }

  /** Asks the coordinator without waiting. */
  Pending start(Message request) {
    return coordinator.start(request, NOTHING);
  }

  Message ask(Message request) throws IOException {
    return coordinator.call(request, NOTHING, deadline());
  }

  /** Asks every node of the cluster the same, one after the other; what may be asked twice. */
  List<Message> askNodes(Message request) throws IOException {
    var facts = (CoordinatorReply.Facts) ask(new CoordinatorRequest.AskCluster());
    List<Message> replies = new ArrayList<>();
    for (NodeFact fact : facts.nodes()) {
      replies.add(askNode(fact.number(), request));
    }
    return replies;
  }

  private Message askNode(int number, Message request) throws IOException {
    Link link = node(number);
    try {
      return link.call(request, NOTHING, deadline());
    } catch (MillraceException e) {
      if (!NodeLinks.isDead(e)) {
        throw e;
      } // else it may have come, or come back, meanwhile
      return nodes.replace(number, link).call(request, NOTHING, deadline());
    }
  }

  /**
   * Waits for operations under way, but not for those that wait for other ranks: these may never
   * come, and must not be kept from learning that this one has ended.
   */
  public void settle() {
    operations.settle();
  }

  /** Waits for operations under way, then ends the session. Idempotent. */
  @Override
  public void close() {
    operations.close();
    renewals.close();
    tree.close();
    mailbox.close();
    carrier.buffers().close();
    coordinator.close();
    nodes.close();
  }
}
