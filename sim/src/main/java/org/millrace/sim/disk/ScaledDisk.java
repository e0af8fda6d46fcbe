package org.millrace.sim.disk;

/**
 * A disk for a world in which {@code times} bytes stand for one of the disk's. Used by one thread
 * at a time.
 *
 * @param disk the disk
 * @param times how many bytes stand for one
 */
public record ScaledDisk(DiskModel disk, int times) implements DiskModel {

  /** Checks the scale. */
  public ScaledDisk {
    if (times < 1) {
      throw new IllegalArgumentException(times + " bytes for one, must be at least 1");
    }
  }

  @Override
  public long capacityBytes() {
    return Math.multiplyExact(disk.capacityBytes(), times);
  }

  @Override
  public long finish(long nowNanos, long offset, long bytes, boolean write) {
    return disk.finish(nowNanos, offset / times, Math.ceilDiv(bytes, times), write);
  }

  @Override
  public long pathNanos(long bytes, boolean write) {
    return disk.pathNanos(Math.ceilDiv(bytes, times), write);
  }

  @Override
  public boolean isParallel() {
    return disk.isParallel();
  }

  @Override
  public long settled(long nowNanos) {
    return disk.settled(nowNanos);
  }
}
