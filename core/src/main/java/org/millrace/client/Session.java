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
import org.jspecify.annotations.Nullable;
import org.millrace.client.assembly.Participant;
import org.millrace.client.assembly.Participants.Links;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileTree;
import org.millrace.message.Boards;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.RankRequest.Deliver;
import org.millrace.transfer.CallBuffers;
import org.millrace.transfer.NodeLinks;
import org.millrace.transfer.ReceiveBuffers;
import org.millrace.transfer.TransferContext;
import org.millrace.transfer.TransferSettings;

/**
 * A participant's connections to the coordinator, the nodes and the other participants of its run.
 * Programs see it only through their {@link Rank}.
 *
 * <p>Safe for use by several threads. Closing ends the participant for all others.
 */
final class Session implements Participant {

  static final MemorySegment NOTHING = MemorySegment.NULL;

  /** A part of a long message, which has the time of one operation to come. */
  private static final long FETCH_BYTES = 16L << 20;

  // constant after construction
  private final Env env;
  private final Limits limits;
  private final TransferSettings transfers;
  private final int participant;
  private final Link coordinator;
  private final NodeLinks nodes;
  private final AtomicLong waits = new AtomicLong();
  private final Outbox outbox;
  private final Mailbox mailbox;
  private final ReceiveBuffers receiveBuffers;
  private final MeetingTree tree;
  private final TransferContext carrier;
  private final Operations operations;
  private final Renewals renewals;
  private final CallReports callReports;
  private final OpenTransactions transactions = new OpenTransactions();
  private final Queue<OpenFile> openFiles = new ConcurrentLinkedQueue<>(); // as they were opened
  private final DataCache dataCache = new DataCache();
  private final @Nullable LocalMeetings localMeetings;
  private final @Nullable Boards boards;

  /**
   * A session of participant {@code participant}.
   *
   * @param localMeetings where participants gather all of whose groups are in this JVM; else null
   */
  Session(
      Env env,
      Limits limits,
      TransferSettings transfers,
      int participant,
      Links links,
      @Nullable LocalMeetings localMeetings) {
    this.localMeetings = localMeetings;
    this.boards = links.boards();
    this.env = env;
    this.limits = limits;
    this.transfers = transfers;
    this.participant = participant;
    this.coordinator = links.coordinator();
    this.nodes = links.nodes();
    this.carrier =
        new TransferContext(
            env,
            limits.operationNanos(),
            participant,
            nodes,
            links.participants(),
            links.sharedBuffers(),
            new CallBuffers(env, links.sharedBuffers()));
    this.outbox = new Outbox(env);
    this.mailbox = new Mailbox(env, limits.mailboxBytes(), outbox, this::fetch);
    this.receiveBuffers = new ReceiveBuffers(env, mailbox);
    this.tree = new MeetingTree(env, receiveBuffers);
    this.operations = new Operations(env, "participant " + participant, limits.operations());
    this.renewals = new Renewals(this, env);
    this.callReports = new CallReports(this, env);
  }

  Env env() {
    return env;
  }

  Limits limits() {
    return limits;
  }

  TransferSettings transfers() {
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
      long got = sender.get(head.messageId(), done, into, done, part, limits.operationNanos());
      if (got != part) {
        throw new MillraceException(
            ErrorCode.PROTOCOL, "%s bytes of a message, %s were announced".formatted(got, part));
      }
      done += part;
    }
  }

  Mailbox mailbox() {
    return mailbox;
  }

  @Override
  public Endpoint inbox() {
    return tree;
  }

  MeetingTree tree() {
    return tree;
  }

  ReceiveBuffers receiveBuffers() {
    return receiveBuffers;
  }

  TransferContext carrier() {
    return carrier;
  }

  Renewals renewals() {
    return renewals;
  }

  CallReports callReports() {
    return callReports;
  }

  /** Where the ranks of this JVM gather, if all of a group are here. */
  @Nullable LocalMeetings localMeetings() {
    return localMeetings;
  }

  /** What makes and finds boards; null if none are tried. */
  @Nullable Boards boards() {
    return boards;
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

  @Override
  public FileTree files(AutoCloseable afterwards) {
    return new ClusterTree(this, afterwards);
  }

  @Override
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

  /** Whether a shared pointer is there now, as far as can be seen without asking. */
  boolean seesPointer(long key) {
    return coordinator.seesPointer(key);
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

  @Override
  public void settle() {
    operations.settle();
  }

  @Override
  public long form(int size) throws IOException {
    return ((CoordinatorReply.Group) ask(new CoordinatorRequest.Form(size))).group();
  }

  @Override
  public Rank join(long group, int number, List<Integer> members) throws IOException {
    return Rank.join(this, group, number, members);
  }

  @Override
  public Rank member(long group, int number, List<Integer> members) {
    return Rank.member(this, group, number, members);
  }

  @Override
  public void cutOff() {
    coordinator.close();
    nodes.close();
  }

  @Override
  public void close() {
    operations.close();
    renewals.close();
    callReports.close();
    tree.close();
    mailbox.close();
    carrier.buffers().close();
    coordinator.close();
    nodes.close();
  }
}
