package org.millrace.sim.hunt;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Bugs to be planted, so that one can see that the hunt finds them: each is a mistake that somebody
 * could make in the place that its seam stands for.
 */
public enum Plant {
  /** Nodes do not make durable what they say is. */
  REMOVED_FSYNC(20, PlantedDisks.removedFsync(true)),
  /** The coordinator does not make its journal durable. */
  UNFORCED_JOURNAL(100, PlantedDisks.removedFsync(false)),
  /** A flush is answered before it is done. */
  EARLY_ACKNOWLEDGEMENT(50, PlantedRequests.earlyAcknowledgement()),
  /** A flush that failed is answered as if it had not. */
  SWALLOWED_ERROR(100, PlantedRequests.swallowedError()),
  /** A block that does not match its checksum is handed out. */
  SKIPPED_CHECKSUM(200, PlantedVerbs.skippedChecksum()),
  /** Some writes go to another block than the one that owns the bytes. */
  WRONG_OWNER(20, PlantedVerbs.wrongOwner()),
  /** A dirty block is dropped now and then. */
  DROPPED_DIRTY_BLOCK(20, PlantedVerbs.droppedWrite()),
  /** Bytes beside those that are written are overwritten. */
  LOST_NEIGHBOUR(20, PlantedVerbs.lostNeighbour()),
  /** A read sees what was there some time ago. */
  STALE_READ(50, PlantedVerbs.staleRead()),
  /** A write happens a second time later. */
  REPEATED_REQUEST(50, PlantedVerbs.repeatedRequest()),
  /** The shared pointer moves twice as far now and then. */
  POINTER_TWICE(50, PlantedVerbs.pointerTwice()),
  /** The size of a strand is what it was when it was last asked for. */
  STALE_SIZE(50, PlantedRequests.staleSize()),
  /** A name is not changed, but said to be. */
  FORGOTTEN_RENAME(100, PlantedRequests.forgottenRename()),
  /** Two ranks get one lock. */
  BROKEN_LOCK(50, PlantedRequests.brokenLock()),
  /** A waiting thread is not woken now and then. */
  LOST_WAKE_UP(50, PlantedEnvs.lostWakeUp()),
  /** Deadlines pass unnoticed. */
  MISSED_DEADLINE(100, PlantedEnvs.missedDeadline());

  private final int seeds;
  private final Planted planted;

  Plant(int seeds, Planted planted) {
    this.seeds = seeds;
    this.planted = planted;
  }

  /** Within how many seeds, from 1 on, it must be found. */
  public int seeds() {
    return seeds;
  }

  Planted planted() {
    return planted;
  }

  /** As it is written in commands: lower case with dashes. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The plant of a name, in either spelling. */
  public static Plant parse(String text) {
    String wanted = text.trim().toUpperCase(Locale.ROOT).replace('-', '_');
    for (Plant one : values()) {
      if (one.name().equals(wanted)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "nobody knows the bug '%s': use one of %s"
            .formatted(
                text, Arrays.stream(values()).map(Plant::word).collect(Collectors.joining(", "))));
  }
}
