package org.millrace.env;

/** Kinds of CPU work that simulation charges for, with the unit of each. */
public enum Work {
  /** Sending or receiving a message; per message and end. */
  MESSAGE,
  /** Starting a thread, or going on with one that waited; per time. */
  SWITCH,
  /** Looking up, inserting or evicting a cache block; per block. */
  CACHE,
  /** Copying; per byte. */
  COPY,
  /** Starting to copy a piece; per piece. */
  PIECE,
  /** Computing a checksum; per byte. */
  CHECKSUM,
  /** Asking a disk for a transfer and hearing that it is done; per transfer. */
  TRANSFER,
  /** Planning; per step. */
  PLAN
}
