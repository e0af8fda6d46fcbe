package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.millrace.cache.CachedStrand;
import org.millrace.disk.DiskExtent;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;
import org.millrace.error.MillraceException;

/**
 * The work of one disk-directed call whose parts have all arrived. The thread that runs it sorts
 * the wanted blocks by their place on the disk and processes this schedule with the help of other
 * threads: as many as there are buffers if blocks are read or written, as many as the node has
 * workers if there is much to copy. All threads take steps in the order of the schedule, so a
 * helper that comes late, or never, delays nothing.
 *
 * <p>Safe for use by several threads; {@link #run} is called once.
 */
final class DirectJob {

  /** So much work is worth a thread. */
  private static final long WORKER_BYTES = 1 << 20;

  /** The least steps for each buffer of a write, if it has as many blocks. */
  private static final int STEPS_PER_BUFFER = 2;

  /** Bounds the memory of a schedule; a call that wants more blocks has several, one by one. */
  private static final int SCHEDULED_BLOCKS = 1 << 16;

  // Constant after construction.
  private final Env env;
  private final String name;
  private final DirectContext context;
  private final DirectPart[] parts;
  private final MemorySegment[] memory;
  private final PartSpans spans;
  private final boolean write;
  private final int depth;

  /** Why it ends early, if it does. */
  private final AtomicReference<@Nullable MillraceException> stopped = new AtomicReference<>();

  private volatile @Nullable DirectBuffers current;

  // Set by run before any worker starts.
  private int blockBytes;
  private long from;
  private long to;

  // Set for each schedule, likewise.
  private int bufferCount;

  /** A job for parts of which at least one is there; empty ones are left out. */
  DirectJob(Env env, String name, DirectContext context, List<DirectPart> all) {
    this.env = env;
    this.name = name;
    this.context = context;
    this.parts =
        all.stream()
            .filter(part -> !part.request().access().isEmpty())
            .sorted(
                Comparator.comparingInt((DirectPart part) -> part.request().rank())
                    .thenComparingInt(part -> part.request().part()))
            .toArray(DirectPart[]::new);
    this.memory = new MemorySegment[parts.length];
    for (int i = 0; i < parts.length; i++) {
      memory[i] = parts[i].payload().memory();
    }
    this.spans = new PartSpans(parts);
    this.write = all.getFirst().request().write();
    this.depth = context.buffers(all.getFirst().request().depth());
  }

  /**
   * Moves everything; returns about how many bytes. When it returns or throws no payload is touched
   * any more. What was written is on the disk then, or with its operating system.
   */
  long run() throws IOException {
    if (parts.length == 0) {
      return 0;
    }
    long bytes = measure();
    if (from >= to) {
      return 0;
    }
    StrandPinner strandPinner =
        new StrandPinner(context.strands(), parts[0].request().strand().key());
    WantedBlocks wanted = new WantedBlocks(parts, spans, from, to);
    try {
      for (long[] blocks = wanted.next(SCHEDULED_BLOCKS);
          blocks.length > 0;
          blocks = wanted.next(SCHEDULED_BLOCKS)) {
        run(schedule(blocks, strandPinner), strandPinner, bytes);
      }
    } finally {
      context.turns().leave(this);
    }
    return bytes;
  }

  /** Lets it end early, with this failure; steps that have begun end first. */
  void stop(MillraceException reason) {
    stopped.compareAndSet(null, reason);
    DirectBuffers buffers = current;
    if (buffers != null) {
      buffers.fail(reason);
    }
    context.turns().wake();
  }

  /** Finds the range of the strand, checks it, and returns about how many bytes are wanted. */
  private long measure() throws IOException {
    CachedStrand strand = context.strands().get(parts[0].request().strand().key()).strand;
    blockBytes = strand.blockBytes();
    from = Long.MAX_VALUE;
    to = 0;
    long bytes = 0;
    for (int i = 0; i < parts.length; i++) {
      var request = parts[i].request();
      StrandLists.checkBlocks(strand, request.strand(), request.layout().blockBytes());
      long first = spans.first(i);
      long end = spans.end(i);
      if (request.write()) {
        StrandLists.checkEnd(blockBytes, first, end - first);
      }
      if (first < end) {
        from = Math.min(from, first);
        to = Math.max(to, end);
        bytes += request.access().size() / request.layout().strands();
      }
    }
    from = from / blockBytes * blockBytes;
    return bytes;
  }

  private Schedule schedule(long[] blocks, StrandPinner strandPinner) throws IOException {
    env.charge(Work.PLAN, blocks.length);
    List<DiskExtent> places = blocks.length == 1 ? List.of() : strandPinner.placements();
    long buffer = context.bufferBytes() / blockBytes;
    int max = Math.clamp(buffer, 1, strandPinner.pinner().bufferBlocks(depth));
    int each = max;
    if (write) { // short ones, too, in so many steps that the disk works while others gather
      each = Math.clamp(blocks.length / (STEPS_PER_BUFFER * depth), 1, max);
    }
    bufferCount = context.buffers(depth * (max / each)); // smaller ones, and as much memory
    Schedule schedule = Schedule.of(blocks, places, blockBytes, each);
    if (!write || schedule.steps() > bufferCount) {
      return schedule;
    }
    // all of it is with the disk at once, which finds an order: nodes need not begin with one rank
    return schedule.startingAt(parts[0].request().strand().strand() % schedule.steps());
  }

  private void run(Schedule schedule, StrandPinner strandPinner, long bytes) throws IOException {
    DirectBuffers buffers =
        new DirectBuffers(env, schedule.steps(), bufferCount, context.workers());
    Helpers helpers = new Helpers(schedule, buffers);
    current = buffers;
    MillraceException reason = stopped.get();
    if (reason != null) {
      buffers.fail(reason);
    }
    try {
      helpers.grow(Math.clamp(bytes / WORKER_BYTES, 1, context.workers()));
      helpers.work(strandPinner);
    } catch (RuntimeException | Error e) { // no thread to be had, for instance
      buffers.fail(e);
    }
    switch (buffers.awaitAll()) {
      case null -> {}
      case IOException e -> throw e;
      case Throwable e -> throw new IllegalStateException(e.toString(), e);
    }
  }

  /** The threads that go through one schedule. */
  private final class Helpers {

    private final Schedule schedule;
    private final DirectBuffers buffers;
    private final AtomicInteger threads = new AtomicInteger(1);

    Helpers(Schedule schedule, DirectBuffers buffers) {
      this.schedule = schedule;
      this.buffers = buffers;
    }

    /** Starts threads until there are so many, as long as there is something left for them. */
    void grow(int max) {
      int now = threads.get();
      while (now < max && buffers.left() > 0) {
        if (threads.compareAndSet(now, now + 1)) {
          env.start(ThreadKind.HELPER, name + " directed", this::help);
        }
        now = threads.get();
      }
    }

    private void help() {
      try {
        work(new StrandPinner(context.strands(), parts[0].request().strand().key()));
      } catch (Exception | Error e) {
        buffers.fail(e);
      }
    }

    void work(StrandPinner strandPinner) {
      try (ScratchBuffers.Borrowed scratch = context.scratchBuffers().borrow()) {
        DirectWorker worker = null;
        for (int step = buffers.take(); step >= 0; step = buffers.take()) {
          try {
            if (worker == null) {
              worker =
                  new DirectWorker(env, parts, memory, spans, to, strandPinner, scratch, buffers);
            }
            move(step, worker);
          } catch (Exception | Error e) { // an Error, too: memory of a file that was cut
            buffers.fail(e);
          } finally {
            buffers.done();
          }
        }
      }
    }

    private void move(int step, DirectWorker worker) throws IOException {
      long first = schedule.first(step);
      long end = schedule.end(step);
      boolean reads = worker.plan(first, end);
      if (!buffers.awaitTurn(step)) {
        return;
      }
      if (!write && !reads) {
        buffers.pass();
        worker.move(first, end);
        return;
      }
      boolean served = context.turns().await(DirectJob.this, () -> stopped.get() != null);
      if (!served || !buffers.takeBuffer(reads)) {
        return;
      }
      try {
        grow(bufferCount);
        if (reads) {
          worker.load(first);
        }
        if (write) {
          gather(step, first, end, worker);
        } else {
          worker.move(first, end);
        }
      } finally {
        buffers.giveBuffer();
      }
    }

    private void gather(int step, long first, long end, DirectWorker worker) throws IOException {
      if (!buffers.enterMove(step)) {
        return;
      }
      try {
        worker.move(first, end);
      } finally {
        buffers.leaveMove();
      }
      worker.awaitMoved();
      worker.write(step, first, end);
    }
  }
}
