package org.millrace.message;

import java.util.List;

/**
 * The sender of a request: the session of its link and the user that the transport has
 * authenticated.
 *
 * @param session number of the sender's session, unique while the receiver lives
 * @param user the user's name as the transport knows it, never as the sender claims it
 * @param groups names of the groups that the user is in, as far as the transport knows them
 * @param sameHost whether it is another process of this one's user on this host, which can map its
 *     memory
 */
public record Peer(long session, String user, List<String> groups, boolean sameHost) {

  /** Keeps a copy of the list. */
  public Peer {
    groups = List.copyOf(groups);
  }

  /** A peer that cannot map memory of this host. */
  public Peer(long session, String user, List<String> groups) {
    this(session, user, groups, false);
  }

  /** A user of whom no group is known. */
  public Peer(long session, String user) {
    this(session, user, List.of());
  }
}
