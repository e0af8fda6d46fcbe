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
import org.millrace.protocol.Brought;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.CoordinatorReply;

/**
 * One meeting at one rank's place in the tree: what it and the ranks below have brought so far, and
 * how the answer comes back. For the rank itself it is the request on its way.
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
 * the coordinator sees all who wait for long.
 *
 * <p>Guarded by the lock of its {@link MeetingTree}; messages are sent without it. One thread at a
 * time waits for the answer.
 */
final class TreeCall implements Pending {

  /** How this rank's meeting gets to others. */
  interface Ways {
    /** Sends what all at and below this place bring to the place above. */
    Pending up(Brought brought);

    /** Comes to the coordinator with this rank's own part. */
    Pending inPerson();

    /** The meeting is over for this rank. */
    void onOver();
  }

  /** The rank's own part. */
  private record Own(TreeShape place, Brought brought, Ways ways, long patienceNanos) {}

  /** A rank below that has come, for itself and those below it. */
  private record Below(Brought brought, ReplyTo replyTo) {}

  // constant after construction
  private final MeetingTree tree;
  private final ReentrantLock lock;
  private final CollectiveId id;
  private final Parker waiter;

  // guarded by lock
  private final TreeMap<Integer, Below> below = new TreeMap<>(); // by rank; those not answered yet
  private int come; // from below, so far
  private int expected = Integer.MAX_VALUE; // from below; known when the rank itself comes
  private @Nullable Own own;
  private boolean sending;
  private boolean apart;
  private boolean goes; // to the coordinator, in person
  private @Nullable Pending up;
  private @Nullable Pending person;

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
   * Somebody from below comes; false if it has to come to the coordinator by itself. Called with
   * the lock held.
   */
  boolean addBelow(Brought brought, ReplyTo replyTo) {
    come++;
    if (apart || answered != null || below.containsKey(brought.first())) {
      return false;
    }
    below.put(brought.first(), new Below(brought, replyTo));
    return true;
  }

  /** The rank itself comes. Called with the lock held. */
  void addOwn(TreeShape place, Brought brought, Ways ways, long patienceNanos) {
    own = new Own(place, brought, ways, patienceNanos);
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
    return isForgettable() && come >= expected;
  }

  /** What is remembered of a call that is over for the rank while some below have not come. */
  TreeCall tombstone() {
    TreeCall made = new TreeCall(tree, id);
    made.apart = true;
    made.come = come;
    made.expected = expected;
    return made;
  }

  /** What all at and below a place bring, to be sent up; empty if they disagree. */
  record Joined(Ways ways, Optional<Brought> all) {}

  /**
   * What all at and below this place bring, once all are here: then the caller has to send it. Null
   * before, and after it was taken. Called with the lock held.
   */
  @Nullable Joined takeJoined() {
    if (own == null || sending || apart || answered != null || below.size() < expected) {
      return null;
    }
    sending = true;
    List<Brought> all = new ArrayList<>();
    all.add(own.brought);
    int next = own.place.rank() + 1;
    for (Below one : below.values()) {
      if (one.brought.first() != next || !one.brought.isSound()) {
        return new Joined(own.ways, Optional.empty());
      }
      next = one.brought.end();
      all.add(one.brought);
    }
    return new Joined(own.ways, next == own.place.end() ? Brought.join(all) : Optional.empty());
  }

  /** Sends up what {@link #takeJoined} gave, and waits for nobody. */
  void send(Joined joined) {
    if (joined.all.isEmpty()) {
      comeApart();
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
      throw new IllegalStateException("the rank has not come to " + id);
    }
    return own;
  }

  private void onUp(Pending sent) {
    try {
      end((CoordinatorReply) sent.await(Env.NEVER));
    } catch (IOException | RuntimeException e) { // each asks the coordinator, which knows why
      comeApart();
    }
  }

  private void onPerson(Pending asked) {
    try {
      end((CoordinatorReply) asked.await(Env.NEVER));
    } catch (IOException e) {
      end(MillraceException.wrap(ErrorCode.NODE, e));
    } catch (RuntimeException e) {
      end(new MillraceException(ErrorCode.PROTOCOL, "not an answer to a meeting: " + e, e));
    }
  }

  /** Lets all below, and the rank itself, come to the coordinator. */
  void comeApart() {
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
        goInPerson();
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
      return !goes && answered == null && (apart || now >= requireOwn().patienceNanos);
    } finally {
      lock.unlock();
    }
  }

  /** The rank comes to the coordinator, beside what goes through the tree; once. */
  void goInPerson() {
    Ways ways;
    lock.lock();
    try {
      if (goes || answered != null) {
        return;
      }
      goes = true;
      ways = requireOwn().ways;
    } finally {
      lock.unlock();
    }
    Pending asked = ways.inPerson();
    lock.lock();
    try {
      person = asked;
    } finally {
      lock.unlock();
    }
    waiter.unpark();
    asked.whenDone(() -> onPerson(asked));
  }

  /** Waits for the next thing to happen, and lends its thread to the link that it waits for. */
  private void awaitNext(long deadlineNanos) {
    Pending inPerson;
    Pending next;
    long until;
    lock.lock();
    try {
      inPerson = person;
      Pending way = inPerson != null || apart ? inPerson : up;
      next = answered == null ? way : null; // else another thread tells those below
      boolean patient = goes || answered != null;
      until = patient ? deadlineNanos : Math.min(deadlineNanos, requireOwn().patienceNanos);
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
      if (next == inPerson) {
        onPerson(next);
      } else {
        onUp(next);
      }
    }
  }
}
