package org.millrace.node;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.protocol.Capability;

/**
 * A session's rights to a file from the capabilities that it has presented: one entry for each open
 * with its expiry, and the sum of their rights. Immutable.
 */
final class Grant {

  /**
   * How many opens of one file a session can have shown at a time; the one that ends first goes.
   */
  static final int MAX_OPENS = 1024;

  /** What a request needs. */
  enum Right {
    READ,
    WRITE,
    EITHER
  }

  /** What one open allows. */
  private record Shown(long open, boolean read, boolean write, long untilMillis) {}

  private final long file;
  private final List<Shown> opens;
  private final long readUntilMillis; // 0 if it is not allowed
  private final long writeUntilMillis; // likewise

  private Grant(long file, List<Shown> opens) {
    this.file = file;
    this.opens = List.copyOf(opens);
    long read = 0;
    long write = 0;
    for (Shown one : opens) {
      read = Math.max(read, one.read ? one.untilMillis : 0);
      write = Math.max(write, one.write ? one.untilMillis : 0);
    }
    this.readUntilMillis = read;
    this.writeUntilMillis = write;
  }

  static Grant of(Capability capability) {
    Shown shown =
        new Shown(
            capability.open(), capability.read(), capability.write(), capability.expiresMillis());
    return new Grant(capability.file(), List.of(shown));
  }

  /** The file's id. */
  long file() {
    return file;
  }

  /**
   * What both allow: a file may be open twice, for reading and for writing. What was shown again
   * lasts as long as the longer.
   */
  Grant and(Grant other) {
    List<Shown> all = new ArrayList<>(opens);
    for (Shown fresh : other.opens) {
      if (all.stream().anyMatch(one -> isAsGood(one, fresh))) {
        continue;
      }
      all.removeIf(one -> isAsGood(fresh, one));
      if (all.size() == MAX_OPENS) {
        all.remove(soonest(all));
      }
      all.add(fresh);
    }
    return new Grant(file, all);
  }

  private static boolean isAsGood(Shown one, Shown other) {
    return one.open == other.open
        && (one.read || !other.read)
        && (one.write || !other.write)
        && one.untilMillis >= other.untilMillis;
  }

  private static Shown soonest(List<Shown> all) {
    Shown soonest = all.getFirst();
    for (Shown one : all) {
      soonest = one.untilMillis < soonest.untilMillis ? one : soonest;
    }
    return soonest;
  }

  /** What is left without an open; empty if nothing is. */
  Optional<Grant> without(long open) {
    List<Shown> left = opens.stream().filter(one -> one.open != open).toList();
    return left.size() == opens.size()
        ? Optional.of(this)
        : left.isEmpty() ? Optional.empty() : Optional.of(new Grant(file, left));
  }

  long untilMillis(Right right) {
    return switch (right) {
      case READ -> readUntilMillis;
      case WRITE -> writeUntilMillis;
      case EITHER -> Math.max(readUntilMillis, writeUntilMillis);
    };
  }

  /** Why {@code right}, which this does not give now, is refused. */
  String refusal(Right right) {
    long until = untilMillis(right);
    return until == 0
        ? "its capability is not for " + (right == Right.WRITE ? "writing" : "reading")
        : "its capability has expired at " + Instant.ofEpochMilli(until);
  }
}
