package org.millrace.wire;

import java.util.List;

/**
 * The user at the other end of a wire, as the kernel or a certificate says, never as the peer
 * claims. Immutable.
 *
 * @param user the user's name; empty if not authenticated
 * @param groups names of groups the user is in, as far as they are known
 */
public record Identity(String user, List<String> groups) {

  /** A user that was not authenticated. */
  public static final Identity UNKNOWN = new Identity("", List.of());

  /** Keeps a copy of the list. */
  public Identity {
    groups = List.copyOf(groups);
  }

  /** Whether the user was authenticated. */
  public boolean isKnown() {
    return !user.isEmpty();
  }
}
