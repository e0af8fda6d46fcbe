package org.millrace.env;

/** Kinds of CPU work that simulation charges for; the unit of the amount stands beside each. */
public enum Work {
  /** Handling a message; per message. */
  MESSAGE,
  /** Looking up, inserting or evicting a cache block; per block. */
  CACHE,
  /** Copying; per byte. */
  COPY,
  /** Starting to copy a piece; per piece. */
  PIECE,
  /** Computing a checksum; per byte. */
  CHECKSUM,
  /** Planning; per step. */
  PLAN
}
