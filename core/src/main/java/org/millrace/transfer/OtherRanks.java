package org.millrace.transfer;

import java.io.IOException;

/**
 * What a rank in a collective call knows of the other ranks while it waits for them outside a
 * meeting.
 */
public interface OtherRanks {

  /** The rank begins to wait for the others. */
  void beginWait();

  /** The rank has stopped waiting. */
  void endWait();

  /** The instant at which a wait for the others that begins now must have ended. */
  long deadline();

  /** Whether a rank has left, so that its part may never come. Asks the coordinator. */
  boolean isSomebodyGone() throws IOException;
}
