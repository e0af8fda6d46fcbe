package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.List;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.protocol.TransactionLogs;
import org.millrace.transfer.Strands;

/**
 * Commits a transaction whose locks are held. It writes the transaction's writes to a log and makes
 * the log durable, renames the log to a committed one in one durable step of the coordinator,
 * applies the writes to the files and makes them durable, and removes the log. From before the
 * rename until after the removal it holds a lock of the log, against ranks that find the log's
 * name.
 *
 * <p>For one transaction, on the rank's thread.
 */
final class Commitment {

  /** How far it has come. */
  enum Step {
    /** The log is durable. */
    LOGGED,
    /** The transaction counts. */
    COMMITTED,
    /** Some of it is in the files, if there is more than one. */
    PARTLY_APPLIED,
    /** All of it is in the files, durably. */
    APPLIED,
    /** The log is gone. */
    FINISHED
  }

  /** Told of each step. Tests end a rank there. */
  interface Steps {
    /** It has come so far. */
    void reached(Step step);

    /** For how long it trusts that its locks are its own without asking. Tests trust for ever. */
    default long leaseNanos() {
      return LockLease.LIFETIME_NANOS;
    }
  }

  private final Rank rank;
  private final Session session;
  private final Steps steps;
  private final FileNames names;

  Commitment(Rank rank, Steps steps) {
    this.rank = rank;
    this.session = rank.session();
    this.steps = steps;
    this.names = rank.names();
  }

  void commit(Collection<Transaction.Touched> touched) throws IOException {
    List<Transaction.Touched> written =
        touched.stream().filter(one -> one.written().pages() > 0).toList();
    if (written.isEmpty()) {
      return;
    }
    if (written.size() > Transaction.MAX_FILES) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "a transaction of %s files, at most %s are possible"
              .formatted(written.size(), Transaction.MAX_FILES));
    }
    for (Transaction.Touched one : written) {
      one.file().checkWritable();
    }
    Rank solo = rank.alone();
    try {
      commit(solo, written);
    } catch (IOException | RuntimeException e) {
      try {
        solo.leave("");
      } catch (IOException more) {
        e.addSuppressed(more); // whether it is committed must not be lost
      }
      throw e;
    }
    solo.leave("");
  }

  private void commit(Rank solo, List<Transaction.Touched> written) throws IOException {
    String unique = UnfinishedTransactions.unique(session);
    String pending = TransactionLogs.pending(unique);
    List<Long> ids = written.stream().map(one -> one.file().opened().file()).toList();
    String committed = TransactionLogs.committed(unique, ids);
    SharedFile log = makeLog(solo, pending);
    HeldLock lock;
    LockLease lease;
    try {
      log.at(0).write(Memory.of(RedoLog.encode(written.stream().map(Commitment::forLog).toList())));
      log.flush();
      steps.reached(Step.LOGGED);
      lock = UnfinishedTransactions.exclusive(solo, log);
      lease = new LockLease(solo, steps.leaseNanos());
      names.rename(pending, committed);
    } catch (IOException e) {
      forget(log, pending, e);
      throw e;
    }
    steps.reached(Step.COMMITTED);
    try (lock) {
      apply(written, lease);
      steps.reached(Step.APPLIED);
      // Renamed while it is open: other users are not told of it as long as its writer lives.
      String done = UnfinishedTransactions.retire(session, committed);
      log.close(); // not the lock of it
      // Refused if a rank that waits for the lock has it open; that rank then removes it.
      UnfinishedTransactions.tryRemove(session, done);
      steps.reached(Step.FINISHED);
    } catch (IOException e) {
      close(log, e);
      MillraceException reported =
          MillraceException.of(
              MillraceException.wrap(ErrorCode.DISK, e).code(),
              "the transaction is committed, but not yet applied: " + e.getMessage());
      reported.initCause(e);
      throw reported;
    }
  }

  private static RedoLog.Written forLog(Transaction.Touched one) {
    return new RedoLog.Written(one.file().opened().file(), one.file().path(), one.written());
  }

  private SharedFile makeLog(Rank solo, String path) throws IOException {
    OpenOptions options = OpenOptions.create().withExclusive().withPermissions(0600);
    if (session.transactions().isFirst()) {
      try {
        UnfinishedTransactions.tidy(session);
      } catch (NoSuchNameException e) {
        // no transaction was committed before; the coordinator makes the directory for the first
      }
    }
    return FileOpening.openAsIs(solo, path, options);
  }

  /** Writes to the files, unless the locks may be others' by now, who then have applied the log. */
  private void apply(List<Transaction.Touched> written, LockLease lease) throws IOException {
    for (Transaction.Touched one : written) {
      Strands strands = one.file().strands();
      one.written()
          .forEach(
              (offset, bytes, at, length) -> {
                lease.check();
                strands.write(offset, MemorySegment.ofArray(bytes), at, length);
              });
      steps.reached(Step.PARTLY_APPLIED);
    }
    for (Transaction.Touched one : written) {
      one.file().strands().flush();
    }
  }

  /** What failed before the point of no return leaves nothing; if that fails, too, a dead log. */
  private void forget(SharedFile log, String pending, IOException e) {
    close(log, e);
    try {
      UnfinishedTransactions.tryRemove(session, pending);
    } catch (IOException more) {
      e.addSuppressed(more);
    }
  }

  private static void close(SharedFile log, IOException e) {
    try {
      log.close();
    } catch (IOException more) {
      e.addSuppressed(more);
    }
  }
}
