package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    Groups groups,
    Opens opens,
    MeetingEffects effects,
    Meetings meetings,
    Journal journal,
    Removals removals,
    Revocations revocations,
    Fences fences,
    NodeRegistry nodes) {

  private static final CoordinatorReply.Done DONE = new CoordinatorReply.Done();

  void register(
      Peer from, CoordinatorRequest.Register request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "register a node");
    nodes.checkNode(request.node());
    options.places().onRegistered(request.node());
    nodes.register(from, request.node(), request.address());
    revocations.onRegistered(request.node());
    answers.reply(replyTo, DONE);
  }

  void heartbeat(
      Peer from, CoordinatorRequest.Heartbeat request, ReplyTo replyTo, DeferredReplies answers)
      throws MillraceException {
    rules.checkSuperuser(User.of(from), "speak for a node");
    nodes.checkNode(request.node());
    removals.removed(request.node(), request.removed());
    answers.reply(
        replyTo,
        new CoordinatorReply.Removals(
            removals.of(request.node()),
            revocations.of(request.node()),
            fences.epoch(),
            fences.onHeartbeat(request),
            fences.returned(request)));
  }

  void askCluster(Peer from, ReplyTo replyTo, DeferredReplies answers) {
    Map<String, String> settings = new HashMap<>(options.settings());
    settings.putAll(options.places().asSettings());
    answers.reply(
        replyTo,
        new CoordinatorReply.Facts(options.cluster(), nodes.facts(), settings, from.user()));
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
        for (Group group : groups.all()) {
          for (Open open : group.opens.values()) {
            if (names.byId(open.file()).filter(entry -> rules.owns(user, entry)).isPresent()) {
              taken.add(open);
            }
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
      if (entry.isDirectory()) {
        throw new MillraceException(
            ErrorCode.WRONG_KIND, Paths.show(path) + " is a directory, not a file");
      }
      files.add(entry);
    }
    return files;
  }
}
