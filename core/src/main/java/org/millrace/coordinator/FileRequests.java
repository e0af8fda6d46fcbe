package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.Asking;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.FileFacts;

/**
 * Requests of programs that are no ranks. Each is decided at once, and answered when everything
 * that the answer depends on is durable. Guarded by the coordinator's lock.
 */
final class FileRequests {

  private static final CoordinatorReply.Done DONE = new CoordinatorReply.Done();

  // constant after construction
  private final Names names;
  private final NameRules rules;
  private final FileRules files;
  private final AttributeRules attributes;
  private final FilePages pages;
  private final Journal journal;
  private final Leftovers leftovers;
  private final SessionFiles sessions;
  private final ByteLocks bytes;

  FileRequests(NameRules rules, SessionFiles sessions, ByteLocks bytes) {
    this.names = sessions.names();
    this.rules = rules;
    this.leftovers = sessions.leftovers();
    this.files = new FileRules(names, rules, leftovers.clock());
    this.attributes = new AttributeRules(rules, leftovers.clock());
    this.pages = new FilePages(names, rules);
    this.journal = sessions.journal();
    this.sessions = sessions;
    this.bytes = bytes;
  }

  void handle(Peer from, OfFile request, ReplyTo replyTo, DeferredReplies answers) {
    if (request instanceof OfFile.Open open) {
      sessions.open(from, open, replyTo, answers);
      return;
    }
    if (request instanceof OfFile.Close close) { // may be done again: its answer is not kept
      journal.whenDurable(CommitCallback.replying(replyTo, close(from, close, answers)), answers);
      return;
    }
    if (request instanceof OfFile.GiveBack givenBack) {
      sessions.delegations().onGiveBack(from, givenBack, replyTo, answers);
      return;
    }
    NameRequests.answerAsIs(
        journal, from, () -> decide(from, User.ofProgram(from), request), replyTo, answers);
  }

  /** What a request was answered before the coordinator was restarted, if that is all it needs. */
  Optional<Message> again(Peer from, KeptAnswer kept) {
    return kept.reply(facts -> asking(from, facts));
  }

  private Message decide(Peer from, User user, OfFile request) throws MillraceException {
    return switch (request) {
      case OfFile.Stat r -> at(from, rules.require(user, r.path()));
      case OfFile.ListEntries r -> {
        FilePages.Page page = pages.list(user, r);
        yield new CoordinatorReply.Entries(
            page.entries(), page.more(), sessions.issuer().asking(from, files(page.entries())));
      }
      case OfFile.MakeDirectory r ->
          made(from, files.makeDirectory(user, r.path(), r.attributes()));
      case OfFile.MakeLink r ->
          made(from, files.makeLink(user, r.path(), r.target(), r.attributes()));
      case OfFile.MakeSpecial r ->
          made(from, files.makeSpecial(user, r.path(), r.kind(), r.device(), r.attributes()));
      case OfFile.ReadLink r -> new CoordinatorReply.Target(target(user, r));
      case OfFile.Link r -> {
        var link = files.link(user, r.existing(), r.name());
        journal.write(link);
        yield at(from, names.byId(link.id()).orElseThrow());
      }
      case OfFile.Remove r -> gone(files.remove(user, r.path(), r.what()), Optional.empty());
      case OfFile.Rename r -> rename(user, r);
      case OfFile.Change r -> {
        NameEntry entry = rules.require(user, r.path());
        journal.write(attributes.change(user, entry, r.change(), r.witness()));
        yield at(from, entry);
      }
      case OfFile.ListAttributes r ->
          new CoordinatorReply.Names(
              rules.require(user, r.path()).extended.keySet().stream()
                  .filter(name -> attributes.isListed(user, name))
                  .toList());
      case OfFile.GetAttribute r ->
          new CoordinatorReply.Attribute(
              attributes.get(user, rules.require(user, r.path()), r.name()));
      case OfFile.SetAttribute r -> {
        journal.write(attributes.set(user, rules.require(user, r.path()), r));
        yield DONE;
      }
      case OfFile.RemoveAttribute r -> {
        journal.write(attributes.remove(user, rules.require(user, r.path()), r.name()));
        yield DONE;
      }
      case OfFile.CountFiles _ -> new CoordinatorReply.Value(names.count());
      case OfFile.Open _, OfFile.Close _, OfFile.GiveBack _ ->
          throw new IllegalArgumentException("answered elsewhere: " + request);
    };
  }

  private Message at(Peer from, NameEntry entry) {
    FileFacts facts = entry.facts(names.copyEpoch());
    return new CoordinatorReply.FileAt(facts, asking(from, facts));
  }

  private Asking asking(Peer from, FileFacts facts) {
    return facts.layout().isPresent()
        ? sessions.issuer().asking(from, List.of(facts.status().id()))
        : Asking.NONE;
  }

  /** The ids of those that are files. */
  private static List<Long> files(List<CoordinatorReply.Entries.Entry> entries) {
    return entries.stream()
        .filter(entry -> entry.facts().layout().isPresent())
        .map(entry -> entry.facts().status().id())
        .toList();
  }

  private Message close(Peer from, OfFile.Close request, DeferredReplies answers) {
    bytes.onClosing(from, request.open(), answers);
    if (request.accessed()) {
      sessions
          .file(from, request.open())
          .ifPresent(entry -> journal.write(attributes.accessed(entry)));
    }
    return new CoordinatorReply.FileGone(sessions.close(from, request.open(), answers));
  }

  private Message made(Peer from, NameChange.Together change) {
    journal.write(change);
    long id = ((NameChange.Make) change.changes().getFirst()).id();
    return at(from, names.byId(id).orElseThrow());
  }

  private String target(User user, OfFile.ReadLink request) throws MillraceException {
    NameEntry entry = rules.require(user, request.path().notFollowing());
    if (!entry.isLink()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s is %s, not a symbolic link"
              .formatted(Paths.show(request.path().path()), entry.kindName()));
    }
    return entry.target;
  }

  private Message rename(User user, OfFile.Rename request) throws MillraceException {
    FileRules.Renaming renaming =
        files.rename(user, request.from(), request.to(), request.replacing());
    if (renaming.replaced().isPresent()) {
      return gone(renaming.replaced().get(), renaming.change());
    }
    renaming.change().ifPresent(journal::write);
    return new CoordinatorReply.FileGone(Optional.empty());
  }

  private Message gone(FileRules.Taken taken, Optional<NameChange> then) {
    Optional<FileFacts> facts =
        Optional.of(taken.entry()).filter(NameEntry::isFile).map(e -> e.facts(names.copyEpoch()));
    boolean goes = leftovers.unlink(taken, then);
    return new CoordinatorReply.FileGone(facts.filter(_ -> goes));
  }
}
