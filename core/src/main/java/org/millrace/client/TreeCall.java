package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Parker;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.GatheredParts;

/**
 * One meeting at one rank's place in the tree: the combined requests of the rank and the ranks
 * below it, and how the answer returns to them. For the rank itself it is its pending request.
 *
 * <pre>
 *   gathering --own part and all from below are here, and agree--> sent up
 *   gathering --they disagree--------------------------------------> apart
 *   sent up   --answered-------------------------------------------> over: all below are answered
 *   sent up   --fails, or the place above is gone------------------> apart
 *   any       --the rank itself came to the coordinator, answered--> over
 * </pre>
 *
 * <p>Apart: those below are told to come to the coordinator by themselves, and so does the rank. A
 * rank that has waited for a moment does so in any state, beside what goes through the tree: the
 * coordinator takes both for the same and answers both alike. So nobody depends on the tree, and
 * the coordinator sees all long waits.
 *
 * <p>Guarded by the lock of its {@link MeetingTree}; messages are sent without it. One thread at a
 * time waits for the answer.
 */
final class TreeCall implements Pending {

  /** How this rank's meeting gets to others. */
  interface Ways {
    /** Sends what all at and below this place bring to the place above. */
    Pending up(GatheredParts gathered);

    /** Comes to the coordinator with this rank's own part. */
    Pending direct();

    /** The meeting is over for this rank. */
    void onOver();
  }

  /** The rank's own part. */
  private record Own(TreeShape place, GatheredParts gathered, Ways ways, long waitUntilNanos) {}

  /** A rank below that has arrived, for itself and those below it. */
  private record Below(GatheredParts gathered, ReplyTo replyTo) {}

  // constant after construction
  private final MeetingTree tree;
  private final ReentrantLock lock;
  private final CollectiveId id;
  private final Parker waiter;

  // guarded by lock
  private final TreeMap<Integer, Below> below = new TreeMap<>(); // by rank; those not answered yet
  private int arrived; // from below, so far
  private int expected = Integer.MAX_VALUE; // from below; known when the rank itself comes
  private @Nullable Own own;
  private boolean sending;
  private boolean apart;
  private boolean goesDirectly; // to the coordinator, in person
  private @Nullable Pending up;
  private @Nullable Pending directCall;

  private @Nullable Object answered; // as outcome, before those below have heard it

  // a Message or a MillraceException once the rank may go on
  private volatile @Nullable Object outcome;

  TreeCall(MeetingTree tree, CollectiveId id) {
    this.tree = tree;
    this.lock = tree.lock();
    this.id = id;
    this.waiter = tree.env().parker();
  }

  /**
   * A rank from below arrives; false if it has to go to the coordinator directly. Called with the
   * lock held.
   */
  boolean addBelow(GatheredParts gathered, ReplyTo replyTo) {
    arrived++;
    if (apart || answered != null || below.containsKey(gathered.first())) {
      return false;
    }
    below.put(gathered.first(), new Below(gathered, replyTo));
    return true;
  }

  /** The rank itself comes. Called with the lock held. */
  void addOwn(TreeShape place, GatheredParts gathered, Ways ways, long waitUntilNanos) {
    own = new Own(place, gathered, ways, waitUntilNanos);
    expected = place.children().size();
  }

  /** The rank itself comes in another way. Called with the lock held. */
  void passBy(TreeShape place) {
    apart = true;
    expected = place.children().size();
  }

  /** Whether nothing is held here. Called with the lock held. */
  boolean isForgettable() {
    return below.isEmpty() && (apart && own == null || outcome != null);
  }

  /**
   * Whether nobody will come any more, nor is anybody to be answered. Called with the lock held.
   */
  boolean isSpent() {
    return isForgettable() && arrived >= expected;
  }

  /** What is remembered of a call that is over for the rank while some below have not arrived. */
  TreeCall tombstone() {
    TreeCall made = new TreeCall(tree, id);
    made.apart = true;
    made.arrived = arrived;
    made.expected = expected;
    return made;
  }

  /** What all at and below a place bring, to be sent up; empty if they disagree. */
  record Joined(Ways ways, Optional<GatheredParts> all) {}

  /**
   * What all at and below this place bring, once all are here: then the caller has to send it. Null
   * before, and after it was taken. Called with the lock held.
   */
  @Nullable Joined takeJoined() {
    if (own == null || sending || apart || answered != null || below.size() < expected) {
      return null;
    }
    sending = true;
    List<GatheredParts> all = new ArrayList<>();
    all.add(own.gathered);
    int next = own.place.rank() + 1;
    for (Below one : below.values()) {
      if (one.gathered.first() != next || !one.gathered.isSound()) {
        return new Joined(own.ways, Optional.empty());
      }
      next = one.gathered.end();
      all.add(one.gathered);
    }
    return new Joined(
        own.ways, next == own.place.end() ? GatheredParts.join(all) : Optional.empty());
  }

  /** Sends up what {@link #takeJoined} returned, without waiting. */
  void send(Joined joined) {
    if (joined.all.isEmpty()) {
      fallBack();
      return;
    }
    Pending sent = joined.ways.up(joined.all.get());
    lock.lock();
    try {
      up = sent;
    } finally {
      lock.unlock();
    }
    waiter.unpark();
    sent.whenDone(() -> onUp(sent));
  }

  private Own requireOwn() {
    if (own == null) {
      throw new IllegalStateException("the rank has not arrived at " + id);
    }
    return own;
  }

  private void onUp(Pending sent) {
    try {
      end((CoordinatorReply) sent.await(Env.NEVER));
    } catch (IOException | RuntimeException e) { // each asks the coordinator, which knows why
      fallBack();
    }
  }

  private void onDirect(Pending pending) {
    try {
      end((CoordinatorReply) pending.await(Env.NEVER));
    } catch (IOException e) {
      end(MillraceException.wrap(ErrorCode.NODE, e));
    } catch (RuntimeException e) {
      end(new MillraceException(ErrorCode.PROTOCOL, "not an answer to a meeting: " + e, e));
    }
  }

  /** Lets all below, and the rank itself, come to the coordinator. */
  void fallBack() {
    List<Below> those;
    lock.lock();
    try {
      apart = true;
      those = List.copyOf(below.values());
      below.clear();
      tree.onChanged(id, this);
    } finally {
      lock.unlock();
    }
    waiter.unpark();
    those.forEach(one -> one.replyTo.fail(tree.notByTree(id)));
  }

  /**
   * The answer is there. Those below hear it before the rank goes on, which may keep its processor
   * busy. Errors are the rank's own: others ask the coordinator for theirs.
   */
  private void end(Object answer) {
    List<Below> those;
    Ways told;
    lock.lock();
    try {
      if (answered != null) {
        return; // another thread tells it
      }
      answered = answer;
      told = requireOwn().ways;
      those = List.copyOf(below.values());
      below.clear();
    } finally {
      lock.unlock();
    }
    try {
      for (Below one : those) {
        if (answer instanceof Message message) {
          one.replyTo.reply(message);
        } else {
          one.replyTo.fail(tree.notByTree(id));
        }
      }
    } finally {
      goOn(answer);
    }
    told.onOver();
  }

  private void goOn(Object answer) {
    lock.lock();
    try {
      outcome = answer;
      tree.onChanged(id, this);
    } finally {
      lock.unlock();
    }
    waiter.unpark();
  }

  @Override
  public boolean isDone() {
    return outcome != null;
  }

  @Override
  public Message await(long deadlineNanos) throws IOException {
    Env env = tree.env();
    while (true) {
      Object answer = outcome;
      if (answer instanceof MillraceException error) {
        throw error.again();
      }
      if (answer != null) {
        return (Message) answer;
      }
      long now = env.nanoTime();
      if (isTimeToGo(now)) {
        goDirectly();
      } else if (now >= deadlineNanos) {
        throw new DeadlineException("no answer in time to " + id);
      } else {
        awaitNext(deadlineNanos);
      }
    }
  }

  private boolean isTimeToGo(long now) {
    lock.lock();
    try {
      return !goesDirectly && answered == null && (apart || now >= requireOwn().waitUntilNanos);
    } finally {
      lock.unlock();
    }
  }

  /** The rank comes to the coordinator, beside what goes through the tree; once. */
  void goDirectly() {
    Ways ways;
    lock.lock();
    try {
      if (goesDirectly || answered != null) {
        return;
      }
      goesDirectly = true;
      ways = requireOwn().ways;
    } finally {
      lock.unlock();
    }
    Pending pending = ways.direct();
    lock.lock();
    try {
      directCall = pending;
    } finally {
      lock.unlock();
    }
    waiter.unpark();
    pending.whenDone(() -> onDirect(pending));
  }

  /** Waits for the next thing to happen, and lends its thread to the link that it waits for. */
  private void awaitNext(long deadlineNanos) {
    Pending direct;
    Pending next;
    long until;
    lock.lock();
    try {
      direct = directCall;
      Pending way = direct != null || apart ? direct : up;
      next = answered == null ? way : null; // else another thread tells those below
      boolean waitsLong = goesDirectly || answered != null;
      until = waitsLong ? deadlineNanos : Math.min(deadlineNanos, requireOwn().waitUntilNanos);
    } finally {
      lock.unlock();
    }
    if (next == null) {
      waiter.park(until);
      return;
    }
    try {
      next.await(until);
    } catch (IOException e) {
      // not yet; or it has failed, which is looked at next
    }
    if (next.isDone()) {
      if (next == direct) {
        onDirect(next);
      } else {
        onUp(next);
      }
    }
  }
}
