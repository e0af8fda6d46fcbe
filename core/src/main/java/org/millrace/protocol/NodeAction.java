package org.millrace.protocol;

/** What an administrator wants of a node. Numbers are frozen. */
public enum NodeAction {
  /** There is one more. */
  ADD(0),
  /** What it holds goes to others. */
  DRAIN(1),
  /** New files use it again. */
  USE(2),
  /** Its disk is lost, an empty one takes its place. */
  REPLACE(3),
  /** It holds nothing and goes for good. */
  REMOVE(4);

  private final int number;

  NodeAction(int number) {
    this.number = number;
  }

  /** Its number in journals and messages. */
  public int number() {
    return number;
  }

  /** The one with a number. */
  public static NodeAction of(int number) {
    for (NodeAction one : values()) {
      if (one.number == number) {
        return one;
      }
    }
    throw new IllegalArgumentException("no NodeAction has the number " + number);
  }
}
