package org.millrace.protocol;

/**
 * The right of a session to use a file at the nodes. The coordinator seals it when the file is
 * opened; nodes have the same secret and check the seal. It contains no secret. Immutable.
 *
 * @param file the file's id
 * @param open what was opened, as a number that no other open of the cluster has; by it the right
 *     is taken back
 * @param read reading is allowed
 * @param write writing is allowed
 * @param user for whom it was made
 * @param expiresMillis when it ends, in milliseconds since 1970
 * @param seal a keyed hash of all the above, in hexadecimal digits; empty where nobody checks
 */
public record Capability(
    long file,
    long open,
    boolean read,
    boolean write,
    String user,
    long expiresMillis,
    String seal) {

  /** For nodes in the same JVM, which check nothing. */
  public static final Capability NONE = new Capability(0, 0, false, false, "", 0, "");
}
