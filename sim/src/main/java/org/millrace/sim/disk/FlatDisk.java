package org.millrace.sim.disk;

/**
 * A disk of today, for which a few numbers suffice. Used by one thread at a time.
 *
 * <p>The solid-state disk is a data-centre drive at PCIe 4.0: 80 microseconds until a read begins
 * to arrive, 20 until a write is in its protected buffer, 6.5 and 3.5 GB/s, many transfers at a
 * time. The hard disk turns 7,200 times a minute: 7.4 ms for a seek, 4.16 for half a turn, 0.03 for
 * a command that goes on where the last one ended, 250 MB/s, one transfer at a time. {@code
 * docs/simulation.md} names the data sheets.
 */
public final class FlatDisk implements DiskModel {

  // constant after construction
  private final long capacityBytes;
  private final boolean parallel;
  private final double readNanos;
  private final double writeNanos;
  private final double jumpNanos;
  private final double readBytesPerNano;
  private final double writeBytesPerNano;

  // where the last transfer left it
  private long next = -1;
  private double pathFree;

  private FlatDisk(
      long capacityBytes,
      boolean parallel,
      double readNanos,
      double writeNanos,
      double jumpNanos,
      double readBytesPerNano,
      double writeBytesPerNano) {
    this.capacityBytes = capacityBytes;
    this.parallel = parallel;
    this.readNanos = readNanos;
    this.writeNanos = writeNanos;
    this.jumpNanos = jumpNanos;
    this.readBytesPerNano = readBytesPerNano;
    this.writeBytesPerNano = writeBytesPerNano;
  }

  /** A solid-state disk. */
  public static FlatDisk ssd() {
    return new FlatDisk(4L << 40, true, 80e3, 20e3, 0, 6.5, 3.5);
  }

  /** A hard disk. */
  public static FlatDisk hardDisk() {
    return new FlatDisk(6_000_000_000_000L, false, 0.03e6, 0.03e6, 11.56e6, 0.25, 0.25);
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public boolean isParallel() {
    return parallel;
  }

  @Override
  public long pathNanos(long bytes, boolean write) {
    return Math.round(bytes / (write ? writeBytesPerNano : readBytesPerNano));
  }

  /** Whatever overlaps, bytes go over one path to the disk. */
  @Override
  public long finish(long nowNanos, long offset, long bytes, boolean write) {
    double ready = nowNanos + (write ? writeNanos : readNanos) + (offset == next ? 0 : jumpNanos);
    next = offset + bytes;
    pathFree = Math.max(ready, pathFree) + bytes / (write ? writeBytesPerNano : readBytesPerNano);
    return Math.round(pathFree);
  }
}
