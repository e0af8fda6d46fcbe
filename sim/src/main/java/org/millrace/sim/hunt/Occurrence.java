package org.millrace.sim.hunt;

import java.util.Locale;

/** Kinds of what a hunt counts, to show that it happens. */
public enum Occurrence {
  /** A call of a program, by its name. */
  CALL,
  /** How a file was opened, and accessed by all ranks together. */
  MODE,
  /** Something that went wrong because it was to. */
  FAULT,
  /** How a call failed, by its code. */
  ERROR;

  /** As it is written in summaries. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
