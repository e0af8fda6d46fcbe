package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.FileFacts;

/**
 * Opens and closes files for sessions that are in no group. What a session has open ends with it.
 *
 * <p>Guarded by the coordinator's lock.
 */
record SessionFiles(
    SessionGroups sessions,
    Names names,
    FileOpener opener,
    Journal journal,
    Leftovers leftovers,
    CapabilityIssuer issuer,
    Delegations delegations) {

  /** Opens; if somebody may have the file open, only when all have come back who may. */
  void open(Peer from, OfFile.Open request, ReplyTo replyTo, DeferredReplies answers) {
    if (leftovers.recalls().isOpen()
        && madeBefore(from, replyTo).isEmpty()
        && opener.isThere(request.path())) {
      leftovers
          .recalls()
          .whenOver(
              late -> {
                if (!sessions.hasEnded(from)) { // or it would stay open for nobody
                  openGivenBack(from, request, replyTo, late);
                }
              });
    } else {
      openGivenBack(from, request, replyTo, answers);
    }
  }

  /** Opens when nobody else keeps bytes that the session is about to change. */
  private void openGivenBack(
      Peer from, OfFile.Open request, ReplyTo replyTo, DeferredReplies answers) {
    Optional<NameEntry> kept =
        request.flags().write() && !request.flags().exclusive()
            ? opener
                .find(request.path())
                .filter(entry -> delegations.isKeptByOthers(from.session(), entry.id))
            : Optional.empty();
    if (kept.isPresent()) {
      delegations.takeBack(
          from.session(),
          kept.get().id,
          late -> openGivenBack(from, request, replyTo, late),
          answers);
    } else {
      openNow(from, request, replyTo, answers);
    }
  }

  private void openNow(Peer from, OfFile.Open request, ReplyTo replyTo, DeferredReplies answers) {
    Group group = sessions.of(from);
    Open open;
    Message reply;
    try {
      if (request.flags().deleteOnClose() || request.flags().joins()) {
        throw new MillraceException(ErrorCode.INVALID, "open: for groups alone");
      }
      leftovers.opens().checkMayOpen(group);
      User user = User.ofProgram(from);
      int mark = journal.mark();
      Optional<NameEntry> before = madeBefore(from, replyTo);
      FileOpener.Found found =
          before.isPresent()
              ? new FileOpener.Found(before.get(), true)
              : opener.open(user, request.path(), request.flags(), request.attributes());
      open = leftovers.opens().add(group, found.entry().id, request.flags(), false);
      leftovers.recalls().onOpened(found.entry().id);
      reply = reply(from, open, found, delegations.tryDelegate(from, open));
      journal.answer(mark, from, replyTo, reply);
    } catch (MillraceException e) {
      sessions.forgetEmpty(from);
      journal.whenDurable(CommitCallback.failing(replyTo, e), answers);
      return;
    }
    journal.whenDurable(
        new CommitCallback() {
          @Override
          public void done(DeferredReplies late) {
            late.reply(replyTo, reply);
          }

          @Override
          public void failed(MillraceException error, DeferredReplies late) {
            if (group.opens.containsKey(open.number())) {
              leftovers.opens().remove(open);
              sessions.forgetEmpty(from);
            }
            late.fail(replyTo, error);
          }
        },
        answers);
  }

  /** What a request has made before the coordinator was restarted, whatever it is called now. */
  private Optional<NameEntry> madeBefore(Peer from, ReplyTo replyTo) {
    return names
        .answers()
        .find(from.session(), replyTo.request())
        .flatMap(
            kept ->
                kept instanceof KeptAnswer.Opened(long file) ? names.byId(file) : Optional.empty());
  }

  private Message reply(Peer from, Open open, FileOpener.Found found, boolean delegated) {
    NameEntry entry = found.entry();
    return new CoordinatorReply.FileOpened(
        new CoordinatorReply.Opened(
            open.number(),
            entry.id,
            entry.currentLayout(),
            entry.confirmed,
            found.created(),
            open.pointer(),
            open.endPointer(),
            open.viewEndPointer(),
            issuer.issue(open),
            leftovers.transactions().isUnfinished(entry.id, User.ofProgram(from)),
            issuer.holder(from),
            entry.copied == null ? 0 : names.copyEpoch()),
        entry.status(),
        delegated);
  }

  /** The file that a session has open under a number, if it has. */
  Optional<NameEntry> file(Peer from, long number) {
    return sessions
        .find(from)
        .map(group -> group.opens.get(number))
        .flatMap(open -> names.byId(open.file()));
  }

  /** Closes what is open; returns the file whose bytes go with that. */
  Optional<FileFacts> close(Peer from, long number, DeferredReplies answers) {
    Optional<Open> open =
        sessions.find(from).map(group -> group.opens.get(number)); // none if it was taken away
    Optional<FileFacts> facts =
        open.flatMap(one -> names.byId(one.file())).map(one -> one.facts(names.copyEpoch()));
    boolean goes = open.isPresent() && leftovers.close(open.get());
    sessions.forgetEmpty(from);
    open.ifPresent(one -> delegations.onClosed(from, one.file(), answers));
    return facts.filter(_ -> goes);
  }

  void onSessionEnd(Peer from, DeferredReplies answers) {
    delegations.onSessionEnd(from, answers);
    if (leftovers.recalls().isOpen()) {
      sessions.end(from);
    } else {
      sessions.forgetEnded();
    }
    Optional<Group> group = sessions.find(from);
    if (group.isPresent()) {
      for (Open open : List.copyOf(group.get().opens.values())) {
        leftovers.close(open);
      }
      sessions.forgetEmpty(from);
    }
  }
}
