package org.millrace.bench.grid;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.millrace.bench.measure.WorkerThreads;
import org.millrace.env.Env;

/**
 * The limit: a gather or scatter by hand over one mapping of a plain file that stays, by two
 * threads that stay. It knows the pattern, checks nothing and keeps nothing. Of several orders it
 * takes the one that was fastest when tried: rank by rank, or through the file once in blocks that
 * fit a cache of the processor, serving all ranks from each.
 *
 * <p>Rank 0 calls it. The mapping belongs to the arena it was made with.
 */
final class MappedLimit implements Method {

  /** How the work is cut: bytes of the file served at once, and whether rank by rank. */
  private record Order(boolean byRank, long blockBytes, long claimBytes) {}

  private static final List<Order> ORDERS =
      List.of(
          new Order(true, 4 << 20, 4 << 20),
          new Order(false, 32 << 10, 512 << 10),
          new Order(false, 256 << 10, 512 << 10));

  private static final int TRIES = 3;

  // constant after construction
  private final Env env;
  private final WorkerThreads workers;
  private final RankMemory memory;
  private final MemorySegment map;

  // of the workload; used by rank 0
  private List<PartCopy> parts = List.of();
  private long first;
  private long end;
  private final Order[] best = new Order[2];

  MappedLimit(Env env, WorkerThreads workers, RankMemory memory, Path file, long bytes, Arena arena)
      throws IOException {
    this.env = env;
    this.workers = workers;
    this.memory = memory;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      map = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
    }
    map.load();
  }

  /** Prepares for a workload and tries the orders; what it writes is what the file holds. */
  void lay(Workload workload) throws IOException {
    parts = workload.parts().stream().map(PartCopy::new).toList();
    first = Long.MAX_VALUE;
    end = 0;
    for (PartCopy part : parts) {
      if (!part.isEmpty()) {
        first = Math.min(first, part.first());
        end = Math.max(end, part.end());
      }
    }
    best[0] = fastest(false);
    best[1] = workload.ops() == Workload.Ops.READ ? best[0] : fastest(true);
  }

  private Order fastest(boolean write) throws IOException {
    Order fastest = ORDERS.getFirst();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < TRIES; i++) {
      for (Order order : ORDERS) {
        long start = env.nanoTime();
        workers.run(1, new Task(order, write, false));
        long took = env.nanoTime() - start;
        if (took < least) {
          least = took;
          fastest = order;
        }
      }
    }
    return fastest;
  }

  @Override
  public String name() {
    return "limit";
  }

  @Override
  public boolean isPlain() {
    return true;
  }

  @Override
  public double run(int rank, Call call) throws IOException {
    Order order = best[call.write() ? 1 : 0];
    workers.run(call.times(), new Task(order, call.write(), call.complement()));
    return 1;
  }

  /** The order that was fastest, for people. */
  String order(boolean write) {
    Order order = best[write ? 1 : 0];
    return order.byRank ? "by rank" : "blocks of " + order.blockBytes;
  }

  /** One gather or scatter; workers claim pieces until none is left. */
  private final class Task implements WorkerThreads.Task {

    private final Order order;
    private final boolean write;
    private final List<MemorySegment> memories;
    private final AtomicLong claimed = new AtomicLong();

    Task(Order order, boolean write, boolean complement) {
      this.order = order;
      this.write = write;
      this.memories =
          java.util.stream.IntStream.range(0, parts.size())
              .mapToObj(r -> write ? memory.source(r, complement) : memory.target(r))
              .toList();
    }

    @Override
    public void begin() {
      claimed.set(0);
    }

    @Override
    public void run(int worker) {
      long pieces = Math.ceilDiv(Math.max(0, end - first), order.claimBytes);
      if (order.byRank) {
        for (long i; (i = claimed.getAndIncrement()) < pieces * parts.size(); ) {
          int rank = (int) (i / pieces);
          long from = first + i % pieces * order.claimBytes;
          copy(rank, from, from + order.claimBytes);
        }
        return;
      }
      for (long i; (i = claimed.getAndIncrement()) < pieces; ) {
        long from = first + i * order.claimBytes;
        for (long at = from; at < from + order.claimBytes; at += order.blockBytes) {
          for (int rank = 0; rank < parts.size(); rank++) {
            copy(rank, at, at + order.blockBytes);
          }
        }
      }
    }

    private void copy(int rank, long from, long to) {
      PartCopy part = parts.get(rank);
      if (!part.isEmpty() && from < part.end() && to > part.first()) {
        part.copy(map, memories.get(rank), write, from, to);
      }
    }
  }
}
