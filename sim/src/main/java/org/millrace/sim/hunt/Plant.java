package org.millrace.sim.hunt;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Bugs that can be planted to show that the hunt finds them. Each is a plausible mistake in the
 * code behind its seam.
 */
public enum Plant {
  /** Nodes acknowledge flushes that they did not carry out. */
  REMOVED_FSYNC(10),
  /** The coordinator does not make its journal durable. */
  UNFORCED_JOURNAL(10),
  /** A flush is answered before it is done. */
  EARLY_ACKNOWLEDGEMENT(80),
  /** Ranks that flush together leave one strand out. */
  UNFLUSHED_STRAND(40),
  /** A node does not wait for all parts of a disk-directed call. */
  DIRECTED_TOO_EARLY(40),
  /** A failed flush is answered as a success. */
  SWALLOWED_ERROR(80),
  /** A block that does not match its checksum is returned. */
  SKIPPED_CHECKSUM(80),
  /** Some writes go to another block than the one that owns the bytes. */
  WRONG_OWNER(40),
  /** A dirty block is dropped now and then. */
  DROPPED_DIRTY_BLOCK(40),
  /** Bytes beside those that are written are overwritten. */
  LOST_NEIGHBOUR(40),
  /** A read returns older bytes. */
  STALE_READ(40),
  /** A write is carried out a second time later. */
  REPEATED_REQUEST(80),
  /** The shared pointer moves twice as far now and then. */
  POINTER_TWICE(40),
  /** The size of a strand is that of the previous request. */
  STALE_SIZE(40),
  /** A rename is acknowledged but not carried out. */
  FORGOTTEN_RENAME(80),
  /** A name is said to be there, or not, as it was when it was asked for before. */
  STALE_NAME(80),
  /** Two ranks get one lock. */
  BROKEN_LOCK(80),
  /** Nodes do not learn of ended sessions, and the coordinator assumes that they have. */
  UNFENCED_SESSION(150),
  /** Shared pointers begin at 0 again when the coordinator was restarted. */
  FORGOTTEN_POINTER(400),
  /** A coordinator that was restarted carries out again what it does not know to be repeated. */
  FORGOTTEN_ANSWERS(150),
  /** Of several coordinators a new leader answers while the one before may do so, too. */
  IMPATIENT_LEADER(40),
  /** Of several coordinators a leader answers until it hears that it was replaced. */
  ENDLESS_LEASE(40),
  /** A batch that is in the log of several coordinators twice is applied twice. */
  DOUBLED_BATCH(40),
  /** A coordinator is elected that lacks what was acknowledged last. */
  FORGETFUL_LEADER(40),
  /** A waiting thread is not woken now and then. */
  LOST_WAKE_UP(40),
  /** Deadlines pass unnoticed. */
  MISSED_DEADLINE(80),
  /** Processes map a copy of a node's memory. */
  PRIVATE_MAPPING(40),
  /** Memory that a stalled process may still touch is reused. */
  REUSED_QUARANTINE(1000),
  /** Memory that was pinned for an ended process is never reused. */
  LEAKED_QUARANTINE(400),
  /** A process's writes into revoked blocks are accepted. */
  ACCEPTED_LATE_WRITE(400),
  /** A partly written block is pinned without the rest of its bytes. */
  UNLOADED_BLOCK(80),
  /** Writes into pinned blocks are not recorded. */
  UNNOTED_WRITE(40),
  /** Nodes do not see the writes that processes record for kept blocks. */
  UNSEEN_CELL(40),
  /** Processes read from where a block was, although another one is there by now. */
  FROZEN_VERSION(150),
  /** A flush does not wait until copies have what was written. */
  FLUSH_WITHOUT_COPY(80),
  /** An owner that was replaced is neither told nor refused. */
  TAKEOVER_WITHOUT_EPOCH(150),
  /** New owners say of all writes before them that they may be lost. */
  NEEDLESS_LOSS(400),
  /** A scrub takes the owner's block for right, whatever its checksum says. */
  SCRUB_FROM_BAD_COPY(150);

  private final int seeds;

  Plant(int seeds) {
    this.seeds = seeds;
  }

  /** Within how many seeds, from 1 on, it must be found. */
  public int seeds() {
    return seeds;
  }

  /** The bug itself, for one world. */
  Planted planted() {
    return switch (this) {
      case REMOVED_FSYNC -> PlantedDisks.removedFsync(true);
      case UNFORCED_JOURNAL -> PlantedDisks.removedFsync(false);
      case EARLY_ACKNOWLEDGEMENT -> PlantedRequests.earlyAcknowledgement();
      case UNFLUSHED_STRAND -> PlantedRequests.unflushedStrand();
      case DIRECTED_TOO_EARLY -> PlantedRequests.directedTooEarly();
      case SWALLOWED_ERROR -> PlantedRequests.swallowedError();
      case SKIPPED_CHECKSUM -> PlantedVerbs.skippedChecksum();
      case WRONG_OWNER -> PlantedVerbs.wrongOwner();
      case DROPPED_DIRTY_BLOCK -> PlantedVerbs.droppedWrite();
      case LOST_NEIGHBOUR -> PlantedVerbs.lostNeighbour();
      case STALE_READ -> PlantedVerbs.staleRead();
      case REPEATED_REQUEST -> PlantedVerbs.repeatedRequest();
      case POINTER_TWICE -> PlantedVerbs.pointerTwice();
      case STALE_SIZE -> PlantedRequests.staleSize();
      case FORGOTTEN_RENAME -> PlantedRequests.forgottenRename();
      case STALE_NAME -> PlantedRequests.staleName();
      case BROKEN_LOCK -> PlantedRequests.brokenLock();
      case UNFENCED_SESSION -> PlantedRequests.unfencedSession();
      case FORGOTTEN_POINTER -> PlantedRequests.forgottenPointer();
      case FORGOTTEN_ANSWERS -> PlantedRequests.forgottenAnswers();
      case IMPATIENT_LEADER -> PlantedGroups.impatientLeader();
      case ENDLESS_LEASE -> PlantedGroups.endlessLease();
      case DOUBLED_BATCH -> PlantedGroups.doubledBatch();
      case FORGETFUL_LEADER -> PlantedGroups.forgetfulLeader();
      case LOST_WAKE_UP -> PlantedEnvs.lostWakeUp();
      case MISSED_DEADLINE -> PlantedEnvs.missedDeadline();
      case PRIVATE_MAPPING -> PlantedPins.privateMapping();
      case REUSED_QUARANTINE -> PlantedPins.reusedQuarantine();
      case LEAKED_QUARANTINE -> PlantedPins.leakedQuarantine();
      case ACCEPTED_LATE_WRITE -> PlantedPins.acceptedLateWrite();
      case UNLOADED_BLOCK -> PlantedPins.unloadedBlock();
      case UNNOTED_WRITE -> PlantedPins.unnotedWrite();
      case UNSEEN_CELL -> PlantedPins.unseenCell();
      case FROZEN_VERSION -> PlantedPins.frozenVersion();
      case FLUSH_WITHOUT_COPY -> PlantedCopies.flushWithoutCopy();
      case TAKEOVER_WITHOUT_EPOCH -> PlantedCopies.takeoverWithoutEpoch();
      case NEEDLESS_LOSS -> PlantedCopies.needlessLoss();
      case SCRUB_FROM_BAD_COPY -> PlantedDisks.scrubFromBadCopy();
    };
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
        "unknown bug '%s': use one of %s"
            .formatted(
                text, Arrays.stream(values()).map(Plant::word).collect(Collectors.joining(", "))));
  }
}
