package org.millrace.sim.kotz;

/** The two file systems that are compared: two ways of using the same nodes. */
public enum FileSystem {
  /** Each process asks for each of its pieces, at most a block at a time; nodes cache blocks. */
  TRADITIONAL("traditional caching"),
  /** All processes ask together, once; nodes go through their disks and hand out the pieces. */
  DIRECTED("disk-directed I/O");

  private final String words;

  FileSystem(String words) {
    this.words = words;
  }

  /** Its name for people. */
  public String words() {
    return words;
  }
}
