package org.millrace.transfer;

import java.io.IOException;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.protocol.StrandId;

/**
 * The links of one session to the nodes. The code that assembles a cluster gives each session its
 * own.
 *
 * <p>Safe for use by several threads. Closing closes the links.
 */
public interface NodeLinks extends AutoCloseable {

  /**
   * A link to node {@code number}. Never fails itself: where the node cannot be reached, what is
   * sent over the link does.
   */
  Link link(int number);

  /** Another link instead of one that turned out to be dead: its node has ended, or ended once. */
  Link replace(int number, Link broken);

  /**
   * As {@link #link}, to a node that is there or is not: what has copies need not wait until it
   * comes.
   */
  default Link presentLink(int number) {
    return link(number);
  }

  /** As {@link #replace}, to a node that is there or is not. */
  default Link replacePresent(int number, Link broken) {
    return replace(number, broken);
  }

  /**
   * Whether the node wants to know in whose name a session writes: sessions there can be cut off.
   */
  boolean isFenced();

  /** Whether the node wants to be shown what lets the session use a file: it is elsewhere. */
  boolean isGuarded(int number);

  /**
   * Whether links are there for good: then they may be taken when they are needed. Others are taken
   * when a file is opened, so that users of the file learn that a node has ended since.
   */
  boolean areLasting();

  /** Whether {@code e} says that a link will never work again. */
  static boolean isDead(MillraceException e) {
    return switch (e.code()) {
      case RESTARTED, UNKNOWN, NODE, CLOSED, REFUSED -> true;
      default -> false;
    };
  }

  /** Asks the coordinator on which nodes a strand with copies is. */
  CopySet copies(StrandId strand, long deadlineNanos) throws IOException;

  /** Ends the session at all nodes. Idempotent. */
  @Override
  void close();
}
