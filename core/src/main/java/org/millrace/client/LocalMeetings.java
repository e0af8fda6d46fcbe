package org.millrace.client;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.protocol.CollectiveId;
import org.millrace.transfer.Ranks;

/**
 * Where the ranks of one JVM gather for collective calls that are not large, without the
 * coordinator. The last rank to arrive carries out the call for all, or begins it and others help;
 * there is no second meeting.
 *
 * <pre>
 *   gathering --all have arrived, and all blocks are in memory------> done, by some for all
 *   gathering --all have arrived, and they are not------------------> apart
 *   gathering --somebody passes by, or has waited for some time-----> apart
 * </pre>
 *
 * <p>Apart means that every rank comes to the coordinator by itself, as if nobody had gathered:
 * there calls are compared, failures reach all, and everybody is seen who waits. So a rank that
 * died, is late, or called something else is found there, a moment later than else.
 *
 * <p>Safe for use by several threads: one lock, held for a few steps. Nothing to close.
 */
final class LocalMeetings {

  /** How many calls are remembered to which some rank never came. */
  private static final int MAX_REMEMBERED = 1024;

  /** One call. Guarded by the lock. */
  private static final class Gathering {
    final @Nullable LocalMeetingPart[] parts;
    int arrived;
    int passed;
    boolean apart;

    Gathering(int ranks) {
      this.parts = new LocalMeetingPart[ranks];
    }

    List<LocalMeetingPart> present() {
      List<LocalMeetingPart> present = new ArrayList<>(arrived);
      for (LocalMeetingPart one : parts) {
        if (one != null) {
          present.add(one);
        }
      }
      return present;
    }
  }

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<CollectiveId, Gathering> open = new LinkedHashMap<>();
  private final Set<Long> ended = new HashSet<>();

  /**
   * Comes to a call, and returns whether it was carried out; else the rank comes to the coordinator
   * by itself, and so do all others.
   */
  boolean arrive(Env env, CollectiveId id, Ranks ranks, LocalMeetingPart own, long deadlineNanos) {
    Gathering gathering;
    boolean last;
    lock.lock();
    try {
      gathering = gathering(id, ranks);
      if (gathering.apart) {
        return false;
      }
      gathering.parts[ranks.own()] = own;
      gathering.arrived++;
      last = gathering.arrived == gathering.parts.length;
      if (last) {
        open.remove(id);
      }
    } finally {
      lock.unlock();
    }
    if (last) {
      own.carryOut(env, gathering.present(), ranks.own(), id, deadlineNanos);
    } else {
      own.await(env, deadlineNanos, () -> scatter(gathering));
    }
    return own.isDone();
  }

  /** A rank comes to the coordinator by itself: all do. */
  void passBy(CollectiveId id, Ranks ranks) {
    Gathering gathering;
    lock.lock();
    try {
      gathering = gathering(id, ranks);
      if (++gathering.passed == gathering.parts.length) {
        open.remove(id);
      }
    } finally {
      lock.unlock();
    }
    scatter(gathering);
  }

  /** The group meets no more: its ranks come to the coordinator, which knows why. */
  void end(long group) {
    List<Gathering> those = new ArrayList<>();
    lock.lock();
    try {
      ended.add(group);
      open.forEach(
          (id, gathering) -> {
            if (id.group() == group) {
              those.add(gathering);
            }
          });
    } finally {
      lock.unlock();
    }
    those.forEach(this::scatter);
  }

  private Gathering gathering(CollectiveId id, Ranks ranks) {
    Gathering found = open.get(id);
    if (found != null) {
      return found;
    }
    Gathering made = new Gathering(ranks.participants().size());
    made.apart = ended.contains(id.group());
    open.put(id, made);
    if (open.size() > MAX_REMEMBERED) {
      forgetOne();
    }
    return made;
  }

  /** Forgets the oldest call, if no rank waits in it: a rank that still comes waits a moment. */
  private void forgetOne() {
    Iterator<Gathering> oldest = open.values().iterator();
    if (oldest.next().apart) {
      oldest.remove();
    }
  }

  /** Lets all ranks that have arrived go on separately, unless the last has arrived. */
  private void scatter(Gathering gathering) {
    List<LocalMeetingPart> present;
    lock.lock();
    try {
      if (gathering.apart || gathering.arrived == gathering.parts.length) {
        return;
      }
      gathering.apart = true;
      present = gathering.present();
    } finally {
      lock.unlock();
    }
    present.forEach(LocalMeetingPart::letGo);
  }
}
