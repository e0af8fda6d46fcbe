package org.millrace.coordinator;

import java.util.List;
import org.millrace.message.Peer;

/**
 * The user of a request, with what permissions need. Immutable.
 *
 * @param name the user's name, as the transport vouches for it
 * @param groups the groups that the user is in
 * @param session the session of a program that is no rank; else 0
 * @param rank whether ranks ask: to them mode bits of what is their own apply although they are the
 *     superuser's
 */
record User(String name, List<String> groups, long session, boolean rank) {

  /** The user of a rank. */
  static User of(Peer peer) {
    return new User(peer.user(), peer.groups(), 0, true);
  }

  /** The user of a program that is no rank. */
  static User ofProgram(Peer peer) {
    return new User(peer.user(), peer.groups(), peer.session(), false);
  }

  /** The group of what this user makes; empty if it is in none. */
  String firstGroup() {
    return groups.isEmpty() ? "" : groups.getFirst();
  }

  @Override
  public String toString() {
    return name;
  }
}
