package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The synchronizing calls of a group on itself or on one open file: which are gathering or have
 * failed, and which are over. Those that are over are remembered by a mark below which all are, and
 * by the few beyond it.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Channel {

  // constant after construction
  final long number;

  // guarded by the coordinator's lock
  private final Map<Long, Meeting> meetings = new HashMap<>();
  private final TreeSet<Long> overBeyond = new TreeSet<>();
  private long overBelow;

  Channel(long number) {
    this.number = number;
  }

  Optional<Meeting> meeting(long sequence) {
    return Optional.ofNullable(meetings.get(sequence));
  }

  boolean isOver(long sequence) {
    return sequence < overBelow || !overBeyond.isEmpty() && overBeyond.contains(sequence);
  }

  void add(Meeting meeting) {
    meetings.put(meeting.sequence, meeting);
  }

  /** Forgets a meeting that all have come to. */
  void end(Meeting meeting) {
    meetings.remove(meeting.sequence);
    if (meeting.sequence == overBelow) {
      overBelow++;
      while (!overBeyond.isEmpty() && overBeyond.first() == overBelow) {
        overBeyond.pollFirst();
        overBelow++;
      }
    } else {
      overBeyond.add(meeting.sequence);
    }
  }

  /** All that are not over, in the order of their sequence. */
  List<Meeting> meetings() {
    List<Meeting> all = new ArrayList<>(meetings.values());
    all.sort((a, b) -> Long.compare(a.sequence, b.sequence));
    return all;
  }
}
