package org.millrace.coordinator;

import java.util.List;
import org.millrace.message.Peer;

/**
 * The user of a request, with what permissions need. Immutable.
 *
 * @param name the user's name, as the transport vouches for it
 * @param groups the groups that the user is in
 */
record User(String name, List<String> groups) {

  static User of(Peer peer) {
    return new User(peer.user(), peer.groups());
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
