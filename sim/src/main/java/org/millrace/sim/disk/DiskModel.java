package org.millrace.sim.disk;

/**
 * A model of a disk's speed: computes when a transfer ends from its start time and its place on the
 * disk. Start times do not decrease; a model remembers where the last transfer left the disk.
 */
public interface DiskModel {

  /** Bytes that it holds. */
  long capacityBytes();

  /**
   * The instant at which a transfer of {@code bytes} bytes at {@code offset} is done, if it begins
   * at {@code nowNanos}; unless {@link #isParallel} nothing else is under way then.
   */
  long finish(long nowNanos, long offset, long bytes, boolean write);

  /** Whether transfers may overlap: there is no arm that is at one place at a time. */
  default boolean isParallel() {
    return false;
  }

  /** For how long {@code bytes} bytes take up the path between the disk and its node. */
  long pathNanos(long bytes, boolean write);

  /** The instant at which all that was written will be on the medium: now, or later. */
  default long settled(long nowNanos) {
    return nowNanos;
  }
}
