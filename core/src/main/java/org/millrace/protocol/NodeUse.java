package org.millrace.protocol;

/** What a node is for. Journals and messages have the number of the constant: it is frozen. */
public enum NodeUse {
  /** New files use it. */
  USED,
  /** What it holds goes to others; new files do not use it. */
  DRAINING,
  /** It is gone for good; its number is never given again. */
  REMOVED,
  /** Its disk is lost; a node with an empty one may come in its place. */
  REPLACED;

  /** The one with a number. */
  public static NodeUse of(int number) {
    if (number < 0 || number >= values().length) {
      throw new IllegalArgumentException("a node's use " + number + " of " + values().length);
    }
    return values()[number];
  }
}
