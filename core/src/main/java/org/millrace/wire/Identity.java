package org.millrace.wire;

import java.util.List;

/**
 * Who is at the other end of a wire, as the kernel or a certificate says, never as the other end
 * claims. Immutable.
 *
 * @param user the user's name; empty if nobody vouches for one
 * @param groups names of groups the user is in, as far as they are known
 */
public record Identity(String user, List<String> groups) {

  /** Somebody nobody vouches for. */
  public static final Identity UNKNOWN = new Identity("", List.of());

  /** Keeps a copy of the list. */
  public Identity {
    groups = List.copyOf(groups);
  }

  /** Whether somebody vouches for a user. */
  public boolean isKnown() {
    return !user.isEmpty();
  }
}
