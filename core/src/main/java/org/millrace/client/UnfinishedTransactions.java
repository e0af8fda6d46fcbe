package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;
import org.millrace.error.NoSuchNameException;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.FileLockName;
import org.millrace.protocol.TransactionLogs;

/**
 * Finishes transactions that other ranks have committed and not applied. A rank does so before it
 * opens one of their files or gets a lock of one. A lock of the log admits one rank at a time,
 * including the transaction's own, so that old bytes are never applied later. A rank that gets the
 * lock and finds the log's name gone has nothing left to do.
 *
 * <p>Stateless.
 */
final class UnfinishedTransactions {

  private static final int UNIQUE_BYTES = 12;

  /** How often a file is looked for that has another name each time. */
  private static final int MAX_ATTEMPTS = 100;

  private UnfinishedTransactions() {}

  /** Applies all committed transactions of a file, and whatever other files they concern. */
  static void finish(Session session, long file) throws IOException {
    for (String name : new FileNames(session).list(TransactionLogs.DIRECTORY)) {
      if (TransactionLogs.files(name).contains(file)) {
        finish(session, name, TransactionLogs.DIRECTORY + "/" + name);
      }
    }
  }

  private static void finish(Session session, String name, String path) throws IOException {
    Rank solo = solo(session);
    String done = TransactionLogs.done(path);
    try (SharedFile log = FileOpening.openAsIs(solo, path, OpenOptions.read());
        HeldLock _ = exclusive(solo, log)) {
      LockLease lease = new LockLease(solo, LockLease.LIFETIME_NANOS);
      new FileNames(session).stat(path); // throws if it was finished meanwhile
      byte[] bytes = new byte[RedoLog.requireLength(log.size(), path)];
      log.at(0).read(Memory.of(bytes));
      for (RedoLog.Part part : RedoLog.decode(bytes, path)) {
        if (TransactionLogs.files(name).contains(part.file())) {
          apply(solo, part, lease);
        }
      }
      done = retire(session, path);
    } catch (NoSuchNameException e) {
      // another session was quicker, but could not remove it while this one had it open
    } finally {
      solo.leave("");
    }
    tryRemove(session, done);
  }

  /** Says by its name that a log is no longer needed; returns its new path. */
  static String retire(Session session, String committed) throws IOException {
    String done = TransactionLogs.done(committed);
    FileNames names = new FileNames(session);
    try {
      names.rename(committed, done);
      return done;
    } catch (NameExistsException e) { // not of ours: those are unique
      String other = TransactionLogs.done(committed + "." + unique(session));
      names.rename(committed, other);
      return other;
    }
  }

  /** A part of a name that no other log has. */
  static String unique(Session session) {
    return HexFormat.of().formatHex(session.env().secretBytes(UNIQUE_BYTES));
  }

  private static void apply(Rank solo, RedoLog.Part part, LockLease lease) throws IOException {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      String path; // not the log's: the file or a directory above it may have been renamed
      try {
        path = locate(solo.session(), part.file());
      } catch (NoSuchNameException e) {
        return; // it was removed, with all that was in it
      }
      try (SharedFile file = FileOpening.openAsIs(solo, path, OpenOptions.readWrite())) {
        if (file.file().opened().file() == part.file()) {
          for (RedoLog.Run run : part.runs()) {
            lease.check();
            file.at(run.offset()).write(MemorySegment.ofBuffer(run.bytes()));
          }
          return;
        }
      } catch (NoSuchNameException e) {
        // renamed or removed since it was located: looks again
      }
    }
    throw new MillraceException(
        ErrorCode.IN_USE,
        "file %s, %s when it was written, is renamed again and again: its transaction stays"
            .formatted(part.file(), part.path()));
  }

  private static String locate(Session session, long file) throws IOException {
    var request = new CoordinatorRequest.Locate(file);
    return ((CoordinatorReply.About) session.ask(request)).entry().path();
  }

  /** The lock that the log's transaction holds while it is applied. */
  static HeldLock exclusive(Rank rank, SharedFile log) throws IOException {
    // Brief: its holder does not wait, so no cycle goes through it.
    return HeldLock.ofFile(
        rank, FileLockName.all(log.file().opened().file()), 0, Long.MAX_VALUE, false, true);
  }

  /** A group of this participant alone, to be left. */
  static Rank solo(Session session) throws IOException {
    return Rank.join(session, session.form(1), 0, List.of(session.participant()));
  }

  /** Removes unneeded logs: finished ones, and pending ones whose ranks have ended. */
  static void tidy(Session session) throws IOException {
    for (String name : new FileNames(session).list(TransactionLogs.DIRECTORY)) {
      if (TransactionLogs.isPending(name) || TransactionLogs.isDone(name)) {
        tryRemove(session, TransactionLogs.DIRECTORY + "/" + name);
      }
    }
  }

  /**
   * Removes a log unless a session has it open, another one has removed it, or it belongs to
   * another user.
   */
  static void tryRemove(Session session, String path) throws IOException {
    try {
      new FileNames(session).removeUnused(path);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.IN_USE
          && e.code() != ErrorCode.NO_SUCH_NAME
          && e.code() != ErrorCode.NOT_PERMITTED) {
        throw e;
      }
    }
  }
}
