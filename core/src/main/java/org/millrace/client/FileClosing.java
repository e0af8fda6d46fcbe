package org.millrace.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.RankFailedException;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Trouble;

/**
 * How a rank closes a file: its own operations end, its bytes become durable, and the coordinator
 * learns of it; where that is synchronizing, one rank's failure to make them durable is all ranks'.
 */
final class FileClosing {

  private FileClosing() {}

  static void close(OpenFile file) throws IOException {
    if (file.isClosed()) {
      return;
    }
    file.awaitOperations();
    Trouble trouble = Trouble.NONE;
    MillraceException failure = null;
    try {
      if (file.options().flags().write()) {
        file.strands().flush();
      }
    } catch (MillraceException e) {
      failure = e;
      trouble = Trouble.of(e);
    }
    boolean wait = file.mode().closeSynchronizes() || file.options().flags().deleteOnClose();
    var call =
        new Channel.Call(
            "close",
            0,
            "",
            0,
            new Effect.Close(file.opened().open()),
            wait ? trouble : Trouble.NONE);
    var meeting = file.channel().start(call, !wait);
    boolean removed = wait && awaitClose(file, meeting, failure);
    file.close(); // whatever comes now: the group has it open no more
    if (removed && file.rank().number() == 0) {
      file.strands().remove();
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Returns whether the file was removed, being closed by all. */
  private static boolean awaitClose(
      OpenFile file, Channel.Meeting meeting, @Nullable MillraceException failure)
      throws IOException {
    try {
      return meeting.met().base() == 1;
    } catch (RankFailedException e) {
      file.close(); // the coordinator closes it when all ranks that are left have asked
      if (failure != null) { // bytes that are not durable matter more than who is gone
        failure.addSuppressed(e);
        throw failure;
      }
      throw e;
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.CLOSED) {
        file.close(); // an administrator has closed it: there is nothing left to flush or to close
      }
      throw e;
    }
  }
}
