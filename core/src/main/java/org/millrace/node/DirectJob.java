package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Extent;
import org.millrace.disk.BlockStore;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.env.ThreadKind;

/**
 * The work of one disk-directed call whose parts are all there. Whoever runs it does the work, with
 * the help of other threads if there is much: all take chunks of the strand's range from one
 * counter, so that a helper that comes late, or never, finds nothing left and nothing waits for it.
 *
 * <p>Safe for use by several threads; {@link #run} is called once.
 */
final class DirectJob {

  /** So much work is worth a thread. */
  private static final long WORKER_BYTES = 1 << 20;

  /** Each chunk is this part of a worker's share of what is left, so that all end together. */
  private static final int SHARES = 2;

  /** Shorter chunks cost more to start than they even out. */
  private static final long LEAST_CHUNK_BYTES = 512 << 10;

  // Constant after construction.
  private final Env env;
  private final String name;
  private final OpenStrands strands;
  private final Scratches scratches;
  private final DirectPart[] parts;
  private final MemorySegment[] memory;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal allDone;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  // Set by run before any worker starts.
  private long from;
  private long to;
  private long workers;

  // guarded by lock: where the next chunk starts, and how many are being worked on
  private long next;
  private int busy;

  /** A job for parts of which at least one is there; empty ones are left out. */
  DirectJob(Env env, String name, OpenStrands strands, Scratches scratches, List<DirectPart> all) {
    this.env = env;
    this.name = name;
    this.strands = strands;
    this.scratches = scratches;
    this.parts =
        all.stream()
            .filter(part -> !part.request().access().isEmpty())
            .sorted(
                Comparator.comparingInt((DirectPart part) -> part.request().rank())
                    .thenComparingInt(part -> part.request().part()))
            .toArray(DirectPart[]::new);
    this.memory = new MemorySegment[parts.length];
    for (int i = 0; i < parts.length; i++) {
      memory[i] = parts[i].payload();
    }
    this.allDone = env.signal(lock);
  }

  /**
   * Moves everything; returns about how many bytes. When it returns or throws no payload is touched
   * any more.
   */
  long run(int mostWorkers) throws IOException {
    long bytes = measure();
    if (from >= to) {
      return 0;
    }
    workers = Math.clamp(bytes / WORKER_BYTES, 1, mostWorkers);
    next = from;
    try {
      for (long i = 1; i < workers; i++) {
        env.start(ThreadKind.HELPER, name + " directed", this::work);
      }
      work();
    } catch (RuntimeException | Error e) { // no thread to be had, for instance
      failure.compareAndSet(null, e);
    } finally {
      awaitAll();
    }
    Throwable failed = failure.get();
    if (failed instanceof IOException e) {
      throw e;
    }
    if (failed != null) {
      throw new IllegalStateException(failed.toString(), failed);
    }
    return bytes;
  }

  /** Finds the range of the strand, checks it, and returns about how many bytes are wanted. */
  private long measure() {
    from = Long.MAX_VALUE;
    to = 0;
    long bytes = 0;
    for (DirectPart part : parts) {
      var request = part.request();
      Extent span = StrandLists.span(request.layout(), request.strand().strand(), request.access());
      if (request.write()) {
        StrandLists.checkEnd(span.offset(), span.length());
      }
      if (!span.isEmpty()) {
        from = Math.min(from, span.offset());
        to = Math.max(to, span.end());
        bytes += request.access().size() / request.layout().strands();
      }
    }
    from = from / BlockStore.BLOCK_BYTES * BlockStore.BLOCK_BYTES;
    return bytes;
  }

  /** Takes chunks until none is left, or one has failed. */
  private void work() {
    try (Scratches.Loan scratch = scratches.loan()) {
      work(scratch);
    }
  }

  private void work(Scratches.Loan scratch) {
    DirectWorker worker = null;
    while (true) {
      long start;
      long end;
      lock.lock();
      try {
        start = next;
        end = chunkEnd(start);
        if (start >= to || failure.get() != null) {
          return;
        }
        next = end;
        busy++;
      } finally {
        lock.unlock();
      }
      try {
        if (worker == null) {
          long key = parts[0].request().strand().key();
          worker = new DirectWorker(env, parts, memory, new Lender(strands, key), scratch);
        }
        worker.move(start, end);
      } catch (Exception | Error e) { // an Error, too: memory of a file that was cut
        failure.compareAndSet(null, e);
      } finally {
        onChunkDone();
      }
    }
  }

  private long chunkEnd(long start) {
    long share = workers == 1 ? to - start : (to - start) / (workers * SHARES);
    long blocks = Math.max(share, LEAST_CHUNK_BYTES) / BlockStore.BLOCK_BYTES;
    long bytes = blocks * BlockStore.BLOCK_BYTES;
    return workers == 1 || bytes >= to - start ? to : start + bytes;
  }

  private void onChunkDone() {
    lock.lock();
    try {
      busy--;
      if (busy == 0) {
        allDone.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Called when no chunk is left to take. */
  private void awaitAll() {
    lock.lock();
    try {
      while (busy > 0) {
        allDone.await(Env.NEVER); // each chunk ends within the deadlines of the cache
      }
    } finally {
      lock.unlock();
    }
  }
}
