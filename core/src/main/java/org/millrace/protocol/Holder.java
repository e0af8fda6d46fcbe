package org.millrace.protocol;

/**
 * In whose name a session writes at a node: the session at the coordinator that holds the locks.
 * Nodes refuse what a holder still writes after the coordinator has ended it. It is not sealed: a
 * session that may write a file may write it without any lock. Immutable.
 *
 * @param epoch which epoch of the coordinator: it forgets all locks when it is restarted
 * @param session the number of the session there
 */
public record Holder(long epoch, long session) {

  /** For nodes in the same JVM, where no session is ever cut off. */
  public static final Holder NONE = new Holder(0, 0);
}
