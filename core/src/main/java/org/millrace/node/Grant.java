package org.millrace.node;

import java.time.Instant;
import org.millrace.protocol.Capability;

/**
 * What a session has shown that it may do with a file. Immutable.
 *
 * @param file the file's id
 * @param readUntilMillis when reading ends; 0 if it was never allowed
 * @param writeUntilMillis when writing ends; 0 if it was never allowed
 */
record Grant(long file, long readUntilMillis, long writeUntilMillis) {

  /** What a request needs. */
  enum Right {
    READ,
    WRITE,
    EITHER
  }

  static Grant of(Capability capability) {
    long until = capability.expiresMillis();
    return new Grant(
        capability.file(), capability.read() ? until : 0, capability.write() ? until : 0);
  }

  /** What both allow: a file may be open twice, for reading and for writing. */
  Grant and(Grant other) {
    return new Grant(
        file,
        Math.max(readUntilMillis, other.readUntilMillis),
        Math.max(writeUntilMillis, other.writeUntilMillis));
  }

  long untilMillis(Right right) {
    return switch (right) {
      case READ -> readUntilMillis;
      case WRITE -> writeUntilMillis;
      case EITHER -> Math.max(readUntilMillis, writeUntilMillis);
    };
  }

  /** Why {@code right}, which this does not give now, is refused. */
  String refusal(Right right) {
    long until = untilMillis(right);
    return until == 0
        ? "its capability is not for " + (right == Right.WRITE ? "writing" : "reading")
        : "its capability has expired at " + Instant.ofEpochMilli(until);
  }
}
