package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.layout.Copies;
import org.millrace.layout.CopySet;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.StrandId;

/**
 * Decides which nodes hold copies of strands and which of them own them. A set changes only by a
 * change of the names, under a higher epoch, and nobody is told of a set that is not durable.
 *
 * <p>A node whose session has ended, and whose lease is over, has its strands taken over by the
 * next copies in sync. A lease is over {@link CoordinatorRequest.Heartbeat#LEASE_NANOS} after the
 * node's last heartbeat; nodes count from the moment at which they sent it, so that theirs is over
 * sooner.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class CopyRequests {

  /** How many strands a node is told to rebuild at a time. */
  static final int MAX_AT_A_TIME = 256;

  private static final long SOON_NANOS = 1_000_000_000L;

  // constant after construction
  private final CoordinatorOptions options;
  private final Names names;
  private final NameRules rules;
  private final Journal journal;
  private final NodeRegistry nodes;
  private final Timers timers;

  CopyRequests(
      CoordinatorOptions options,
      Names names,
      NameRules rules,
      Journal journal,
      NodeRegistry nodes,
      Timers timers) {
    this.options = options;
    this.names = names;
    this.rules = rules;
    this.journal = journal;
    this.nodes = nodes;
    this.timers = timers;
  }

  /** Nodes that do not come after a start of the coordinator are lost, too. */
  void start() {
    if (options.secret().isPresent()) {
      timers.after(
          options.graceNanos() + NodeRegistry.STARTING_NANOS + SOON_NANOS, _ -> onNodesChanged());
    }
  }

  void ask(CoordinatorRequest.AskCopies request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    reply(require(request.strand()), replyTo, answers);
  }

  private void reply(CopySet set, ReplyTo replyTo, DeferredReplies answers) {
    journal.whenDurable(
        CommitCallback.replying(replyTo, new CoordinatorReply.CopiesAt(set)), answers);
  }

  private CopySet require(StrandId strand) throws MillraceException {
    return names
        .copies(strand.file(), strand.strand())
        .orElseThrow(() -> new NoSuchNameException("no " + strand + " that has copies"));
  }

  void leave(
      Peer from, CoordinatorRequest.LeaveCopies request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    CopySet set = requireOwned(request.strand(), request.node(), request.epoch());
    long epoch = names.copyEpoch() + 1;
    if (request.missed().contains(request.node())) {
      change(request.strand(), resigned(set, request, epoch));
    } else {
      change(request.strand(), set.without(request.missed(), epoch));
    }
    reply(require(request.strand()), replyTo, answers);
  }

  void join(
      Peer from,
      CoordinatorRequest.JoinCopies request,
      NodeRequests drained,
      ReplyTo replyTo,
      DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    CopySet set = requireOwned(request.strand(), request.node(), request.epoch());
    if (!set.all().contains(request.joined())
        && drained.mayJoin(request.strand().file(), set, request.joined())) {
      List<Integer> missing = new ArrayList<>(set.missing());
      missing.add(request.joined());
      drained.onJoined(request.joined());
      set = new CopySet(set.epoch(), set.inSync(), missing);
    }
    change(request.strand(), set.with(request.joined(), names.copyEpoch() + 1));
    reply(require(request.strand()), replyTo, answers);
  }

  /** The owner cannot serve the strand: another that is in sync does, best one that is there. */
  private CopySet resigned(CopySet set, CoordinatorRequest.LeaveCopies request, long epoch)
      throws MillraceException {
    List<Integer> others =
        set.others().stream().filter(node -> !request.missed().contains(node)).toList();
    if (others.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID, "no other node has all of " + request.strand() + ", its owner must");
    }
    int next =
        others.stream().filter(node -> !nodes.isDown(node)).findFirst().orElse(others.getFirst());
    return set.without(request.missed(), epoch).ownedBy(next, epoch);
  }

  private void change(StrandId strand, CopySet set) {
    journal.write(new NameChange.StrandCopies(strand.file(), strand.strand(), set));
  }

  private CopySet requireOwned(StrandId strand, int node, long epoch) throws MillraceException {
    CopySet set = require(strand);
    if (set.owner() != node || set.epoch() != epoch) {
      throw new MillraceException(
          ErrorCode.MOVED,
          "%s is node %s's at epoch %s, not node %s's at epoch %s"
              .formatted(strand, set.owner(), set.epoch(), node, epoch));
    }
    return set;
  }

  void rebuilds(
      Peer from, CoordinatorRequest.AskRebuilds request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    var reply = new CoordinatorReply.Rebuilds(rebuilds(request.node(), MAX_AT_A_TIME));
    journal.whenDurable(CommitCallback.replying(replyTo, reply), answers);
  }

  /** Some of the strands that a node owns and that want copies rebuilt. */
  List<StrandId> rebuilds(int owner, int most) {
    List<StrandId> wanted = new ArrayList<>();
    for (CopiedFile file : names.incompleteFiles()) {
      file.changed.forEach(
          (strand, set) -> {
            if (wanted.size() < most
                && set.owner() == owner
                && set.missing().stream().anyMatch(node -> !nodes.isDown(node))
                && names.byId(file.id).isPresent()) {
              wanted.add(new StrandId(file.id, strand));
            }
          });
    }
    return wanted;
  }

  void setCopies(
      Peer from, CoordinatorRequest.SetCopies request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    NameEntry entry = rules.requireOwn(User.of(from), request.path(), "set the copies of");
    if (!entry.isDirectory()) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          Paths.show(request.path()) + " is a file: its copies were chosen when it was made");
    }
    if (request.copies() < 0 || request.copies() > Math.min(Copies.MAX, nodeCount())) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s copies, of which there can be 1 to %s on %s nodes"
              .formatted(request.copies(), Math.min(Copies.MAX, nodeCount()), nodeCount()));
    }
    NameRequests.answer(
        journal,
        from,
        () -> {
          journal.write(new NameChange.DirectoryCopies(entry.id, request.copies()));
          return new CoordinatorReply.Done();
        },
        replyTo,
        answers);
  }

  private int nodeCount() {
    return new NodeRoster(options, names).used().size();
  }

  /** A copy of a drained node leaves for good. */
  void drop(
      Peer from,
      CoordinatorRequest.DropCopy request,
      NodeRequests drained,
      ReplyTo replyTo,
      DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    CopySet set = requireOwned(request.strand(), request.node(), request.epoch());
    change(request.strand(), drained.dropped(set, request.dropped(), names.copyEpoch() + 1));
    reply(require(request.strand()), replyTo, answers);
  }

  /** A node's session has ended, or a node has come: strands of those that are down may move. */
  void onNodesChanged() {
    takeOver();
    long wait = nodes.leaseLeftNanos();
    if (wait > 0) {
      timers.after(wait + 1, _ -> onNodesChanged()); // by then it may have a longer one
    }
  }

  /** Gives the strands of all nodes that are down, and have no lease, to others that are not. */
  private void takeOver() {
    List<Integer> down = nodes.down();
    for (int node : down) {
      if (nodes.leaseLeftNanos(node) <= 0 && names.couldBeTakenOver(node, down)) {
        journal.write(new NameChange.NodeLost(node, names.copyEpoch() + 1, down));
      }
    }
  }
}
