package org.millrace.heritage.pfs;

import java.util.Arrays;
import org.millrace.client.Mode;

/** The I/O modes by PFS's names, in the order of their numbers. */
public enum IoMode {
  /** A pointer for each client; every call is atomic. */
  M_UNIX(Mode.ATOMIC),
  /** One pointer for all, first come, first served. */
  M_LOG(Mode.SHARED),
  /** One pointer for all; the clients' parts lie in order of their numbers. */
  M_SYNC(Mode.ORDERED),
  /** A pointer for each client; records of one length lie in order of the clients' numbers. */
  M_RECORD(Mode.RECORD),
  /** One pointer for all; all clients make the same call, which happens once. */
  M_GLOBAL(Mode.GLOBAL),
  /** As {@link #M_UNIX}, without atomicity. */
  M_ASYNC(Mode.INDEPENDENT);

  private final Mode mode;

  IoMode(Mode mode) {
    this.mode = mode;
  }

  /** What Millrace calls it. */
  public Mode mode() {
    return mode;
  }

  static IoMode of(Mode mode) {
    return Arrays.stream(values()).filter(one -> one.mode == mode).findFirst().orElseThrow();
  }
}
