package org.millrace.heritage.pfs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * What {@code pfsdstat} tells of a client that only the client knows: its mode, its own pointer,
 * its pending ids, where it runs. PFSLib's server knew all that, because every call went through
 * it; here the client says it when it opens a file or changes the mode, before it waits for an
 * operation, and else now and then, since it costs a message.
 *
 * <p>Belongs to the rank's thread.
 */
final class StatusNotes {

  private static final int CALLS = 64; // by count, so that the same program says the same

  // constant after construction
  private final String who;

  // owned by the rank's thread
  private int calls;

  StatusNotes(Clients clients) {
    this.who =
        "client " + clients.number() + ", " + host() + " pid " + ProcessHandle.current().pid();
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
    if (++calls >= CALLS) {
      changed(file, ids);
    }
  }

  /** Something of the file has changed that people should see. */
  void changed(PfsFile file, IoIds ids) {
    if (file.isClosed()) {
      return;
    }
    calls = 0;
    try {
      String pointer = file.mode().mode().sharesPointer() ? "shared" : "" + file.pointer();
      file.describe(
          "%s, pointer %s, ids %s, %s".formatted(file.mode(), pointer, ids.of(file), who));
    } catch (IOException | RuntimeException e) {
      // what people would have seen keeps no call from what it is for
    }
  }
}
