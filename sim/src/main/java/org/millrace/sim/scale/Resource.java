package org.millrace.sim.scale;

/** What a run may wait for most: the busiest of each kind counts. */
public enum Resource {
  /** A disk. */
  DISK("disk"),
  /** A node's processor. */
  NODE_PROCESSOR("node's processor"),
  /** A node's link to the network. */
  NODE_LINK("node's link"),
  /** A rank's processor. */
  RANK_PROCESSOR("rank's processor"),
  /** A rank's link to the network. */
  RANK_LINK("rank's link"),
  /** The coordinator's processor. */
  COORDINATOR_PROCESSOR("coordinator's processor"),
  /** The coordinator's link to the network. */
  COORDINATOR_LINK("coordinator's link");

  private final String words;

  Resource(String words) {
    this.words = words;
  }

  /** As it is written in tables. */
  public String words() {
    return words;
  }
}
