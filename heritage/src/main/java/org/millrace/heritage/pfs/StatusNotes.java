package org.millrace.heritage.pfs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.millrace.env.Env;

/**
 * What {@code pfsdstat} tells of a client that only the client knows: its mode, its own pointer,
 * its pending ids, where it runs. PFSLib's server knew all that, because every call went through
 * it; here the client says it when it opens a file or changes the mode, before it waits for an
 * operation, and else now and then, since it costs a message.
 *
 * <p>Belongs to the rank's thread.
 */
final class StatusNotes {

  private static final long OFTEN_NANOS = 50_000_000L;

  // constant after construction
  private final Env env = Env.real();
  private final String who;

  // owned by the rank's thread
  private long nextNanos;

  StatusNotes(Clients clients) {
    this.who = "client " + clients.number() + ", " + host() + " pid " + ProcessHandle.current().pid();
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown host";
    }
  }

  /** A call on the file has ended. */
  void after(PfsFile file, IoIds ids) {
    if (env.nanoTime() >= nextNanos) {
      changed(file, ids);
    }
  }

  /** Something of the file has changed that people should see. */
  void changed(PfsFile file, IoIds ids) {
    if (file.isClosed()) {
      return;
    }
    nextNanos = env.deadlineAfter(OFTEN_NANOS);
    try {
      String pointer = file.mode().mode().sharesPointer() ? "shared" : "" + file.pointer();
      file.describe("%s, pointer %s, ids %s, %s".formatted(file.mode(), pointer, ids.of(file), who));
    } catch (IOException | RuntimeException e) {
      // what people would have seen keeps no call from what it is for
    }
  }
}
