package org.millrace.coordinator;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.layout.FileEntry;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/**
 * Requests about names outside meetings. Each is decided at once, and answered when everything that
 * the answer depends on is durable. Guarded by the coordinator's lock.
 */
final class NameRequests {

  private static final CoordinatorReply.Done DONE = new CoordinatorReply.Done();

  // constant after construction
  private final Env env;
  private final Names names;
  private final NameRules rules;
  private final Opens opens;
  private final Journal journal;
  private final Removals removals;
  private final Transactions transactions;
  private final Groups groups;

  NameRequests(
      Env env,
      Names names,
      NameRules rules,
      Opens opens,
      Journal journal,
      Removals removals,
      Transactions transactions,
      Groups groups) {
    this.groups = groups;
    this.transactions = transactions;
    this.env = env;
    this.names = names;
    this.rules = rules;
    this.opens = opens;
    this.journal = journal;
    this.removals = removals;
  }

  void makeDirectory(
      Peer from,
      CoordinatorRequest.MakeDirectory request,
      ReplyTo replyTo,
      DeferredReplies answers) {
    answer(
        from,
        () -> {
          transactions.checkMakeDirectory(Paths.splitBelowRoot(request.path()));
          journal.write(rules.makeDirectory(User.of(from), request, env.wallMillis()));
          return DONE;
        },
        replyTo,
        answers);
  }

  void list(
      Peer from, CoordinatorRequest.ListNames request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> new CoordinatorReply.Names(rules.list(User.of(from), request.path())),
        replyTo,
        answers);
  }

  void stat(Peer from, CoordinatorRequest.Stat request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> new CoordinatorReply.About(rules.require(User.of(from), request.path()).describe()),
        replyTo,
        answers);
  }

  void locate(
      Peer from, CoordinatorRequest.Locate request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          String path = requireFile(request.file()).path();
          return new CoordinatorReply.About(rules.require(User.of(from), path).describe());
        },
        replyTo,
        answers);
  }

  private NameEntry requireFile(long id) throws MillraceException {
    return names
        .byId(id)
        .filter(e -> !e.isDirectory())
        .orElseThrow(() -> new NoSuchNameException("no file of id " + id));
  }

  void rename(
      Peer from, CoordinatorRequest.Rename request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          User user = User.of(from);
          NameEntry entry = rules.require(user, request.from());
          transactions.checkRename(from, entry, Paths.splitBelowRoot(request.to()));
          return request.replace() ? replace(user, request) : rename(user, request);
        },
        replyTo,
        answers);
  }

  private Message rename(User user, CoordinatorRequest.Rename request) throws MillraceException {
    journal.write(rules.rename(user, request));
    return DONE;
  }

  private Message replace(User user, CoordinatorRequest.Rename request) throws MillraceException {
    Optional<NameEntry> old = rules.replaceable(user, request);
    if (old.isEmpty()) {
      return rename(user, request);
    }
    checkNotOpen(old.get(), request.to());
    if (rules.require(user, request.from()) == old.get()) {
      return DONE;
    }
    NameChange.Rename rename = rules.rename(user, request);
    FileEntry replaced = old.get().describe();
    removals.replace(old.get(), rename);
    transactions.removeOrphans(removals);
    return new CoordinatorReply.About(replaced);
  }

  void remove(
      Peer from, CoordinatorRequest.Remove request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          NameEntry entry = rules.requireRemovable(User.of(from), request.path());
          transactions.checkChange(entry, "remove");
          checkNotOpen(entry, request.path());
          FileEntry removed = entry.describe();
          removals.remove(entry);
          transactions.removeOrphans(removals);
          return new CoordinatorReply.About(removed);
        },
        replyTo,
        answers);
  }

  private void checkNotOpen(NameEntry entry, String path) throws MillraceException {
    List<Open> users = opens.of(entry.id);
    if (!users.isEmpty()) {
      throw new MillraceException(
          ErrorCode.IN_USE,
          Paths.show(path)
              + " is open in group "
              + users.getFirst().group().id
              + (users.size() > 1 ? " and " + (users.size() - 1) + " more" : ""));
    }
    for (Map.Entry<Long, Long> made : names.answers().makersOf(entry.id).entrySet()) {
      if (groups.find(made.getKey()).filter(group -> group.awaits(made.getValue())).isPresent()) {
        throw new MillraceException(
            ErrorCode.IN_USE,
            Paths.show(path)
                + " was made by group "
                + made.getKey()
                + ", which is about to hear it");
      }
    }
  }

  void setPermissions(
      Peer from,
      CoordinatorRequest.SetPermissions request,
      ReplyTo replyTo,
      DeferredReplies answers) {
    answer(
        from,
        () -> {
          User user = User.of(from);
          transactions.checkChange(rules.require(user, request.path()), "change the mode of");
          journal.write(rules.setPermissions(user, request));
          return DONE;
        },
        replyTo,
        answers);
  }

  void setGroup(
      Peer from, CoordinatorRequest.SetGroup request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          User user = User.of(from);
          transactions.checkChange(rules.require(user, request.path()), "change the group of");
          journal.write(rules.setGroup(user, request));
          return DONE;
        },
        replyTo,
        answers);
  }

  void confirm(
      Peer from, CoordinatorRequest.Confirm request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          NameEntry entry = requireFile(request.file());
          if (!rules.isSuperuser(User.of(from)) && !hasOpen(from, request.file())) {
            throw new MillraceException(
                ErrorCode.NOT_PERMITTED,
                "session " + from.session() + " does not have file " + request.file() + " open");
          }
          if (!entry.confirmed) {
            journal.write(new NameChange.Confirm(entry.id, true));
          }
          return DONE;
        },
        replyTo,
        answers);
  }

  /** Whether another rank of a member's group has a file open more often than the member. */
  void opens(
      Peer from, CoordinatorRequest.AskOpens request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          GroupMember member = groups.requireMember(from, request.group(), request.rank());
          long file = rules.require(User.of(from), request.path()).id;
          long own = opens.by(member.actor, file);
          boolean ahead =
              member.group.joinedMembers().stream()
                  .anyMatch(other -> !other.hasLeft() && opens.by(other.actor, file) > own);
          return new CoordinatorReply.Value(ahead ? 1 : 0);
        },
        replyTo,
        answers);
  }

  void files(Peer from, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          rules.checkSuperuser(User.of(from), "ask for all files");
          return new CoordinatorReply.Files(
              names.files().stream().map(NameEntry::describe).toList());
        },
        replyTo,
        answers);
  }

  private boolean hasOpen(Peer peer, long file) {
    for (Open open : opens.of(file)) {
      for (GroupMember member : open.group().joinedMembers()) {
        if (!member.hasLeft() && member.actor.peer.session() == peer.session()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Something that is decided now. */
  interface Decision {
    Message decide() throws MillraceException;
  }

  private void answer(Peer from, Decision decision, ReplyTo replyTo, DeferredReplies answers) {
    answer(journal, from, decision, replyTo, answers);
  }

  /** Decides a request, and answers it when that is durable. What it changes keeps the answer. */
  static void answer(
      Journal journal, Peer from, Decision decision, ReplyTo replyTo, DeferredReplies answers) {
    CommitCallback commit;
    int mark = journal.mark();
    try {
      Message reply = decision.decide();
      journal.answer(mark, from, replyTo, reply);
      commit = CommitCallback.replying(replyTo, reply);
    } catch (MillraceException e) {
      commit = CommitCallback.failing(replyTo, e);
    }
    journal.whenDurable(commit, answers);
  }
}
