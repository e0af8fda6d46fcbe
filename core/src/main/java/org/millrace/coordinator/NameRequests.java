package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FileChange;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;
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
  private final Names names;
  private final NameRules rules;
  private final FileRules files;
  private final AttributeRules attributes;
  private final Journal journal;
  private final Transactions transactions;
  private final Leftovers leftovers;

  NameRequests(Names names, NameRules rules, Journal journal, Leftovers leftovers) {
    this.names = names;
    this.rules = rules;
    this.files = new FileRules(names, rules, leftovers.clock());
    this.attributes = new AttributeRules(rules, leftovers.clock());
    this.journal = journal;
    this.transactions = leftovers.transactions();
    this.leftovers = leftovers;
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
          NameRules.checkPermissions(request.permissions());
          int permissions = Names.rankBits(request.permissions(), true);
          journal.write(
              files.makeDirectory(
                  User.of(from), pathOf(request.path()), NewFile.with(permissions)));
          return DONE;
        },
        replyTo,
        answers);
  }

  /** What a rank calls a path, which is not the root's. */
  private static FilePath pathOf(String path) throws MillraceException {
    Paths.splitBelowRoot(path);
    return FilePath.of(path);
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
        () -> {
          NameEntry entry = rules.require(User.of(from), request.path());
          if (!entry.isFile() && !entry.isDirectory()) {
            throw new MillraceException(
                ErrorCode.WRONG_KIND,
                Paths.show(request.path()) + " is " + entry.kindName() + ", not a file");
          }
          return new CoordinatorReply.About(entry.describe());
        },
        replyTo,
        answers);
  }

  void locate(
      Peer from, CoordinatorRequest.Locate request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          NameEntry entry = requireFile(request.file());
          if (entry.isOrphan()) {
            throw new NoSuchNameException("file " + entry.id + " was removed");
          }
          rules.require(User.of(from), FilePath.of(entry.path()));
          return new CoordinatorReply.About(entry.describe());
        },
        replyTo,
        answers);
  }

  private NameEntry requireFile(long id) throws MillraceException {
    return names
        .byId(id)
        .filter(NameEntry::isFile)
        .orElseThrow(() -> new NoSuchNameException("no file of id " + id));
  }

  void rename(
      Peer from, CoordinatorRequest.Rename request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          FilePath old = pathOf(request.from());
          FilePath to = pathOf(request.to());
          User user = User.of(from);
          if (request.replace()) {
            return replace(from, old, to, false);
          }
          FileRules.Renaming renaming = files.rename(user, old, to, Replacing.NEVER);
          transactions.checkRename(from, renaming.from(), renaming.to());
          renaming.change().ifPresent(journal::write);
          return DONE;
        },
        replyTo,
        answers);
  }

  /** Only a file replaces a file, and one that is open only if it may. */
  private Message replace(Peer from, FilePath old, FilePath to, boolean open)
      throws MillraceException {
    User user = User.of(from);
    NameEntry entry = rules.require(user, old.notFollowing());
    Optional<NameEntry> victim = rules.find(user, to.notFollowing()).entry();
    if (victim.isPresent()) {
      if (victim.get().isDirectory() || entry.isDirectory()) {
        throw new MillraceException(
            ErrorCode.WRONG_KIND,
            "%s cannot take the place of %s: only a file can that of a file"
                .formatted(Paths.show(old.path()), Paths.show(to.path())));
      }
      files.remove(user, to, Removing.FILE);
      if (!open) {
        checkNotOpen(victim.get(), to.path());
      }
    }
    FileRules.Renaming renaming = files.rename(user, old, to, Replacing.REPLACE);
    transactions.checkRename(from, renaming.from(), renaming.to());
    if (renaming.replaced().isEmpty()) {
      renaming.change().ifPresent(journal::write);
      return DONE;
    }
    return gone(renaming.replaced().get(), renaming.change());
  }

  void remove(
      Peer from, CoordinatorRequest.Remove request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          FileRules.Taken taken =
              files.remove(User.of(from), pathOf(request.path()), Removing.EITHER);
          transactions.checkChange(taken.entry(), "remove");
          checkNotOpen(taken.entry(), request.path());
          return gone(taken, Optional.empty());
        },
        replyTo,
        answers);
  }

  void unlink(
      Peer from, CoordinatorRequest.Unlink request, ReplyTo replyTo, DeferredReplies answers) {
    answer(
        from,
        () -> {
          FilePath path = pathOf(request.path());
          if (!request.by().isEmpty()) {
            return replace(from, pathOf(request.by()), path, true);
          }
          FileRules.Taken taken = files.remove(User.of(from), path, Removing.EITHER);
          transactions.checkChange(taken.entry(), "remove");
          return gone(taken, Optional.empty());
        },
        replyTo,
        answers);
  }

  private Message gone(FileRules.Taken taken, Optional<NameChange> then) {
    FileEntry described = taken.entry().describe();
    return leftovers.unlink(taken, then) ? new CoordinatorReply.About(described) : DONE;
  }

  private void checkNotOpen(NameEntry entry, String path) throws MillraceException {
    List<Open> users = leftovers.opens().of(entry.id);
    if (!users.isEmpty()) {
      throw new MillraceException(
          ErrorCode.IN_USE,
          Paths.show(path)
              + (users.getFirst().group().isSession()
                  ? " is open in session " + users.getFirst().group().founder.session()
                  : " is open in group " + users.getFirst().group().id)
              + (users.size() > 1 ? " and " + (users.size() - 1) + " more" : ""));
    }
    Optional<String> maker = leftovers.recalls().makerOf(entry.id, names.answers());
    if (maker.isPresent()) {
      throw new MillraceException(
          ErrorCode.IN_USE,
          Paths.show(path) + " was made by " + maker.get() + ", which is about to hear it");
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
          NameRules.checkPermissions(request.permissions());
          NameEntry entry = rules.require(user, request.path());
          transactions.checkChange(entry, "change the mode of");
          int permissions = Names.rankBits(request.permissions(), entry.isDirectory());
          journal.write(
              attributes.change(user, entry, FileChange.NONE.withPermissions(permissions)));
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
          NameEntry entry = rules.require(user, request.path());
          transactions.checkChange(entry, "change the group of");
          journal.write(attributes.change(user, entry, FileChange.NONE.withGroup(request.group())));
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
      Peer from,
      Groups groups,
      CoordinatorRequest.AskOpens request,
      ReplyTo replyTo,
      DeferredReplies answers) {
    answer(
        from,
        () -> {
          GroupMember member = groups.requireMember(from, request.group(), request.rank());
          long file = rules.require(User.of(from), request.path()).id;
          Opens opens = leftovers.opens();
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
    for (Open open : leftovers.opens().of(file)) {
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

  /** Decides a rank's request as {@link #answerAsIs}, with errors as ranks know them. */
  static void answer(
      Journal journal, Peer from, Decision decision, ReplyTo replyTo, DeferredReplies answers) {
    answerAsIs(
        journal,
        from,
        () -> {
          try {
            return decision.decide();
          } catch (MillraceException e) {
            throw NameRules.forRanks(e);
          }
        },
        replyTo,
        answers);
  }

  /** Decides a request, and answers it when that is durable. What it changes keeps the answer. */
  static void answerAsIs(
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
