package org.millrace.coordinator;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.NodeMemory;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.message.Troubles.Kind;

/**
 * Makes changes of the tree of names durable. A change is applied at once and queued. One disk
 * thread writes the changes that were queued during the previous batch, forces them, and then
 * answers all waiting requests. No reply depends on a change that is not durable: reads wait in the
 * same queue.
 *
 * <p>If writing fails, all changes that are not durable are undone, last first, and their waiters
 * get the error. What the log then holds is unknown, so the next batch begins by writing the whole
 * log anew; the same happens, without need, when it has grown too long. If the log is lost to
 * another coordinator, no waiter is called any more.
 *
 * <p>Methods are called with the coordinator's lock held, {@link #close} and {@link #abandon}
 * without it. Closing makes durable what is queued and ends the thread; abandoning only ends it.
 */
final class Journal implements AutoCloseable {

  // constant after construction
  private final Env env;
  private final ChangeLog log;
  private final Names names;
  private final ReentrantLock lock;
  private final Coordinator.StrandProbe strandsExist;
  private final long mark;
  private final boolean lives;
  private final Health health;
  private final Signal work;
  private final Signal progress;

  // guarded by the coordinator's lock
  private List<Step> queue = new ArrayList<>();
  private List<NameChange> idle = new ArrayList<>(); // what nobody waits for: goes with the next
  private boolean busy;
  private long busySinceNanos;
  private boolean looking;
  private boolean broken;
  private boolean recovered;
  private boolean closing;
  private boolean abandoned;
  private boolean ended;
  private @Nullable MillraceException startError;
  private List<FileEntry> forgotten = List.of();
  private NameChange.Life before = NameChange.Life.NONE;

  /** What is queued: a change with its inverse, or a waiting request. */
  private sealed interface Step {
    record Changed(NameChange change, NameChange undo) implements Step {}

    record Waiter(CommitCallback commit) implements Step {}
  }

  Journal(
      Env env,
      Coordinator.Store store,
      Names names,
      ReentrantLock lock,
      Coordinator.StrandProbe strandsExist,
      boolean lives) {
    this.health = store.health();
    this.env = env;
    this.log = store.log();
    this.names = names;
    this.lock = lock;
    this.strandsExist = strandsExist;
    this.mark = env.random("run of the coordinator").nextLong();
    this.lives = lives;
    this.work = env.signal(lock);
    this.progress = env.signal(lock);
  }

  /** Starts the disk thread and returns when it has brought {@link Names} to what the log holds. */
  void start() throws MillraceException {
    env.start(ThreadKind.DISK, "journal " + log.name(), this::serve);
    while (!recovered && !ended) {
      progress.await(Env.NEVER);
    }
    if (startError != null) {
      throw startError.again();
    }
  }

  /** The life before this one. */
  NameChange.Life before() {
    return before;
  }

  /** Files that recovery dropped because they were not confirmed. */
  List<FileEntry> forgotten() {
    return forgotten;
  }

  /** The starts of the coordinator, this one first. */
  List<NodeMemory.Run> runs() {
    return names.runs();
  }

  /** Applies a change that has been checked, and queues it. */
  void write(NameChange change) {
    queue.add(new Step.Changed(change, applyFitting(change)));
    work.signal();
  }

  /** A place in what is written, for {@link #answer}. */
  int mark() {
    return queue.size();
  }

  /**
   * Puts what was written since {@code mark} into one step with the answer to the request that made
   * it, so that a sender that does not hear the answer can ask for it again. Called without the
   * lock having been released meanwhile. Does nothing if nothing was written, or nobody can ask
   * again.
   */
  void answer(int mark, Peer from, ReplyTo replyTo, Message reply) {
    if (replyTo.request() > 0 && hasChanged(mark)) {
      answer(
          mark,
          new NameChange.Answered(
              from.session(), replyTo.request(), replyTo.heard(), KeptAnswer.of(reply)));
    }
  }

  /** The same of the call of a group that has made a file. */
  void answer(int mark, Meeting meeting, long file) {
    if (meeting.channel.number == 0 && hasChanged(mark)) {
      long call = meeting.sequence;
      answer(
          mark,
          new NameChange.Answered(
              Answers.ofGroup(meeting.group.id),
              call,
              call - Answers.BEHIND,
              new KeptAnswer.Value(file)));
    }
  }

  private boolean hasChanged(int mark) {
    return lives
        && queue.subList(mark, queue.size()).stream().anyMatch(Step.Changed.class::isInstance);
  }

  private void answer(int mark, NameChange.Answered answered) {
    List<Step> since = queue.subList(mark, queue.size());
    List<NameChange> changes = new ArrayList<>();
    List<NameChange> undo = new ArrayList<>();
    List<Step> waiters = new ArrayList<>();
    for (Step step : since) {
      switch (step) {
        case Step.Changed(NameChange.Together(List<NameChange> all), NameChange back) -> {
          changes.addAll(all);
          undo.addFirst(back);
        }
        case Step.Changed(NameChange change, NameChange back) -> {
          changes.add(change);
          undo.addFirst(back);
        }
        case Step.Waiter waiter -> waiters.add(waiter);
      }
    }
    changes.add(answered);
    undo.addFirst(applyFitting(answered));
    since.clear();
    queue.add(new Step.Changed(new NameChange.Together(changes), new NameChange.Together(undo)));
    queue.addAll(waiters);
  }

  /** An asker has ended: what it was answered is forgotten, durably with the next change. */
  void forget(long asker) {
    forget(NameChange.Heard.all(asker));
  }

  /** An asker has heard something, as above. */
  void forget(NameChange.Heard heard) {
    if (names.answers().has(heard.asker())) {
      applyFitting(heard);
      idle.add(heard);
    }
  }

  /** The files that a session has made by opening them, and may not have heard of. */
  List<Long> filesMadeBy(long session) {
    return names.answers().madeBy(session);
  }

  /** Forgets what all but some askers were answered. */
  void forgetOthers(LongPredicate isHere) {
    names.answers().askers().stream().filter(asker -> !isHere.test(asker)).forEach(this::forget);
  }

  /** Calls {@code commit} when all that has been written so far is durable: at once, if it is. */
  void whenDurable(CommitCallback commit, DeferredReplies answers) {
    if (queue.isEmpty() && !busy) {
      commit.done(answers);
    } else {
      queue.add(new Step.Waiter(commit));
      work.signal();
    }
  }

  /** What is wrong with it, and with its coordinator. Any thread may ask. */
  Health health() {
    return health;
  }

  /** For how long it has been writing what it writes now. */
  long busyNanos() {
    return busy ? env.nanoTime() - busySinceNanos : 0;
  }

  /** Has its thread look at the disk soon, which is not to be done by one that others wait for. */
  void lookSoon() {
    if (health.isOld() && !closing) {
      looking = true;
      work.signal();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (lives && !closing && !log.isLost()) { // all sessions were told that it has ended
        write(new NameChange.Life(names.life().number(), names.life().mark(), true));
      }
      closing = true;
      work.signal();
      while (!ended) {
        progress.await(Env.NEVER);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends without a word, as if the process had been killed: another coordinator goes on. */
  void abandon() {
    lock.lock();
    try {
      abandoned = true;
      closing = true;
      queue = new ArrayList<>();
      work.signal();
      while (!ended) {
        progress.await(Env.NEVER); // ends: a lost log fails what is being appended
      }
    } finally {
      lock.unlock();
    }
  }

  private void serve() {
    try {
      recover();
      while (serveBatch()) {}
    } catch (RuntimeException e) {
      health.troubles().add(Kind.DISK, "the journal's thread has ended: " + e);
      throw e;
    } finally {
      closeLog();
      lock.lock();
      try {
        ended = true;
        progress.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void recover() {
    MillraceException error = null;
    List<FileEntry> dropped = new ArrayList<>();
    List<NameChange> changes = new ArrayList<>();
    // No other thread reads the names before recovery is announced under the lock.
    try {
      if (!log.open(record -> names.apply(NameCodec.decode(record)))) {
        log.append(encoded(names.asChanges()));
      }
      for (NameEntry entry : names.files()) {
        if (!entry.confirmed) {
          settle(entry, dropped, changes);
        }
      }
      NameChange.Life last = names.life();
      for (long asker : last.ended() ? names.answers().askers() : Set.<Long>of()) {
        changes.add(NameChange.Heard.all(asker)); // nobody comes back to ask
        names.apply(changes.getLast());
      }
      var life = new NameChange.Life(last.number() + 1, mark, !lives);
      names.apply(life);
      changes.add(life);
      before = last;
      log.append(encoded(changes)); // durable before any node sees it
      health.onRecovered(names);
    } catch (IOException | RuntimeException e) {
      error = MillraceException.wrap(ErrorCode.DISK, e);
    }
    lock.lock();
    try {
      startError = error;
      forgotten = List.copyOf(dropped);
      recovered = true;
      closing |= error != null;
      progress.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Decides about a file of which the journal does not know whether its strands were made. */
  private void settle(NameEntry entry, List<FileEntry> dropped, List<NameChange> changes)
      throws IOException {
    FileEntry described = entry.describe();
    List<NameChange> decided =
        switch (strandsExist.saw(described)) {
          case ALL -> List.of(new NameChange.Confirm(entry.id, true));
          case UNKNOWN -> List.of();
          case SOME_MISSING -> Removals.ofFile(entry, Stamps.UNTIMED);
        };
    if (decided.size() > 1) {
      dropped.add(described);
    }
    for (NameChange change : decided) {
      names.apply(change);
      changes.add(change);
    }
  }

  private boolean serveBatch() {
    List<Step> batch;
    List<NameChange> changes;
    List<NameChange> all = List.of();
    boolean mustRewrite;
    lock.lock();
    try {
      while (queue.isEmpty() && !closing && !looking) {
        work.await(Env.NEVER);
      }
      if (queue.isEmpty() && closing) {
        return false;
      }
      looking = false;
      batch = queue;
      queue = new ArrayList<>();
      changes = changesOf(batch);
      busy = !batch.isEmpty();
      busySinceNanos = env.nanoTime();
      mustRewrite = broken;
      if (mustRewrite || log.isLong()) {
        all = names.asChanges();
      }
    } finally {
      lock.unlock();
    }
    if (!batch.isEmpty()) {
      finish(batch, persist(changes, all, mustRewrite));
    }
    if (health.isOld()) {
      health.look();
    }
    return true;
  }

  /** What is written of a batch; what nobody waits for goes with changes alone. */
  private List<NameChange> changesOf(List<Step> batch) {
    List<NameChange> changes = new ArrayList<>();
    for (Step step : batch) {
      if (step instanceof Step.Changed changed) {
        changes.add(changed.change());
      }
    }
    if (!changes.isEmpty()) {
      changes.addAll(idle);
      idle = new ArrayList<>();
    }
    return changes;
  }

  /** Returns null if the batch is durable. */
  private @Nullable MillraceException persist(
      List<NameChange> changes, List<NameChange> all, boolean mustRewrite) {
    try {
      if (!all.isEmpty() && log.rewrite(encoded(all), mustRewrite)) {
        return null;
      }
      log.append(encoded(changes));
      return null;
    } catch (IOException | RuntimeException e) {
      return MillraceException.wrap(ErrorCode.DISK, e);
    }
  }

  private void finish(List<Step> batch, @Nullable MillraceException error) {
    DeferredReplies answers = new DeferredReplies();
    lock.lock();
    try {
      busy = false;
      broken = error != null;
      if (abandoned || error != null && log.isLost()) {
        closing = true; // nobody is told: they ask the coordinator that goes on
        queue = new ArrayList<>();
      } else if (error == null) {
        for (Step step : batch) {
          if (step instanceof Step.Waiter waiter) {
            waiter.commit().done(answers);
          }
        }
      } else {
        undo(batch, error, answers);
      }
    } finally {
      lock.unlock();
    }
    if (error != null && !log.isLost()) {
      health.troubles().onFailure(error);
    }
    answers.send();
  }

  private void undo(List<Step> batch, MillraceException error, DeferredReplies answers) {
    List<Step> lost = new ArrayList<>(batch);
    lost.addAll(queue);
    queue = new ArrayList<>();
    for (Step step : lost.reversed()) {
      if (step instanceof Step.Changed changed) {
        applyFitting(changed.undo());
      }
    }
    for (Step step : lost) {
      if (step instanceof Step.Waiter waiter) {
        waiter.commit().failed(error, answers);
      }
    }
  }

  private NameChange applyFitting(NameChange change) {
    try {
      return names.apply(change);
    } catch (MillraceException e) {
      throw new IllegalStateException("a change that was checked does not fit: " + change, e);
    }
  }

  private static List<byte[]> encoded(List<NameChange> changes) {
    return changes.stream().map(NameCodec::encode).toList();
  }

  private void closeLog() {
    try {
      log.close();
    } catch (IOException e) {
      // What was acknowledged is durable already; closing adds nothing to it.
      return;
    }
  }
}
