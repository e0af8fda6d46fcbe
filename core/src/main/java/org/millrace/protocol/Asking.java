package org.millrace.protocol;

/**
 * The right of a user to ask nodes how long some files are and when they were modified, and for
 * nothing else. The coordinator seals it for the files that an answer speaks of; the list of their
 * ids is not in it and is shown with it. Immutable.
 *
 * @param user for whom it was made
 * @param expiresMillis when it ends, in milliseconds since 1970
 * @param seal a keyed hash of the above and of the ids, in hexadecimal digits; empty where nobody
 *     checks
 */
public record Asking(String user, long expiresMillis, String seal) {

  /** For nodes in the same JVM, which check nothing. */
  public static final Asking NONE = new Asking("", 0, "");
}
