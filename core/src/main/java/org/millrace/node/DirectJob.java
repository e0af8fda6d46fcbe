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
  private static final long WORKER_BYTES = 512 << 10;

  private static final int CHUNKS_PER_WORKER = 4;

  // Constant after construction.
  private final Env env;
  private final String name;
  private final OpenStrands strands;
  private final DirectPart[] parts;
  private final MemorySegment[] memory;
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal allDone;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  // Set by run before any worker starts.
  private long from;
  private long to;
  private long chunkBytes;
  private long chunks;

  // guarded by lock
  private long taken;
  private long done;

  /** A job for parts of which at least one is there; empty ones are left out. */
  DirectJob(Env env, String name, OpenStrands strands, List<DirectPart> all) {
    this.env = env;
    this.name = name;
    this.strands = strands;
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

  /** Moves everything. When it returns or throws no payload is touched any more. */
  void run(int mostWorkers) throws IOException {
    long bytes = measure();
    if (from >= to) {
      return;
    }
    long workers = Math.clamp(bytes / WORKER_BYTES, 1, mostWorkers);
    long perChunk = workers == 1 ? to - from : (to - from) / (workers * CHUNKS_PER_WORKER);
    chunkBytes = Math.max(1, Math.ceilDiv(perChunk, BlockStore.BLOCK_BYTES)) * BlockStore.BLOCK_BYTES;
    chunks = Math.ceilDiv(to - from, chunkBytes);
    for (long i = 1; i < Math.min(workers, chunks); i++) {
      env.start(ThreadKind.SERVICE, name + " directed", this::work);
    }
    work();
    awaitAll();
    Throwable failed = failure.get();
    if (failed instanceof IOException e) {
      throw e;
    }
    if (failed != null) {
      throw new IllegalStateException(failed.toString(), failed);
    }
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

  /** Takes chunks until none is left. After a failure the rest is only counted. */
  private void work() {
    DirectWorker worker = null;
    for (long chunk = take(); chunk >= 0; chunk = take()) {
      try {
        if (failure.get() == null) {
          if (worker == null) {
            long key = parts[0].request().strand().key();
            worker = new DirectWorker(parts, memory, new Lender(strands, key));
          }
          long start = from + chunk * chunkBytes;
          worker.move(start, Math.min(to, start + chunkBytes));
        }
      } catch (Exception | Error e) { // an Error, too: memory of a file that was cut
        failure.compareAndSet(null, e);
      } finally {
        count();
      }
    }
  }

  private long take() {
    lock.lock();
    try {
      return taken < chunks ? taken++ : -1;
    } finally {
      lock.unlock();
    }
  }

  private void count() {
    lock.lock();
    try {
      done++;
      if (done == chunks) {
        allDone.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitAll() {
    lock.lock();
    try {
      while (done < chunks) {
        allDone.await(Env.NEVER); // each chunk ends within the deadlines of the cache
      }
    } finally {
      lock.unlock();
    }
  }
}
