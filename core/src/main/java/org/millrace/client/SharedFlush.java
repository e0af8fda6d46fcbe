package org.millrace.client;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Failure;

/**
 * Makes all bytes of a file durable without meeting the other ranks. If the file has few strands,
 * the rank flushes each. If it has many, the rank first asks the coordinator for a share: ranks
 * that flush at about the same time divide the strands among themselves. If that fails in any way,
 * a rank that has not learned that all strands were flushed flushes all of them itself.
 */
final class SharedFlush {

  /** On fewer strands the two questions cost more than they save. */
  static final int MIN_STRANDS = 32;

  private SharedFlush() {}

  /** Returns after all bytes that any rank wrote to the file before are durable. */
  static void flush(OpenFile file) throws IOException {
    boolean shared = file.strands().layout().strands() >= MIN_STRANDS && file.rank().size() > 1;
    if (!shared || !flushShareOnce(file)) {
      file.strands().flush();
    }
  }

  /** A rank has one share at a time: of two threads that flush, the second does it by itself. */
  private static boolean flushShareOnce(OpenFile file) throws IOException {
    AtomicBoolean sharing = file.sharesFlush();
    if (!sharing.compareAndSet(false, true)) {
      return false;
    }
    try {
      return flushShare(file);
    } finally {
      sharing.set(false);
    }
  }

  /** Whether all strands were flushed, this rank's share by itself. */
  private static boolean flushShare(OpenFile file) throws IOException {
    Session session = file.rank().session();
    long open = file.opened().open();
    CoordinatorReply.Share share;
    try {
      share =
          (CoordinatorReply.Share)
              session.ask(
                  new CoordinatorRequest.ShareFlush(
                      file.rank().group(), file.rank().number(), open));
    } catch (IOException e) { // the coordinator is lost, or others take too long
      giveUp(file, CoordinatorRequest.Flushed.ANY, e);
      return false;
    }
    try {
      file.strands().flushShare(share.part(), share.parts());
    } catch (IOException | RuntimeException e) {
      giveUp(file, share.round(), e);
      throw e;
    }
    try {
      session.ask(flushed(file, share.round(), Failure.NONE));
      return true;
    } catch (
        IOException
            e) { // another rank has failed, or is slow: this rank flushes all strands itself
      giveUp(file, share.round(), e);
      return false;
    }
  }

  /** Lets the others know, without waiting, that they must not wait for this rank. */
  private static void giveUp(OpenFile file, long round, Exception reason) {
    Failure failure =
        Failure.of(new MillraceException(ErrorCode.CLOSED, reason.toString(), reason));
    var _ =
        file.rank().session().coordinator().start(flushed(file, round, failure), Session.NOTHING);
  }

  private static CoordinatorRequest flushed(OpenFile file, long round, Failure failure) {
    return new CoordinatorRequest.Flushed(
        file.rank().group(), file.rank().number(), file.opened().open(), round, failure);
  }
}
