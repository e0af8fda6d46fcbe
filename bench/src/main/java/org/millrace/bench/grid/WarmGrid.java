package org.millrace.bench.grid;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.millrace.Cluster;
import org.millrace.bench.measure.Bench;
import org.millrace.bench.measure.WorkerThreads;
import org.millrace.bench.measure.WrongResultException;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.plan.Strategy;

/**
 * All methods on some workloads of one number of ranks, with all data in memory: the plain file's
 * in the page cache, the cluster's in its own. Used once, by one thread.
 */
public final class WarmGrid {

  private static final String NAME = "array";

  private final Bench bench;
  private final GridSizes sizes;
  private final List<Workload> workloads;
  private final List<Strategy> strategies;
  private final long fileBytes;
  private final int ranks;

  /** All strategies. */
  public WarmGrid(Bench bench, GridSizes sizes, List<Workload> workloads) {
    this(bench, sizes, workloads, List.of(Strategy.values()));
  }

  /** Some strategies; the last restores what was written, and should be a quick one. */
  public WarmGrid(
      Bench bench, GridSizes sizes, List<Workload> workloads, List<Strategy> strategies) {
    this.strategies = List.copyOf(strategies);
    this.bench = bench;
    this.sizes = sizes;
    this.workloads = workloads;
    this.fileBytes = workloads.stream().mapToLong(Workload::fileBytes).max().orElseThrow();
    this.ranks = workloads.getFirst().ranks();
  }

  /** A row for each workload and direction; {@code listener} hears of each. */
  public List<GridRow> run(Consumer<GridRow> listener) throws IOException {
    long most = workloads.stream().mapToLong(Workload::size).max().orElseThrow();
    List<GridRow> rows = new ArrayList<>();
    Path plain = bench.dir().resolve("plain");
    Set<StandardOpenOption> how =
        Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try (Arena arena = Arena.ofShared();
        WorkerThreads workers = new WorkerThreads(bench.env());
        FileChannel channel = FileChannel.open(plain, how);
        Cluster cluster = bench.cluster("cluster", Bench.cacheFor(fileBytes))) {
      World world = new World(arena, workers, channel, plain, most);
      cluster.run(1, world::fill);
      cluster.run(
          ranks,
          rank ->
              world.run(
                  rank,
                  row -> {
                    rows.add(row);
                    listener.accept(row);
                  }));
    }
    return rows;
  }

  /** What the ranks share. Rank 0 prepares, between barriers. */
  private final class World implements Contest.FileCheck {

    private final RankMemory memory;
    private final FileModel model;
    private final FileChannel channel;
    private final ChannelCalls calls;
    private final MappedLimit limit;
    private final List<String> names = new ArrayList<>();

    // of rank 0, between barriers
    private @org.jspecify.annotations.Nullable Contest contest;
    private @org.jspecify.annotations.Nullable SharedFile whole;

    World(Arena arena, WorkerThreads workers, FileChannel channel, Path plain, long most)
        throws IOException {
      this.channel = channel;
      memory = new RankMemory(arena, most);
      model = new FileModel(arena, fileBytes);
      model.write((at, part) -> move(true, at, part));
      calls = new ChannelCalls(bench.env(), workers, memory, channel, sizes.budgetNanos());
      limit = new MappedLimit(bench.env(), workers, memory, plain, fileBytes, arena);
      names.add(calls.name());
      names.add(limit.name());
      for (Strategy strategy : strategies) {
        names.add(strategy.word());
      }
    }

    void fill(Rank rank) throws IOException {
      try (SharedFile file = rank.open(NAME, sizes.making())) {
        model.write((at, part) -> file.at(at).write(part));
      }
    }

    void run(Rank rank, Consumer<GridRow> listener) throws IOException {
      List<StrategyMethod> own = new ArrayList<>();
      for (Strategy strategy : strategies) {
        own.add(new StrategyMethod(rank, strategy, memory, NAME));
      }
      List<Method> methods = new ArrayList<>(List.of(calls, limit));
      methods.addAll(own);
      if (rank.number() == 0) {
        whole = rank.alone().open(NAME, OpenOptions.read());
      }
      for (Workload workload : toWarmUp()) {
        lay(rank, workload, own);
        contest(rank, workload, false, methods, _ -> {});
        if (workload.ops() == Workload.Ops.READ_AND_WRITE) {
          contest(rank, workload, true, methods, _ -> {});
        }
      }
      for (Workload workload : workloads) {
        lay(rank, workload, own);
        contest(rank, workload, false, methods, listener);
        if (workload.ops() == Workload.Ops.READ_AND_WRITE) {
          contest(rank, workload, true, methods, listener);
        }
        if (rank.number() == 0) {
          bench.step();
        }
      }
      if (whole != null && rank.number() == 0) {
        whole.close();
      }
      for (StrategyMethod one : own) {
        one.close();
      }
    }

    /** Some of the workloads, so that the first that counts does not find code that is slow yet. */
    private List<Workload> toWarmUp() {
      if (sizes.warmUps() < 2 || workloads.isEmpty()) {
        return List.of();
      }
      if (strategies.size() == 1) {
        return workloads; // alone, it sees each kind of request too seldom to become quick
      }
      return List.of(
          workloads.getFirst(), workloads.getLast(), workloads.get(workloads.size() / 2));
    }

    private void lay(Rank rank, Workload workload, List<StrategyMethod> own) throws IOException {
      rank.barrier();
      if (rank.number() == 0) {
        memory.lay(workload);
        calls.lay(workload);
      }
      rank.barrier();
      memory.fill(rank.number());
      for (StrategyMethod one : own) {
        one.lay(workload.parts().get(rank.number()));
      }
      rank.barrier();
      if (rank.number() == 0) {
        limit.lay(workload);
        model.mark(workload);
      }
    }

    private void contest(
        Rank rank,
        Workload workload,
        boolean write,
        List<Method> methods,
        Consumer<GridRow> listener)
        throws IOException {
      if (rank.number() == 0) {
        contest = new Contest(bench.env(), sizes, workload, write, memory, this, names);
      }
      rank.barrier();
      Contest shared = java.util.Objects.requireNonNull(contest);
      shared.run(rank, methods);
      String taken = taken(rank, write, methods.getLast());
      if (rank.number() == 0) {
        listener.accept(
            new GridRow(
                workload.suite(),
                workload.name(),
                write,
                ranks,
                workload.size(),
                workload.runs(),
                workload.scattered(),
                shared.cells(),
                taken));
      }
      rank.barrier();
    }

    /** One more call, to look what it does; known to rank 0. The file stays as it is. */
    private String taken(Rank rank, boolean write, Method method) throws IOException {
      if (!method.name().equals(Strategy.AUTO.word())) {
        return "";
      }
      boolean looks = rank.number() == 0;
      TakenStrategy looking = looks ? new TakenStrategy(bench.dir().resolve("taken.jfr")) : null;
      rank.barrier();
      method.run(rank.number(), new Method.Call(write, false, 1, 1));
      rank.barrier();
      return looking == null ? "" : looking.end();
    }

    @Override
    public void check(Method method, boolean complement) throws IOException {
      String what = "after writing by " + method.name();
      if (method.isPlain()) {
        model.check(what, complement, (at, part) -> move(false, at, part));
      } else {
        SharedFile file = java.util.Objects.requireNonNull(whole);
        model.check(what, complement, (at, part) -> file.at(at).read(part));
      }
    }

    @Override
    public void checkPart(boolean complement) throws IOException {
      limit.run(0, new Method.Call(false, false, 1, 1));
      for (int rank = 0; rank < ranks; rank++) {
        memory.checkWritten(rank, calls.bytesDone(rank), complement);
      }
    }

    @Override
    public long bytesDone(int rank) {
      return calls.bytesDone(rank);
    }

    private void move(boolean write, long at, MemorySegment part) throws IOException {
      ByteBuffer buffer = part.asByteBuffer();
      while (buffer.hasRemaining()) {
        long place = at + buffer.position();
        int moved = write ? channel.write(buffer, place) : channel.read(buffer, place);
        if (moved < 0) {
          throw new WrongResultException("the plain file ends at " + place);
        }
      }
    }
  }
}
