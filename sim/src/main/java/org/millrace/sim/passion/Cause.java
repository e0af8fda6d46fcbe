package org.millrace.sim.passion;

import java.util.List;
import org.millrace.sim.disk.SimDisk;

/**
 * One thing in which the Delta's file system may have differed from Millrace's nodes, to see what
 * it does to table 1. Immutable.
 *
 * @param name for people
 * @param from who says so
 * @param cacheBytes for each disk
 * @param readAheadBytes that a node reads ahead of a reader
 * @param placing where the blocks of the file lie on a disk
 * @param rereads whether a node reads a block again for each request, instead of once for all
 */
public record Cause(
    String name,
    String from,
    long cacheBytes,
    long readAheadBytes,
    SimDisk.Placing placing,
    boolean rereads) {

  private static final long CACHE = 1 << 20;
  private static final long SMALL_CACHE = 64 << 10;

  /** Millrace's nodes as they are, on the Delta's hardware. */
  static final Cause NONE =
      new Cause("none", "Millrace's nodes", CACHE, 0, SimDisk.Placing.CONTIGUOUS, false);

  private Cause withCache(String newName, String newFrom, long bytes, long ahead) {
    return new Cause(newName, newFrom, bytes, ahead, placing, rereads);
  }

  /** None, and all that are tried. */
  public static List<Cause> all() {
    return List.of(
        NONE,
        NONE.withCache(
            "small cache", "Nitzberg 1992: limited disk cache size", SMALL_CACHE, 0),
        NONE.withCache(
            "read-ahead", "Pierce 1989: read-ahead is used", CACHE, 4 * Delta.BLOCK),
        NONE.withCache("both", "both of them", SMALL_CACHE, 4 * Delta.BLOCK),
        new Cause(
            "scattered",
            "Pierce 1989: blocks scattered over all disks",
            CACHE,
            0,
            SimDisk.Placing.RANDOM,
            false),
        new Cause(
            "extra I/O",
            "the paper: all processors access the same portion, resulting in extra I/O",
            CACHE,
            0,
            SimDisk.Placing.CONTIGUOUS,
            true));
  }
}
