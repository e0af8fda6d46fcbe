package org.millrace.protocol;

/** What an administrator wants of a node. The numbers of the constants are frozen. */
public enum NodeAction {
  /** There is one more. */
  ADD,
  /** What it holds goes to others. */
  DRAIN,
  /** New files use it again. */
  USE,
  /** Its disk is lost, an empty one takes its place. */
  REPLACE,
  /** It holds nothing and goes for good. */
  REMOVE;

  /** The one with a number. */
  public static NodeAction of(int number) {
    if (number < 0 || number >= values().length) {
      throw new IllegalArgumentException("an action " + number + " of " + values().length);
    }
    return values()[number];
  }
}
