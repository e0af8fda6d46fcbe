package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;

/**
 * The n-th synchronizing call of a group on one channel.
 *
 * <pre>
 *   gathering --all have come--> over            (forgotten; the effect answers)
 *   gathering --mismatch, failed rank, withdrawal, deadlock--> failed
 *   failed    --all living ranks have come or left--> over
 * </pre>
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Meeting {

  // constant after construction
  final Group group;
  final Channel channel;
  final long sequence;

  // guarded by the coordinator's lock
  private final @Nullable Part[] parts;
  private int come;
  private @Nullable Part first;
  private @Nullable MillraceException error;

  Meeting(Group group, Channel channel, long sequence) {
    this.group = group;
    this.channel = channel;
    this.sequence = sequence;
    this.parts = new Part[group.size];
  }

  boolean has(int rank) {
    return parts[rank] != null;
  }

  void add(Part part) {
    parts[part.member().rank] = part;
    come++;
    if (first == null) {
      first = part;
    }
  }

  /** Whose call the others are compared with. */
  Part first() {
    if (first == null) {
      throw new IllegalStateException("nobody has come");
    }
    return first;
  }

  boolean isFull() {
    return come == group.size;
  }

  int come() {
    return come;
  }

  /** Those that have come, by rank. */
  List<Part> parts() {
    List<Part> all = new ArrayList<>(come);
    for (Part part : parts) {
      if (part != null) {
        all.add(part);
      }
    }
    return all;
  }

  Optional<MillraceException> error() {
    return Optional.ofNullable(error);
  }

  void fail(MillraceException why) {
    error = why;
  }

  /** Whether everybody who could still come has come. */
  boolean isComplete() {
    if (isFull()) {
      return true;
    }
    for (int rank = 0; rank < parts.length; rank++) {
      if (parts[rank] == null && !group.member(rank).map(Member::hasLeft).orElse(false)) {
        return false;
      }
    }
    return true;
  }

  List<Integer> missingRanks() {
    List<Integer> missing = new ArrayList<>();
    for (int rank = 0; rank < parts.length; rank++) {
      if (parts[rank] == null) {
        missing.add(rank);
      }
    }
    return missing;
  }

  /** Those who have joined the group but not yet come. */
  List<Member> missingMembers() {
    List<Member> missing = new ArrayList<>();
    for (int rank = 0; rank < parts.length; rank++) {
      if (parts[rank] == null) {
        group.member(rank).ifPresent(missing::add);
      }
    }
    return missing;
  }

  /** The call for people. */
  String title() {
    String name = first == null ? "call" : first.meet().call();
    return title(name, channel, sequence);
  }

  static String title(String call, Channel channel, long sequence) {
    return call + " #" + sequence + (channel.number == 0 ? "" : " on open " + channel.number);
  }
}
