package org.millrace.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;

/**
 * Closes a file for a rank: waits for its own operations, makes the file's bytes durable, and
 * informs the coordinator. All ranks know whether a close meets, and therefore take the same of two
 * ways:
 *
 * <pre>
 *   alone:     own operations end -- every strand is flushed -- the coordinator notes it
 *   together:  own operations end -- all meet -- flush my share of the strands -- all meet: closed
 * </pre>
 *
 * <p>A file that was opened so that closing forces nothing is closed as one that was only read.
 *
 * <p>Ranks that close alone at about the same time share the strands, too ({@link SharedFlush}).
 *
 * <p>A rank may leave strands to others only when all ranks' writes have ended, which the first
 * meeting says, and only if it hears what came of their flushes, which the second one says. Where a
 * meeting fails and the file is closed all the same, the rank flushes every strand by itself first.
 * Links that may die are taken when all open the file, so a flush by any rank fails if the node has
 * ended since: what a rank wrote before is not taken for durable.
 */
final class FileClosing {

  private FileClosing() {}

  /** Closes a file as its mode says. */
  static void close(OpenFile file) throws IOException {
    if (file.mode().closeSynchronizes() || file.options().has(OpenFlag.DELETE_ON_CLOSE)) {
      closeTogether(file, "close");
    } else if (!file.isClosed()) {
      closeAlone(file);
    }
  }

  /** Closes a file together with all other ranks, whatever its mode is. */
  static void closeAll(OpenFile file) throws IOException {
    boolean always =
        file.mode().closeSynchronizes() || file.options().has(OpenFlag.DELETE_ON_CLOSE);
    closeTogether(file, always ? "close" : "closeAll");
  }

  private static void closeAlone(OpenFile file) throws IOException {
    file.awaitOperations();
    MillraceException failure = null;
    try {
      if (forces(file)) {
        SharedFlush.flush(file);
      }
    } catch (MillraceException e) {
      failure = e;
    }
    try {
      file.channel().note(new Channel.Call("close", effect(file)));
    } catch (MillraceException e) {
      if (failure != null) {
        failure.addSuppressed(e);
      } else if (!isClosedAllTheSame(e) && e.code() != ErrorCode.RESTARTED) {
        failure = e; // else the group no longer has it open
      }
    }
    file.close(); // in any case the rank no longer uses it
    if (failure != null) {
      throw failure;
    }
  }

  /** Whether closing makes the file durable: the same for all ranks. */
  private static boolean forces(OpenFile file) {
    return file.options().has(OpenFlag.WRITE) && !file.options().has(OpenFlag.UNFORCED_CLOSE);
  }

  private static Effect effect(OpenFile file) {
    return new Effect.Close(file.opened().open());
  }

  private static void closeTogether(OpenFile file, String name) throws IOException {
    if (file.isClosed()) {
      return;
    }
    file.awaitOperations();
    boolean removed;
    try {
      removed =
          forces(file)
              ? flushAndMeet(file, name)
              : met(file.channel().start(new Channel.Call(name, effect(file)), false));
    } catch (MillraceException e) {
      if (isClosedAllTheSame(e)) {
        file.close();
      }
      throw e;
    }
    file.close();
    if (removed && file.rank().number() == 0) {
      file.strands().remove();
    }
  }

  /** Returns whether the file was removed, being closed by all. */
  private static boolean met(Channel.Meeting meeting) throws IOException {
    return meeting.met().base() == 1;
  }

  /** The two meetings of a file that may have been written; returns whether it was removed. */
  private static boolean flushAndMeet(OpenFile file, String name) throws IOException {
    Channel.Meeting begin = file.channel().start(new Channel.Call(name, Failure.NONE), false);
    MillraceException lost = null;
    try {
      begin.await();
    } catch (RankFailedException e) {
      lost = e; // says so at the end, too, where the coordinator notes that this rank has closed
    } catch (MillraceException e) {
      throw isClosedAllTheSame(e) ? flushedAndClosed(file, e) : e;
    }
    MillraceException own = lost == null ? flushShare(file) : null;
    Failure failure = own == null ? Failure.NONE : Failure.of(own);
    var end = new Channel.Call(name + ": end", 0, "", 0, effect(file), failure);
    try {
      return met(file.channel().startEnd(begin, end));
    } catch (MillraceException e) {
      MillraceException reported = isClosedAllTheSame(e) ? flushedAndClosed(file, e) : e;
      if (own != null && reported != own) {
        reported.addSuppressed(own); // where it happened is known on this rank only
      }
      throw reported;
    }
  }

  /**
   * Where a rank is lost the coordinator closes the file when all ranks that are left have asked;
   * or an administrator has closed it.
   */
  private static boolean isClosedAllTheSame(MillraceException e) {
    return e instanceof RankFailedException || e.code() == ErrorCode.CLOSED;
  }

  private static @Nullable MillraceException flushShare(OpenFile file) throws IOException {
    try {
      file.strands().flushShare(file.rank().number(), file.rank().size());
      return null;
    } catch (MillraceException e) {
      return e;
    }
  }

  /**
   * Flushes everything, the others not being heard. Bytes that are not durable matter more than who
   * is gone: then that is the failure.
   */
  private static MillraceException flushedAndClosed(OpenFile file, MillraceException reason)
      throws IOException {
    try {
      file.strands().flush();
      return reason;
    } catch (MillraceException e) {
      e.addSuppressed(reason);
      return e;
    } finally {
      file.close();
    }
  }
}
