package org.millrace.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.StrandKey;
import org.millrace.disk.StrandLog;
import org.millrace.disk.StrandStore;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.ScrubFinding;
import org.millrace.protocol.StrandId;

/**
 * Reads all that is on a node's disk, compares it with its checksums, and strands that this node
 * owns with their copies; repairs what can be repaired and remembers the rest. Copies that other
 * nodes own are read when those ask for their checksums. One scrub runs at a time, on a thread of
 * its own.
 *
 * <pre>
 *   idle --Scrub, or the time of the next one in the background--> running --all read--> idle
 * </pre>
 *
 * <p>Safe for use by several threads. Closing waits until a scrub has stopped.
 */
final class Scrubber implements AutoCloseable {

  /** How much is read at a time: so long a strand's writes wait. */
  static final long CHUNK_BYTES = 1 << 20;

  /** How long after its start a node begins in the background, and how long it rests between. */
  static final long FIRST_NANOS = 600_000_000_000L;

  static final long REST_NANOS = 24 * 3_600_000_000_000L;

  private static final int MAX_FINDINGS = 1000;
  private static final int MAX_TRIES = 3;

  /** Told what is found. */
  interface Findings {
    /** Something is, or was, wrong. */
    void add(ScrubFinding found);
  }

  /** Told how much was read. */
  interface Pace {
    /** Waits as long as the rate wants; fails if the node ends. */
    void read(long bytes) throws IOException;
  }

  /** What a node has on its disk. */
  interface Source {
    /** All strands. */
    StrandLog.Content content() throws IOException;

    /** Reads the log of strands again; whether it had to be written anew. */
    boolean mendLog() throws IOException;

    /** How much there is, about. */
    long bytes() throws IOException;

    /** An open strand; MOVED if another node owns it. */
    OpenStrands.Open open(StrandId id) throws IOException;

    /** What this node has to do with copies, if anything. */
    @Nullable CopiedStrands copies();
  }

  // constant after construction
  private final Env env;
  private final String name;
  private final Source source;
  private final CopyVerdict.Judge judge;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal changed;

  @GuardedBy("lock")
  private final List<ScrubFinding> findings = new ArrayList<>();

  @GuardedBy("lock")
  private long number;

  @GuardedBy("lock")
  private long repaired;

  @GuardedBy("lock")
  private long left;

  @GuardedBy("lock")
  private long doneBytes;

  @GuardedBy("lock")
  private long totalBytes;

  @GuardedBy("lock")
  private long rate;

  @GuardedBy("lock")
  private long dueNanos;

  @GuardedBy("lock")
  private long endedNanos;

  @GuardedBy("lock")
  private boolean running;

  @GuardedBy("lock")
  private boolean waiting; // the thread that begins in the background

  @GuardedBy("lock")
  private boolean closed;

  Scrubber(Env env, String name, Source source, CopyVerdict.Judge judge) {
    this.env = env;
    this.name = name;
    this.source = source;
    this.judge = judge;
    this.changed = env.signal(lock);
  }

  /** Begins one, unless one runs; then that one goes on at this rate. */
  void start(long bytesPerSecond) throws MillraceException {
    if (bytesPerSecond < 0) {
      throw new MillraceException(ErrorCode.INVALID, "a rate of " + bytesPerSecond);
    }
    lock.lock();
    try {
      rate = bytesPerSecond;
      dueNanos = env.nanoTime();
      changed.signalAll();
      if (running || closed) {
        return;
      }
      running = true;
      number++;
      findings.clear();
      repaired = 0;
      left = 0;
      doneBytes = 0;
      totalBytes = 0;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, name + " scrub", this::run);
  }

  /** From now on it begins by itself, again and again. */
  void startInBackground(long bytesPerSecond) {
    lock.lock();
    try {
      waiting = true;
    } finally {
      lock.unlock();
    }
    env.start(ThreadKind.SERVICE, name + " scrubs", () -> runAgainAndAgain(bytesPerSecond));
  }

  private void runAgainAndAgain(long bytesPerSecond) {
    long pause = FIRST_NANOS;
    try {
      while (awaitTurn(pause)) {
        start(bytesPerSecond);
        pause = REST_NANOS;
      }
    } catch (MillraceException e) {
      throw new IllegalStateException("the rate was checked", e);
    } finally {
      lock.lock();
      try {
        waiting = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits until nothing runs, and then so long; false when the node ends. */
  private boolean awaitTurn(long nanos) {
    lock.lock();
    try {
      while (running && !closed) {
        changed.await(Env.NEVER);
      }
      long until = env.deadlineAfter(nanos);
      while (!closed && env.nanoTime() < until) {
        changed.await(until);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      scrub();
    } catch (IOException | RuntimeException e) {
      onFailed(e);
    } finally {
      lock.lock();
      try {
        running = false;
        endedNanos = env.nanoTime();
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void onFailed(Exception e) {
    lock.lock();
    try {
      if (!closed) {
        left++;
        findings.add(
            new ScrubFinding(
                new StrandId(1, 0), -1, 0, 0, false, name + " could not be scrubbed: " + e));
      }
    } finally {
      lock.unlock();
    }
  }

  private void scrub() throws IOException {
    long total = source.bytes();
    lock.lock();
    try {
      totalBytes = total;
    } finally {
      lock.unlock();
    }
    if (source.mendLog()) {
      lock.lock();
      try {
        repaired++;
      } finally {
        lock.unlock();
      }
    }
    StrandLog.Content content = source.content();
    for (StrandKey key : content.lost()) {
      add(whole(new StrandId(key.fileId(), key.strand()), "the strand is lost"));
    }
    List<StrandKey> all = new ArrayList<>(content.inFiles());
    content.small().stream()
        .filter(key -> new StrandId(key.fileId(), key.strand()).hasCopies())
        .forEach(all::add); // others are in the log alone, which was read
    for (StrandKey key : all) {
      scrub(new StrandId(key.fileId(), key.strand()));
    }
  }

  private ScrubFinding whole(StrandId id, String what) {
    CopiedStrands copies = source.copies();
    return new ScrubFinding(
        id, copies == null ? -1 : copies.number(), 0, Long.MAX_VALUE, false, what);
  }

  private void scrub(StrandId id) throws IOException {
    for (int i = 0; i < MAX_TRIES; i++) {
      try {
        OpenStrands.Open open = source.open(id);
        CopiedStrands copies = source.copies();
        CopiedStore copied = open.copied;
        if (copied != null && copies != null) {
          new CopiedScrub(env, copies, copied, judge, this::add).run(this::pace);
        } else {
          scrubAlone(id, open.store);
        }
        return;
      } catch (CorruptBlockException e) {
        add(whole(id, String.valueOf(e.getMessage())));
        return;
      } catch (MillraceException e) {
        checkRunning();
        boolean isOthers = e.code() == ErrorCode.MOVED || e.code() == ErrorCode.NO_SUCH_NAME;
        if (isOthers) {
          return; // its owner reads it, or its file is gone
        }
        if (e.code() != ErrorCode.CLOSED) { // else it was closed to make room for others
          add(whole(id, String.valueOf(e.getMessage())));
          return;
        }
      }
    }
  }

  /** Reads a strand that only this node has. */
  private void scrubAlone(StrandId id, StrandStore store) throws IOException {
    int blockBytes = store.blockBytes();
    long most = Math.max(1, CHUNK_BYTES / blockBytes);
    if (store.mendSums() > 0) {
      add(new ScrubFinding(id, number(), 0, 0, true, "checksums had rotted on the disk"));
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(most * blockBytes, CopyTargets.ALIGNMENT);
      for (long block = 0; ; ) {
        long blocks = Math.ceilDiv(store.end(), blockBytes);
        block = block < blocks ? store.nextWritten(block, blocks) : blocks;
        if (block >= blocks) {
          return;
        }
        int count = (int) Math.min(most, blocks - block);
        List<Long> sums = BlockSums.of(store, block, bytes.asSlice(0, (long) count * blockBytes));
        for (int i = 0; i < count; i++) {
          if (sums.get(i) == NodeReply.CopySums.BAD) {
            long from = (block + i) * blockBytes;
            add(
                new ScrubFinding(
                    id, number(), from, from + blockBytes, false, "there is no other copy of it"));
          }
        }
        block += count;
        pace((long) count * blockBytes);
      }
    }
  }

  private int number() {
    CopiedStrands copies = source.copies();
    return copies == null ? -1 : copies.number();
  }

  private void add(ScrubFinding found) {
    lock.lock();
    try {
      if (found.repaired()) {
        repaired++;
      } else {
        left++;
      }
      if (findings.size() < MAX_FINDINGS) {
        findings.add(found);
      }
    } finally {
      lock.unlock();
    }
  }

  private void pace(long bytes) throws IOException {
    lock.lock();
    try {
      doneBytes += bytes;
      long now = env.nanoTime();
      if (rate > 0) {
        dueNanos = Math.max(dueNanos, now - 1_000_000_000L) + (long) (bytes * 1e9 / rate);
      }
      while (rate > 0 && !closed && env.nanoTime() < dueNanos) {
        changed.await(dueNanos);
      }
    } finally {
      lock.unlock();
    }
    checkRunning();
  }

  private void checkRunning() throws MillraceException {
    lock.lock();
    try {
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, "the node is closed");
      }
    } finally {
      lock.unlock();
    }
  }

  /** What the last one found so far. */
  NodeReply.Scrubbed state() {
    lock.lock();
    try {
      return new NodeReply.Scrubbed(
          number, running, doneBytes, Math.max(totalBytes, doneBytes), left, findings);
    } finally {
      lock.unlock();
    }
  }

  /** Adds what is known to a node's report. */
  void addTo(Map<String, Long> counters) {
    lock.lock();
    try {
      if (number > 0) {
        counters.put("scrub.running", running ? 1L : 0L);
        counters.put("scrub.bytes", doneBytes);
        counters.put("scrub.repaired", repaired);
        counters.put("scrub.left", left);
        if (!running) {
          counters.put("scrub.agoMillis", (env.nanoTime() - endedNanos) / 1_000_000);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      while (running || waiting) {
        changed.await(Env.NEVER); // ends: every request to a copy has a deadline
      }
    } finally {
      lock.unlock();
    }
  }
}
