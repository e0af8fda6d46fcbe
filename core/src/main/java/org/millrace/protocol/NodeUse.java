package org.millrace.protocol;

/** What a node is for. Numbers are frozen: journals and messages have them. */
public enum NodeUse {
  /** New files use it. */
  USED(0),
  /** What it holds goes to others; new files do not use it. */
  DRAINING(1),
  /** It is gone for good; its number is never given again. */
  REMOVED(2),
  /** Its disk is lost; a node with an empty one may come in its place. */
  REPLACED(3);

  private final int number;

  NodeUse(int number) {
    this.number = number;
  }

  /** Its number in journals and messages. */
  public int number() {
    return number;
  }

  /** The one with a number. */
  public static NodeUse of(int number) {
    for (NodeUse one : values()) {
      if (one.number == number) {
        return one;
      }
    }
    throw new IllegalArgumentException("no NodeUse has the number " + number);
  }
}
