package org.millrace.node;

import java.io.IOException;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;

/**
 * How a node reaches the coordinator and the other nodes, for the copies of strands.
 *
 * <p>Safe for use by several threads. Closing ends its sessions.
 */
public interface CopyPeers extends AutoCloseable {

  /** A link to a node. Never fails itself: what is sent over the link does. */
  Link node(int number);

  /** Another link instead of one that turned out to be dead. */
  Link replace(int number, Link broken);

  /** Asks the coordinator. */
  CoordinatorReply ask(CoordinatorRequest request) throws IOException;

  /** Whether they are other processes, which may be taken for lost. */
  boolean areElsewhere();

  @Override
  void close();
}
