package org.millrace.client;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Supplier;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Hints;
import org.millrace.protocol.CoordinatorReply.About;
import org.millrace.protocol.CoordinatorReply.Opened;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.PointerAt;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.protocol.OpenFlags;
import org.millrace.transfer.Strands;
import org.millrace.transfer.Strands.Showing;

/**
 * Opens a file for a group. All ranks meet at the coordinator, which finds or creates the name.
 * Rank 0 creates the strands of a new file, or finishes transactions of an existing one and
 * truncates it. All ranks meet again to learn the outcome.
 */
final class FileOpening {

  private FileOpening() {}

  static SharedFile open(Rank rank, Channel group, String path, Supplier<OpenOptions> given)
      throws IOException {
    return open(rank, group, path, given, true);
  }

  /** Opens a file for one rank, leaving unfinished transactions of it as they are. */
  static SharedFile openAsIs(Rank solo, String path, OpenOptions given) throws IOException {
    return open(solo, solo.channel(), path, () -> given, false);
  }

  private static SharedFile open(
      Rank rank, Channel group, String path, Supplier<OpenOptions> given, boolean finish)
      throws IOException {
    OpenOptions options;
    try {
      options = checked(rank, path, given);
    } catch (RuntimeException e) {
      throw group.refuse("open", e);
    }
    var effect = new Effect.Open(path, options.openFlags());
    var opened = (Opened) group.meet("open", path + " " + options, effect);
    Session session = rank.session();
    Strands strands =
        new Strands(
            session.carrier(),
            opened.file(),
            opened.layout(),
            opened.copyEpoch(),
            () -> session.seesPointer(opened.pointer()));
    Channel channel =
        new Channel(session, rank.group(), rank.number(), opened.open())
            .among(rank.ranks().participants())
            .on(rank.nextPlace(() -> session.start(new PointerAt(opened.pointer()))));
    OpenFile here = new OpenFile(rank, path, options, opened, strands, channel);
    SharedFile file = new SharedFile(here);
    try {
      Failure failure = prepare(rank, opened, options, strands, finish && opened.unfinished());
      if (rank.size() > 1) {
        channel.start(new Channel.Call("open: end", failure), false).await();
      } else if (failure.code() != null) { // nobody else need learn of it
        throw MillraceException.of(failure.code(), rank.number(), failure.message())
            .withDetail(failure.detail());
      }
      session.renewals().add(rank.group(), opened.open(), strands, opened.capability());
      file.enterMode(options.mode());
      session.openFiles().add(here);
      return file;
    } catch (MillraceException e) {
      giveUp(rank, path, opened, strands, channel, e);
      throw e;
    }
  }

  private static OpenOptions checked(Rank rank, String path, Supplier<OpenOptions> given) {
    Objects.requireNonNull(path, "path");
    OpenOptions asked = Objects.requireNonNull(given.get(), "options");
    Hints hints = asked.hints().orElse(rank.session().transfers().hints());
    OpenOptions options = asked.striped(hints.striping());
    check(options.openFlags());
    if (options.has(OpenFlag.DATA_CACHE) && options.has(OpenFlag.WRITE)) {
      throw new IllegalArgumentException("copies are kept only of files opened for reading alone");
    }
    return options;
  }

  private static void check(OpenFlags flags) {
    if (!flags.read() && !flags.write()) {
      throw new IllegalArgumentException("a file must be opened for reading or writing");
    }
    if (!flags.write() && (flags.create() || flags.truncate() || flags.append())) {
      throw new IllegalArgumentException(
          "creating, truncating and appending need a file opened for writing");
    }
    if (flags.exclusive() && !flags.create()) {
      throw new IllegalArgumentException("exclusive means something only with creating");
    }
  }

  private static Failure prepare(
      Rank rank, Opened opened, OpenOptions options, Strands strands, boolean finish) {
    Session session = rank.session();
    try {
      Showing showing = options.has(OpenFlag.WRITE) ? Showing.OPENING : Showing.OPENING_TO_READ;
      strands.present(opened.capability(), opened.holder(), showing);
      if (rank.number() != 0) {
        return Failure.NONE;
      }
      if (!opened.confirmed()) {
        strands.create();
        session.ask(new CoordinatorRequest.Confirm(opened.file()));
      }
      if (finish) {
        UnfinishedTransactions.finish(session, opened.file());
      }
      if (options.has(OpenFlag.TRUNCATE) && !opened.created()) {
        strands.resize(0);
        FilePointer.forgetEnd(session, opened);
      }
      return Failure.NONE;
    } catch (IOException e) {
      return Failure.of(MillraceException.wrap(ErrorCode.DISK, e));
    } catch (RuntimeException e) { // a mistake of ours: the other ranks must not wait for this one
      return Failure.of(new MillraceException(ErrorCode.UNKNOWN, "open failed: " + e, e));
    }
  }

  /**
   * The open failed on all ranks: closes it at the coordinator, and takes back the name if this
   * open made it.
   */
  private static void giveUp(
      Rank rank,
      String path,
      Opened opened,
      Strands strands,
      Channel channel,
      MillraceException e) {
    rank.session().renewals().remove(opened.open());
    var closing = channel.start(new Channel.Call("close", new Effect.Close(opened.open())), false);
    if (rank.number() == 0 && opened.created()) {
      try {
        closing.await();
        if (rank.session().ask(new CoordinatorRequest.Remove(path)) instanceof About) {
          strands.remove();
        }
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
    }
  }
}
