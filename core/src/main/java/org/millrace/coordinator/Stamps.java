package org.millrace.coordinator;

import org.millrace.files.FileStatus;

/**
 * When a file or directory was used and changed, in nanoseconds since 1970. Immutable.
 *
 * @param accessed read last, loosely: as it was set, or as those who read have said
 * @param modified the names of a directory were changed, or it was set; nodes know of writes
 * @param changed anything that the coordinator knows was changed
 * @param created made
 * @param witness whether nodes have seen writes since {@code modified} was set, as {@link
 *     org.millrace.protocol.FileFacts#witness} says
 */
record Stamps(long accessed, long modified, long changed, long created, long witness) {

  /** As the time of a change: leaves all times as they are. */
  static final long UNTIMED = Long.MIN_VALUE;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Of what is made now. */
  static Stamps at(long now) {
    return new Stamps(now, now, now, now, 0);
  }

  /** Of what was made at a time that is known in milliseconds. */
  static Stamps ofMillis(long millis) {
    return at(millis * NANOS_PER_MILLI);
  }

  long createdMillis() {
    return Math.floorDiv(created, NANOS_PER_MILLI);
  }

  /** Names in a directory have changed. */
  Stamps namesChanged(long at) {
    return at == UNTIMED ? this : new Stamps(accessed, at, at, created, witness);
  }

  /** Something else has changed. */
  Stamps changed(long at) {
    return at == UNTIMED ? this : new Stamps(accessed, modified, at, created, witness);
  }

  /** It was read. */
  Stamps accessedAt(long at) {
    return new Stamps(Math.max(accessed, at), modified, changed, created, witness);
  }

  FileStatus.Times times() {
    return new FileStatus.Times(accessed, modified, changed, created);
  }
}
