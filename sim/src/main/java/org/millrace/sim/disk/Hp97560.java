package org.millrace.sim.disk;

/**
 * The HP 97560 of 1990, the disk of Kotz's experiments.
 *
 * <p>Geometry, seek curve, skews and overhead are those published by Ruemmler and Wilkes ("An
 * introduction to disk drive modeling", 1994) and used by Kotz, Toh and Radhakrishnan ("A detailed
 * simulation model of the HP 97560 disk drive", 1994): 1,962 cylinders of 19 tracks of 72 sectors
 * of 512 bytes at 4,002 revolutions a minute; a seek over d cylinders takes 3.24 + 0.4 sqrt(d) ms
 * up to 383, 8 + 0.008 d ms beyond; another head takes 1.6 ms; the first sector is shifted by 8
 * from track to track and by 18 from cylinder to cylinder; the controller takes 2.2 ms for a
 * request; the SCSI bus moves 10 MB/s; a buffer of 128 KiB reads ahead and takes writes.
 *
 * <p>Under the head 72 * 512 bytes pass in 15 ms, 2.34 MiB/s; skews leave 0.9 of this for long
 * transfers.
 *
 * <pre>
 *   read   request | controller | seek, rotation, sectors...      further sectors into the buffer
 *   read of what comes next: from the buffer as soon as it is there, over the bus
 *   write  request | controller | bus into the buffer: done, if there was room; the head follows
 * </pre>
 *
 * <p>Used by one thread at a time.
 */
public final class Hp97560 implements DiskModel {

  static final int SECTOR = 512;
  static final int SECTORS = 72;
  static final int TRACKS = 19;
  static final int CYLINDERS = 1962;
  private static final int TRACK_SKEW = 8;
  private static final int CYLINDER_SKEW = 18;
  private static final double REVOLUTION = 60e9 / 4002;
  private static final double SLOT = REVOLUTION / SECTORS;
  private static final double HEAD_SWITCH = 1.6e6;
  private static final double CONTROLLER = 2.2e6;
  private static final double BUS_NANOS_PER_BYTE = 100;
  private static final int BUFFER_SECTORS = (128 << 10) / SECTOR;

  // constant after construction: where the platters were at instant 0
  private final double phase;

  // where the last transfer left it
  private long cylinder;
  private long nextSector = -1;
  private double headFree;
  private boolean lastWrote;

  /** A disk whose first sector passes the head at instant 0. */
  public Hp97560() {
    this(0);
  }

  /**
   * A disk whose platters are {@code turn} of a revolution further: the spindles of a machine do
   * not turn together.
   */
  public Hp97560(double turn) {
    phase = turn * REVOLUTION;
  }

  @Override
  public long capacityBytes() {
    return (long) CYLINDERS * TRACKS * SECTORS * SECTOR;
  }

  @Override
  public long finish(long nowNanos, long offset, long bytes, boolean write) {
    if (offset < 0 || bytes < 1 || offset + bytes > capacityBytes()) {
      throw new IllegalArgumentException(
          bytes + " bytes at " + offset + " of a disk of " + capacityBytes());
    }
    long first = offset / SECTOR;
    long count = (offset + bytes - 1) / SECTOR - first + 1;
    double ready = nowNanos + CONTROLLER;
    double bus = bytes * BUS_NANOS_PER_BYTE;
    double done = write ? write(ready + bus, first, count) : read(ready, first, count);
    return Math.round(write ? done : Math.max(done, ready + bus));
  }

  @Override
  public long pathNanos(long bytes, boolean write) {
    return Math.round(bytes * BUS_NANOS_PER_BYTE);
  }

  @Override
  public long settled(long nowNanos) {
    return lastWrote ? Math.max(nowNanos, Math.round(headFree)) : nowNanos;
  }

  private double read(double ready, long first, long count) {
    double media;
    if (!lastWrote && first == nextSector) {
      // the head went on reading; it stopped when the buffer was full
      double full = pass(headFree, first, BUFFER_SECTORS);
      double passed = pass(headFree, first, count);
      media = passed <= Math.max(full, ready) ? passed : position(ready, first, count);
    } else {
      media = position(Math.max(ready, lastWrote ? headFree : 0), first, count);
    }
    leave(first + count, media, false);
    return media;
  }

  private double write(double inBuffer, long first, long count) {
    boolean goesOn = lastWrote && first == nextSector && inBuffer <= headFree;
    double start = lastWrote ? Math.max(inBuffer, headFree) : inBuffer;
    double media = goesOn ? pass(headFree, first, count) : position(start, first, count);
    double room = lastWrote ? headFree - BUFFER_SECTORS * SLOT : 0;
    leave(first + count, media, true);
    return Math.max(inBuffer, room);
  }

  private void leave(long sector, double at, boolean wrote) {
    nextSector = sector;
    cylinder = (sector - 1) / (SECTORS * TRACKS);
    headFree = at;
    lastWrote = wrote;
  }

  /** When sectors have passed the head that has to seek first. */
  private double position(double from, long first, long count) {
    int distance = Math.toIntExact(Math.abs(first / (SECTORS * TRACKS) - cylinder));
    return pass(from + seek(distance), first, count);
  }

  static double seek(int distance) {
    if (distance == 0) {
      return 0;
    }
    return 1e6 * (distance <= 383 ? 3.24 + 0.4 * Math.sqrt(distance) : 8.0 + 0.008 * distance);
  }

  /** When sectors have passed the head that is on the track of the first one. */
  private double pass(double from, long first, long count) {
    double at = from;
    long sector = first;
    long left = count;
    while (left > 0) {
      long onTrack = Math.min(left, SECTORS - sector % SECTORS);
      at = arrival(at, sector) + onTrack * SLOT;
      sector += onTrack;
      left -= onTrack;
      if (left > 0) {
        at += sector % (SECTORS * TRACKS) == 0 ? seek(1) : HEAD_SWITCH;
      }
    }
    return at;
  }

  /** When a sector comes under the head, from an instant on. */
  private double arrival(double from, long sector) {
    long track = sector / SECTORS;
    long itsCylinder = track / TRACKS;
    long slot =
        (sector % SECTORS + TRACK_SKEW * (track - itsCylinder) + CYLINDER_SKEW * itsCylinder)
            % SECTORS;
    double angle = slot * SLOT - phase;
    double turns = Math.ceil((from - angle) / REVOLUTION - 1e-9);
    return angle + Math.max(0, turns) * REVOLUTION;
  }
}
