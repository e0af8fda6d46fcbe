package org.millrace.message;

import java.util.List;

/**
 * Who sends: the session that a link belongs to and the user that the transport vouches for.
 *
 * @param session number of the sender's session, unique while the receiver lives
 * @param user the user's name as the transport knows it, never as the sender claims it
 * @param groups names of the groups that the user is in, as far as the transport knows them
 */
public record Peer(long session, String user, List<String> groups) {

  /** Keeps a copy of the list. */
  public Peer {
    groups = List.copyOf(groups);
  }

  /** A user of whom no group is known. */
  public Peer(long session, String user) {
    this(session, user, List.of());
  }
}
