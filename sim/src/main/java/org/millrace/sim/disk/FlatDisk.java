package org.millrace.sim.disk;

/**
 * A disk of today, for which a few numbers suffice. Used by one thread at a time.
 *
 * <p>The solid-state disk's numbers are those of a data-centre NVMe drive of 2023 as vendors print
 * them (about 80 microseconds to read a block, 20 to write one into its protected buffer, 6.5 and
 * 3.5 GB/s); those of the hard disk a nearline drive's (8.5 ms for seek and half a turn, 250 MB/s).
 */
public final class FlatDisk implements DiskModel {

  // constant after construction
  private final long capacityBytes;
  private final double readNanos;
  private final double writeNanos;
  private final double jumpNanos;
  private final double readBytesPerNano;
  private final double writeBytesPerNano;

  private long next = -1;

  private FlatDisk(
      long capacityBytes,
      double readNanos,
      double writeNanos,
      double jumpNanos,
      double readBytesPerNano,
      double writeBytesPerNano) {
    this.capacityBytes = capacityBytes;
    this.readNanos = readNanos;
    this.writeNanos = writeNanos;
    this.jumpNanos = jumpNanos;
    this.readBytesPerNano = readBytesPerNano;
    this.writeBytesPerNano = writeBytesPerNano;
  }

  /** A solid-state disk. */
  public static FlatDisk ssd() {
    return new FlatDisk(4L << 40, 80e3, 20e3, 0, 6.5, 3.5);
  }

  /** A hard disk. */
  public static FlatDisk hardDisk() {
    return new FlatDisk(16L << 40, 0.2e6, 0.2e6, 8.3e6, 0.25, 0.25);
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public long finish(long nowNanos, long offset, long bytes, boolean write) {
    double nanos = write ? writeNanos : readNanos;
    if (offset != next) {
      nanos += jumpNanos;
    }
    next = offset + bytes;
    return nowNanos + Math.round(nanos + bytes / (write ? writeBytesPerNano : readBytesPerNano));
  }
}
