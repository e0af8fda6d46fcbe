package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.millrace.protocol.CallNumbers;
import org.millrace.protocol.CoordinatorRequest;

/**
 * The synchronizing calls of a group on itself or on one open file: which are gathering or have
 * failed, and which are over.
 *
 * <p>A call has an even number for its begin and the odd one behind it for its end, if it has one.
 * Begins that are over are remembered by a mark below which all are, and by some beyond it. Ends
 * that are over are forgotten: nobody can tell an end that was from one that never will be, so
 * remembering them would take memory for every call. Only where ranks came together the answers to
 * the last few calls are remembered: some of those for whom others spoke may not have heard them.
 *
 * <p>Guarded by the coordinator's lock.
 */
final class MeetingChannel {

  /** Begins beyond the mark that are remembered; ranks may meet elsewhere and leave gaps. */
  private static final int MAX_REMEMBERED = 1024;

  // constant after construction
  final long number;

  // guarded by the coordinator's lock
  private final Map<Long, Meeting> meetings = new HashMap<>();
  private final TreeSet<Long> overBeyond = new TreeSet<>();
  private long overBelow; // even
  private final TreeMap<Long, MeetingOutcome> outcomes =
      new TreeMap<>(CallNumbers.ORDER); // of those to come together
  private long newest; // even
  private boolean gathers;

  MeetingChannel(long number) {
    this.number = number;
  }

  Optional<Meeting> meeting(long sequence) {
    return Optional.ofNullable(meetings.get(sequence));
  }

  /** Whether a begin is over; of an end it is not known. */
  boolean isOver(long sequence) {
    return !isEnd(sequence)
        && (sequence < overBelow || !overBeyond.isEmpty() && overBeyond.contains(sequence));
  }

  /** Ranks come together from now on, at least sometimes. */
  void gather() {
    gathers = true;
  }

  boolean gathers() {
    return gathers;
  }

  /** What was answered to a meeting to which ranks came together, if it is remembered. */
  Optional<MeetingOutcome> outcome(long sequence) {
    return Optional.ofNullable(outcomes.get(sequence));
  }

  /** Remembers the reply to a meeting for ranks that have not received it. */
  void remember(long sequence, MeetingOutcome outcome) {
    newest = Math.max(newest, CallNumbers.begin(sequence));
    outcomes.put(sequence, outcome);
    outcomes.headMap(newest - CoordinatorRequest.MeetCombined.REMEMBERED, true).clear();
  }

  private static boolean isEnd(long sequence) {
    return (sequence & 1) != 0;
  }

  void add(Meeting meeting) {
    meetings.put(meeting.sequence, meeting);
  }

  /** Forgets a meeting at which all have arrived. */
  void end(Meeting meeting) {
    meetings.remove(meeting.sequence);
    if (isEnd(meeting.sequence)) {
      return;
    }
    if (meeting.sequence == overBelow) {
      overBelow += 2;
      while (!overBeyond.isEmpty() && overBeyond.first() == overBelow) {
        overBeyond.pollFirst();
        overBelow += 2;
      }
    } else {
      overBeyond.add(meeting.sequence);
      if (overBeyond.size() > MAX_REMEMBERED) {
        overBeyond.pollFirst();
      }
    }
  }

  /** How many are remembered one by one. For tests. */
  int remembered() {
    return overBeyond.size();
  }

  /** All that are not over, in the order of their sequence. */
  List<Meeting> meetings() {
    List<Meeting> all = new ArrayList<>(meetings.values());
    all.sort((a, b) -> Long.compare(a.sequence, b.sequence));
    return all;
  }
}
