package org.millrace.cli.campaign;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;

/**
 * Ranks that append records through a shared pointer, meet, ask for names and make some, until they
 * are told to end; then they look for everything. Each call is timed.
 *
 * <p>Its ranks are threads of one process. {@link #end} waits for them.
 */
final class AppendingRanks {

  private static final int RANKS = 3;
  private static final int RECORD = 2 * Integer.BYTES;
  private static final int ASK_EVERY = 5;
  private static final int NAME_EVERY = 50;
  private static final long PAUSE_NANOS = 5_000_000L;
  private static final String LOG = "appended";

  /** A call of the API. */
  private interface Step {
    void run() throws IOException;
  }

  // constant after construction
  private final Env env;
  private final Queue<String> findings = new ConcurrentLinkedQueue<>();
  private final AtomicLong appended = new AtomicLong();
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong named = new AtomicLong();
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private long longestNanos;
  private String longestCall = "none";

  private volatile boolean over;

  AppendingRanks(Env env) {
    this.env = env;
  }

  void run(RunningCluster cluster) {
    try {
      cluster.run(RANKS, this::work);
    } catch (IOException | RuntimeException e) {
      findings.add("a rank that appends failed: " + e);
    } finally {
      ended.complete(true);
    }
  }

  /** Lets the ranks end, and waits for them. */
  void end() {
    over = true;
    ended.join();
  }

  private void work(Rank rank) throws IOException {
    List<String> made = new ArrayList<>();
    try (SharedFile log = rank.open(LOG, OpenOptions.create().withMode(Mode.SHARED))) {
      int count = 0;
      for (; !over; count++) {
        int now = count;
        timed("append", () -> append(log, rank.number(), now));
        if (count % ASK_EVERY == 0) {
          timed("question", () -> ask(rank));
        }
        if (count % NAME_EVERY == 0) {
          String name = "r" + rank.number() + "-" + count;
          timed("new name", () -> make(rank, name, made));
        }
        pause();
      }
      rank.barrier();
      long all = rank.allReduceLong(count, Long::sum);
      if (rank.number() == 0) {
        check(log, all);
      }
      rank.barrier();
    }
    checkNames(rank, made);
  }

  private void append(SharedFile log, int rank, int count) throws IOException {
    byte[] record = ByteBuffer.allocate(RECORD).putInt(rank + 1).putInt(count).array();
    log.write(MemorySegment.ofArray(record));
    appended.incrementAndGet();
  }

  private void ask(Rank rank) throws IOException {
    rank.names().stat(LOG);
    asked.incrementAndGet();
  }

  private void make(Rank rank, String name, List<String> made) throws IOException {
    rank.names().makeDirectory(name);
    made.add(name);
    named.incrementAndGet();
  }

  private void timed(String what, Step step) throws IOException {
    long began = env.nanoTime();
    step.run();
    long took = env.nanoTime() - began;
    lock.lock();
    try {
      if (took > longestNanos) {
        longestNanos = took;
        longestCall = what;
      }
    } finally {
      lock.unlock();
    }
  }

  private void pause() {
    try {
      env.sleep(PAUSE_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Every record is there once, and each rank's in its order; there are no gaps. */
  private void check(SharedFile log, long all) throws IOException {
    if (log.size() != all * RECORD) {
      findings.add("the file has %s bytes, not %s".formatted(log.size(), all * RECORD));
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[(int) log.size()]);
    log.at(0).read(bytes);
    ByteBuffer records = ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE));
    int[] next = new int[RANKS];
    Set<Integer> wrong = new HashSet<>();
    while (records.remaining() >= RECORD) {
      int who = records.getInt() - 1;
      int count = records.getInt();
      if (who < 0 || who >= RANKS || count != next[who]++) {
        wrong.add(records.position() - RECORD);
      }
    }
    if (!wrong.isEmpty()) {
      findings.add("%s records are missing, there twice or out of order".formatted(wrong.size()));
    }
  }

  private void checkNames(Rank rank, List<String> made) throws IOException {
    List<String> there = rank.names().list("").stream().map(name -> name.replace("/", "")).toList();
    made.stream()
        .filter(name -> !there.contains(name))
        .forEach(name -> findings.add(name + " was acknowledged and is lost"));
    there.stream()
        .filter(name -> name.startsWith("r" + rank.number() + "-"))
        .filter(name -> !made.contains(name))
        .forEach(name -> findings.add(name + " is there, and nobody made it"));
  }

  List<String> findings() {
    return List.copyOf(findings);
  }

  long appended() {
    return appended.get();
  }

  long asked() {
    return asked.get();
  }

  long named() {
    return named.get();
  }

  long longestNanos() {
    lock.lock();
    try {
      return longestNanos;
    } finally {
      lock.unlock();
    }
  }

  /** Which kind of call took longest. */
  String longestCall() {
    lock.lock();
    try {
      return longestCall;
    } finally {
      lock.unlock();
    }
  }
}
