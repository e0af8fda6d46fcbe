package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeAction;
import org.millrace.protocol.NodeHolding;
import org.millrace.protocol.NodeUse;
import org.millrace.protocol.StrandDuty;
import org.millrace.protocol.StrandId;

/**
 * Nodes come, are drained, replaced and removed. What a node is for is in the journal, and so is
 * each strand that has moved: a coordinator or node that is restarted goes on where it was.
 *
 * <pre>
 *   (none) --add--> used --drain--> draining --remove, if it holds nothing--> removed
 *                   draining --use--> used
 *                   used, draining --replace, if it is down--> replaced
 *                   replaced --registers with an empty disk--> used
 * </pre>
 *
 * <p>A drained node's strands that have copies are copied to another node by their owners, and then
 * leave it. A strand without copies is moved by the node itself while no group has its file open:
 * programs that have it open go on using it where it is.
 *
 * <p>Guarded by the coordinator's lock.
 */
record NodeRequests(
    CoordinatorOptions options,
    NodeRoster roster,
    Names names,
    NameRules rules,
    Journal journal,
    NodeRegistry nodes,
    Fences fences,
    Opens opens,
    Recalls recalls,
    Removals removals,
    DrainedFiles drained) {

  /** What nodes are for, as a setting: a letter for each. */
  static final String USES_SETTING = "node-uses";

  private static final int MAX_AT_A_TIME = 256;
  private static final int MAX_LOST_AT_A_TIME = 4096;

  /** A letter for each node: used, draining, gone, or lost and to be replaced. */
  String uses() {
    StringBuilder text = new StringBuilder();
    for (int node = 0; node < roster.count(); node++) {
      text.append(
          switch (roster.use(node)) {
            case USED -> 'u';
            case DRAINING -> 'd';
            case REMOVED -> 'r';
            case REPLACED -> 'l';
          });
    }
    return text.toString();
  }

  void change(
      Peer from, CoordinatorRequest.ChangeNode request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "change nodes");
    NodeAction action;
    try {
      action = NodeAction.of(request.action());
    } catch (IllegalArgumentException e) {
      throw new MillraceException(ErrorCode.INVALID, String.valueOf(e.getMessage()), e);
    }
    int node = action == NodeAction.ADD ? roster.count() : request.node();
    if (action != NodeAction.ADD) {
      requirePresent(node);
    }
    NameRequests.answer(
        journal,
        from,
        () -> {
          switch (action) {
            case ADD -> add(node);
            case DRAIN -> drain(node);
            case USE -> set(node, NodeUse.USED);
            case REPLACE -> replace(node);
            case REMOVE -> remove(node);
          }
          return new CoordinatorReply.Value(node);
        },
        replyTo,
        answers);
  }

  private void requirePresent(int node) throws MillraceException {
    nodes.checkNode(node);
    if (roster.use(node) == NodeUse.REMOVED) {
      throw new MillraceException(ErrorCode.INVALID, "node " + node + " was removed");
    }
  }

  private void set(int node, NodeUse use) {
    if (roster.use(node) != use) {
      journal.write(new NameChange.NodeState(node, use));
    }
  }

  private void add(int node) throws MillraceException {
    options.places().onAdded(node);
    journal.write(new NameChange.NodeState(node, NodeUse.USED));
    nodes.add(node);
    fences.add(node);
  }

  private void drain(int node) throws MillraceException {
    if (roster.use(node) == NodeUse.REPLACED) {
      throw new MillraceException(
          ErrorCode.INVALID, "node %s is being replaced; let that end first".formatted(node));
    }
    if (roster.used().stream().noneMatch(other -> other != node)) {
      throw new MillraceException(ErrorCode.INVALID, "no other node could take its strands");
    }
    set(node, NodeUse.DRAINING);
  }

  private void replace(int node) throws MillraceException {
    if (roster.use(node) == NodeUse.REPLACED) {
      return; // it was said before
    }
    if (nodes.isUp(node)) {
      throw new MillraceException(
          ErrorCode.IN_USE,
          "node %s is up, and its disk with it; only one that is lost can be replaced"
              .formatted(node));
    }
    journal.write(new NameChange.NodeReplaced(node, names.copyEpoch() + 1));
  }

  private void remove(int node) throws MillraceException {
    NodeHolding holds = holding(node);
    if (roster.use(node) != NodeUse.DRAINING || holds.strands() + holds.missing() > 0) {
      throw new MillraceException(
          ErrorCode.IN_USE,
          "node %s holds %s strands: drain it first, with millrace nodes drain %s"
              .formatted(node, holds.strands() + holds.missing(), node));
    }
    options.places().onRemoved(node);
    removals.forgetNode(node);
    set(node, NodeUse.REMOVED);
  }

  /** A node has registered: one that takes the place of a lost one has done so. */
  void onRegistered(int node) throws MillraceException {
    if (roster.use(node) == NodeUse.REMOVED) {
      throw new MillraceException(
          ErrorCode.REFUSED, "node %s was removed from the cluster".formatted(node));
    }
    if (roster.use(node) == NodeUse.REPLACED) {
      set(node, NodeUse.USED);
    }
  }

  void lost(Peer from, CoordinatorRequest.AskLost request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    List<StrandId> lost = new ArrayList<>();
    for (NameEntry file : names.files()) {
      for (int strand : file.lost) {
        StrandId id = new StrandId(file.id, strand);
        if (id.key() > request.after()
            && lost.size() < MAX_LOST_AT_A_TIME
            && names.holders(file.id, strand, file.layout.orElseThrow()).contains(request.node())) {
          lost.add(id);
        }
      }
    }
    journal.whenDurable(
        CommitCallback.replying(replyTo, new CoordinatorReply.Rebuilds(lost)), answers);
  }

  void holdings(ReplyTo replyTo, DeferredReplies answers) {
    List<NodeHolding> all = new ArrayList<>();
    for (HeldStrands held : held()) {
      all.add(held.toHolding(roster.use(held.node)));
    }
    journal.whenDurable(
        CommitCallback.replying(replyTo, new CoordinatorReply.Holdings(all)), answers);
  }

  private NodeHolding holding(int node) {
    return held().get(node).toHolding(roster.use(node));
  }

  /** What all nodes hold, by one look at all files. */
  private List<HeldStrands> held() {
    List<HeldStrands> all = IntStream.range(0, roster.count()).mapToObj(HeldStrands::new).toList();
    for (NameEntry file : names.files()) {
      if (roster.isDraining() && drained.isLeft(file)) {
        drained.add(file);
      }
      Layout layout = file.layout.orElseThrow();
      CopiedFile copies = file.copied;
      boolean open = copies == null && !opens.of(file.id).isEmpty();
      for (int s = 0; s < layout.strands(); s++) {
        boolean lost = file.lost.contains(s);
        if (copies == null) {
          all.get(layout.node(s)).add(true, lost, open);
        } else {
          CopySet set = copies.of(s, layout);
          boolean alone = set.inSync().size() == 1;
          set.inSync().forEach(node -> all.get(node).add(alone, lost, false));
          set.missing().forEach(node -> all.get(node).missing++);
        }
      }
    }
    return all;
  }

  /** Counts what a node holds. For one thread. */
  private static final class HeldStrands {
    final int node;
    private long strands;
    private long alone;
    private long missing;
    private long lost;
    private long open;

    HeldStrands(int node) {
      this.node = node;
    }

    void add(boolean isAlone, boolean isLost, boolean isOpen) {
      strands++;
      alone += isAlone ? 1 : 0;
      lost += isLost ? 1 : 0;
      open += isOpen ? 1 : 0;
    }

    NodeHolding toHolding(NodeUse use) {
      return new NodeHolding(node, use.number(), strands, alone, missing, lost, open);
    }
  }

  void duties(
      Peer from, CoordinatorRequest.AskDuties request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    var reply = new CoordinatorReply.Duties(duties(request.node(), MAX_AT_A_TIME));
    journal.whenDurable(CommitCallback.replying(replyTo, reply), answers);
  }

  /** Some of what a node is to do because nodes are drained, or were while there were too few. */
  List<StrandDuty> duties(int node, int most) {
    List<StrandDuty> duties = new ArrayList<>();
    Map<Integer, Long> filling = new TreeMap<>();
    if (roster.isDraining()) {
      addDuties(node, most, filling, duties);
    }
    for (CopiedFile file : names.thinFiles(roster.used().size())) {
      if (duties.size() >= most) {
        break;
      }
      addCopies(node, file, filling, duties);
    }
    return duties;
  }

  private void addDuties(int node, int most, Map<Integer, Long> filling, List<StrandDuty> duties) {
    drained.visit(
        file -> {
          if (filling.isEmpty()) {
            filling.putAll(drained.strands());
          }
          for (int s = 0; s < file.layout.orElseThrow().strands() && duties.size() < most; s++) {
            addDuty(node, file, s, filling, duties);
          }
          return duties.size() >= most;
        });
  }

  /** Strands whose last but one copy left with a drained node get it back where there is room. */
  private void addCopies(
      int node, CopiedFile file, Map<Integer, Long> filling, List<StrandDuty> duties) {
    NameEntry entry = names.byId(file.id).orElseThrow();
    file.changed.forEach(
        (strand, set) -> {
          boolean isThin =
              set.owner() == node
                  && set.all().size() < file.copies
                  && !isLeaving(set)
                  && !entry.lost.contains(strand);
          StrandId id = new StrandId(file.id, strand);
          int to = isThin ? target(id, set.all(), filling) : -1;
          if (to >= 0) {
            duties.add(new StrandDuty(id, StrandDuty.COPY, to));
          }
        });
  }

  private boolean isLeaving(CopySet set) {
    return set.all().stream().anyMatch(one -> roster.use(one) == NodeUse.DRAINING);
  }

  private void addDuty(
      int node, NameEntry file, int strand, Map<Integer, Long> filling, List<StrandDuty> duties) {
    StrandId id = new StrandId(file.id, strand);
    Layout layout = file.layout.orElseThrow();
    CopiedFile copies = file.copied;
    if (copies == null) {
      boolean mayMove =
          layout.node(strand) == node
              && roster.use(node) == NodeUse.DRAINING
              && !file.lost.contains(strand)
              && opens.of(file.id).isEmpty();
      int to = mayMove ? target(id, List.of(), filling) : -1;
      if (to >= 0) {
        duties.add(new StrandDuty(id, StrandDuty.MOVE, to));
      }
      return;
    }
    CopySet set = copies.of(strand, layout);
    List<Integer> leaving =
        set.all().stream().filter(one -> roster.use(one) == NodeUse.DRAINING).toList();
    if (set.owner() != node || leaving.isEmpty()) {
      return;
    }
    long staying = set.inSync().stream().filter(one -> !leaving.contains(one)).count();
    int to = staying < copies.copies ? target(id, set.all(), filling) : -1;
    if (to >= 0) {
      duties.add(new StrandDuty(id, StrandDuty.COPY, to));
    } else if (staying > 0) { // with fewer copies than before, if there are too few nodes
      boolean whole = staying >= copies.copies || roster.used().size() <= staying;
      int first = leaving.stream().filter(one -> one != node).findFirst().orElse(node);
      if (whole) {
        duties.add(new StrandDuty(id, StrandDuty.DROP, first));
      }
    }
  }

  /**
   * The emptiest node that is there, is used, and holds nothing of a strand; -1 if there is none.
   * Of several that are as empty a hash takes one.
   *
   * @param filling how many strands nodes hold, with those that they are about to get
   */
  private int target(StrandId id, List<Integer> holders, Map<Integer, Long> filling) {
    long least = Long.MAX_VALUE;
    List<Integer> best = new ArrayList<>();
    for (int node : roster.used()) {
      long strands = filling.getOrDefault(node, 0L);
      if (holders.contains(node) || !nodes.isUp(node) || strands > least) {
        continue;
      }
      if (strands < least) {
        best.clear();
      }
      least = strands;
      best.add(node);
    }
    if (best.isEmpty()) {
      return -1;
    }
    long hash = (id.file() * 0x9E3779B97F4A7C15L + id.strand()) >>> 33;
    int to = best.get((int) (hash % best.size()));
    filling.merge(to, 1L, Long::sum);
    return to;
  }

  /**
   * Whether a node may get a copy that it was not dealt: instead of one that is drained, or was.
   *
   * @param file whose strand has the set
   */
  boolean mayJoin(long file, CopySet set, int node) {
    boolean isThin =
        names
            .byId(file)
            .map(one -> one.copied)
            .filter(of -> set.all().size() < of.copies)
            .isPresent();
    return node >= 0
        && node < roster.count()
        && roster.used().contains(node)
        && (isThin || isLeaving(set));
  }

  /** A node gets a copy that it was not dealt. */
  void onJoined(int node) {
    drained.count(node, 1);
  }

  /** The set without a drained node, for good. */
  CopySet dropped(CopySet set, int node, long epoch) throws MillraceException {
    if (roster.use(node) != NodeUse.DRAINING) {
      throw new MillraceException(ErrorCode.INVALID, "node " + node + " is not drained");
    }
    List<Integer> left = new ArrayList<>(set.inSync());
    List<Integer> missing = new ArrayList<>(set.missing());
    left.remove(Integer.valueOf(node));
    missing.remove(Integer.valueOf(node));
    List<Integer> order = new ArrayList<>(left.stream().filter(this::isOwnerToBe).toList());
    left.stream().filter(one -> !order.contains(one)).forEach(order::add);
    if (order.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID, "no other node has all of it: node " + node + " must keep it");
    }
    drained.count(node, -1);
    boolean sameOwner = set.owner() != node;
    return new CopySet(epoch, sameOwner ? left : order, missing);
  }

  private boolean isOwnerToBe(int node) {
    return roster.use(node) != NodeUse.DRAINING && nodes.isUp(node);
  }

  void move(
      Peer from, CoordinatorRequest.MoveStrand request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    StrandId id = request.strand();
    NameEntry file =
        names
            .byId(id.file())
            .filter(entry -> entry.isFile() && entry.copied == null)
            .orElseThrow(() -> new NoSuchNameException("no " + id + " without copies"));
    int now = file.layout.orElseThrow().node(id.strand());
    if (now != request.to()) {
      if (now != request.from()
          || roster.use(now) != NodeUse.DRAINING
          || !roster.used().contains(request.to())) {
        throw new MillraceException(
            ErrorCode.INVALID,
            "%s is on node %s and does not move to %s".formatted(id, now, request.to()));
      }
      if (!opens.of(file.id).isEmpty() || recalls.isOpen()) {
        throw new MillraceException(ErrorCode.IN_USE, "the file of " + id + " is open");
      }
      journal.write(new NameChange.StrandMoved(file.id, id.strand(), request.to()));
      drained.count(request.from(), -1);
      drained.count(request.to(), 1);
    }
    journal.whenDurable(CommitCallback.replying(replyTo, new CoordinatorReply.Done()), answers);
  }
}
