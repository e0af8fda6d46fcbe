package org.millrace.protocol;

/**
 * The session at the coordinator that holds the locks under which a session writes at a node. Nodes
 * refuse writes of a holder after the coordinator has ended it. It is not sealed: a session that
 * may write a file may write it without any lock. Immutable.
 *
 * @param epoch which epoch of the coordinator: it forgets all locks when it is restarted
 * @param session the number of the session there
 */
public record Holder(long epoch, long session) {

  /** For nodes in the same JVM, where no session is ever cut off. */
  public static final Holder NONE = new Holder(0, 0);
}
