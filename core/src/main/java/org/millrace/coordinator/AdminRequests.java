package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/** Requests of nodes and administrators. Guarded by the coordinator's lock. */
record AdminRequests(
    CoordinatorOptions options,
    Names names,
    NameRules rules,
    Opens opens,
    MeetingEffects effects,
    Meetings meetings,
    Journal journal,
    Removals removals,
    Revocations revocations,
    Fences fences,
    NodeRegistry nodes,
    CopyRequests copies,
    NodeRequests drained) {

  /** How often the coordinator was started, as a setting. */
  static final String RUNS_SETTING = "coordinator-runs";

  /** How often each node was started, as far as is known. */
  static final String EPOCHS_SETTING = "node-epochs";

  private static final CoordinatorReply.Done DONE = new CoordinatorReply.Done();

  void register(
      Peer from, CoordinatorRequest.Register request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "register a node");
    nodes.checkNode(request.node());
    drained.onRegistered(request.node());
    options.places().onRegistered(request.node());
    remember(request.node(), request.epoch());
    nodes.register(from, request.node(), request.address());
    revocations.onRegistered(request.node());
    journal.whenDurable(CommitCallback.replying(replyTo, DONE), answers);
  }

  /** Remembers which start of a node this is: one with a lower number is an older copy. */
  void remember(int node, long epoch) throws MillraceException {
    long known = names.nodeEpoch(node);
    if (epoch < known) {
      throw new CorruptBlockException(
          "node %s is an older copy: this is its start number %s, and it had start %s before"
              .formatted(node, epoch, known));
    }
    if (epoch > known) {
      journal.write(
          new NameChange.Together(
              List.of(
                  new NameChange.NodeEpoch(node, epoch),
                  new NameChange.NodeSince(node, names.copyEpoch() + 1))));
    }
  }

  void heartbeat(
      Peer from, CoordinatorRequest.Heartbeat request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    nodes.checkNode(request.node());
    removals.removed(request.node(), request.removed());
    nodes.onHeartbeat(from, request.node());
    answers.reply(
        replyTo,
        new CoordinatorReply.Removals(
            removals.of(request.node()),
            revocations.of(request.node()),
            fences.epoch(),
            fences.onHeartbeat(request),
            nodes.nowMillis(),
            fences.returned(request),
            names.lostEpoch(request.node()),
            !copies.rebuilds(request.node(), 1).isEmpty()
                || !drained.duties(request.node(), 1).isEmpty()));
  }

  void askCluster(Peer from, ReplyTo replyTo, DeferredReplies answers) {
    Map<String, String> settings = new HashMap<>(options.settings());
    settings.putAll(options.places().asSettings());
    if (journal.health().isWatched()) {
      settings.put(Health.SETTING, journal.health().text(journal.busyNanos()));
      journal.lookSoon();
    }
    settings.put(NodeRequests.USES_SETTING, drained.uses());
    if (rules.isSuperuser(User.of(from))) { // nodes ask in that name
      settings.put(RUNS_SETTING, Starts.text(journal.runs()));
      settings.put(EPOCHS_SETTING, epochs());
    }
    answers.reply(
        replyTo,
        new CoordinatorReply.Facts(options.cluster(), nodes.facts(), settings, from.user()));
  }

  private String epochs() {
    return IntStream.range(0, drained.roster().count())
        .mapToObj(node -> Long.toString(names.nodeEpoch(node)))
        .collect(Collectors.joining(","));
  }

  void shutdown(Peer from, ReplyTo replyTo, DeferredReplies answers) throws MillraceException {
    rules.checkSuperuser(User.of(from), "end the coordinator");
    answers.reply(replyTo, DONE);
    answers.afterwards(options.onShutdown());
  }

  /** Without paths: all open files that the sender may reset. With them: all or none. */
  void reset(
      Peer from, CoordinatorRequest.Reset request, ReplyTo replyTo, DeferredReplies answers) {
    CommitCallback commit;
    try {
      User user = User.of(from);
      List<Open> taken = new ArrayList<>();
      if (request.paths().isEmpty()) {
        for (Open open : opens.all()) {
          if (names.byId(open.file()).filter(entry -> rules.owns(user, entry)).isPresent()) {
            taken.add(open);
          }
        }
      } else {
        for (NameEntry entry : files(user, request.paths())) {
          taken.addAll(opens.of(entry.id));
        }
      }
      for (Open open : taken) {
        effects.takeAway(meetings, open, "user " + user + " has reset the file", answers);
      }
      commit = CommitCallback.replying(replyTo, new CoordinatorReply.Value(taken.size()));
    } catch (MillraceException e) {
      commit = CommitCallback.failing(replyTo, e);
    }
    journal.whenDurable(commit, answers);
  }

  private Set<NameEntry> files(User user, List<String> paths) throws MillraceException {
    Set<NameEntry> files = new LinkedHashSet<>();
    for (String path : paths) {
      NameEntry entry = rules.requireOwn(user, path, "reset");
      if (!entry.isFile()) {
        throw new MillraceException(
            ErrorCode.WRONG_KIND, Paths.show(path) + " is " + entry.kindName() + ", not a file");
      }
      files.add(entry);
    }
    return files;
  }
}
