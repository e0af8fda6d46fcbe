package org.millrace.heritage.piofs;

/** How the tasks of a group share a file. */
public enum PiofsMode {
  /** Each task a subfile and a pointer of its own; nobody waits for anybody. */
  PRIVATE,
  /** As private, but each access waits for all tasks and is done for all together. */
  COORDINATED,
  /** All tasks one subfile with one pointer; data goes in the order in which calls are made. */
  SHARED,
  /** All tasks one subfile with one pointer, and only the four collective operations. */
  COLLECTIVE
}
