package org.millrace.heritage.pious;

/** How a group of processes sees a file. */
public enum PiousView {
  /** Each process sees one segment, through a pointer of its own. */
  SEGMENTED,
  /** All see the blocks of all segments in turn, through one pointer that they share. */
  GLOBAL,
  /** As {@link #GLOBAL}, but each process has a pointer of its own. */
  INDEPENDENT
}
