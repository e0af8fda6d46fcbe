package org.millrace.client;

/** Where the next access goes. */
enum PointerKind {
  /** To the rank's own pointer. */
  PRIVATE,
  /** To the group's pointer, first come, first served. */
  SHARED,
  /** To the group's pointer, behind the parts of all lower ranks. */
  ORDERED,
  /** To the rank's place in the next row of equal records. */
  RECORD,
  /** To the group's pointer, all ranks to the same place. */
  GLOBAL
}
