package org.millrace.sim.passion;

import java.util.List;
import org.millrace.env.Work;
import org.millrace.sim.disk.SimDisk;
import org.millrace.sim.machine.Speed;

/**
 * A possible difference between the Delta's file system and Millrace's nodes, to see its effect on
 * table 1. Immutable.
 *
 * @param name for people
 * @param from who says so
 * @param cacheBytes for each disk
 * @param readAheadBytes that a node reads ahead of a reader
 * @param placing where the blocks of the file lie on a disk
 * @param rereads whether a node reads a block again for each request, instead of once for all
 * @param nodeSpeed of an I/O node's processor
 */
public record Cause(
    String name,
    String from,
    long cacheBytes,
    long readAheadBytes,
    SimDisk.Placing placing,
    boolean rereads,
    Speed nodeSpeed) {

  private static final long CACHE = 1 << 20;
  private static final long SMALL_CACHE = 64 << 10;

  /** What a byte costs an I/O node, fitted to the direct reads of rows I to V. */
  private static final long COPY_PICOS = 2_000_000;

  /** Millrace's nodes as they are, on the Delta's hardware. */
  static final Cause NONE =
      new Cause(
          "none", "Millrace's nodes", CACHE, 0, SimDisk.Placing.CONTIGUOUS, false, Delta.I386);

  private Cause named(String newName, String newFrom) {
    return new Cause(newName, newFrom, cacheBytes, readAheadBytes, placing, rereads, nodeSpeed);
  }

  private Cause withCache(long bytes) {
    return new Cause(name, from, bytes, readAheadBytes, placing, rereads, nodeSpeed);
  }

  private Cause withReadAhead(long bytes) {
    return new Cause(name, from, cacheBytes, bytes, placing, rereads, nodeSpeed);
  }

  private Cause scattered() {
    return new Cause(
        name, from, cacheBytes, readAheadBytes, SimDisk.Placing.RANDOM, rereads, nodeSpeed);
  }

  private Cause rereading() {
    return new Cause(name, from, cacheBytes, readAheadBytes, placing, true, nodeSpeed);
  }

  private Cause withCopies(long picosPerByte) {
    Speed speed = nodeSpeed.with(Work.COPY, picosPerByte);
    return new Cause(name, from, cacheBytes, readAheadBytes, placing, rereads, speed);
  }

  /** None, and all that are tried. */
  public static List<Cause> all() {
    long ahead = 4 * Delta.BLOCK;
    return List.of(
        NONE,
        NONE.withCache(SMALL_CACHE)
            .named("small cache", "Nitzberg 1992: limited disk cache size; 64 KiB for each disk"),
        NONE.withReadAhead(ahead).named("read-ahead", "Pierce 1989: used; 4 blocks is a guess"),
        NONE.rereading()
            .named("extra I/O", "the paper: extra I/O; a disk read for each block of each request"),
        NONE.scattered()
            .named(
                "scattered", "Pierce 1989: blocks are scattered; here each anywhere on its disk"),
        NONE.withCopies(COPY_PICOS)
            .named("slow copies", "fitted to direct rows I to V: 2 us of a node for each byte"),
        NONE.scattered().withCopies(COPY_PICOS).named("both", "scattered, and slow copies"));
  }
}
