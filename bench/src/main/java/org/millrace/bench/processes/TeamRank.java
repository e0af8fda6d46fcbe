package org.millrace.bench.processes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.millrace.bench.grid.FileModel;
import org.millrace.bench.grid.Method;
import org.millrace.bench.grid.RankMemory;
import org.millrace.bench.grid.StrategyMethod;
import org.millrace.bench.grid.TakenStrategy;
import org.millrace.bench.grid.TeamSizes;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.measure.ChildCommands;
import org.millrace.bench.measure.Content;
import org.millrace.bench.micro.SharedPointerBenchmark;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.env.Env;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.plan.Strategy;

/**
 * One rank of a {@link Team}, a process that is also a node: collective calls and appends, as
 * ordered. All ranks get the same orders; all answer, rank 0 with what came out. Orders:
 *
 * <pre>
 *   collective NUMBER read|write LAPS BUDGET_MILLIS STRATEGY     answers nanoseconds of one call, lap by lap
 *   taken NUMBER read|write                                      answers what strategy auto takes
 *   append RECORDS BYTES LAPS                                    answers nanoseconds of a lap
 *   barrier COUNT LAPS                                           answers nanoseconds of one, lap by lap
 *   compiled                                                     answers milliseconds that this process's compilers have taken
 * </pre>
 *
 * What is timed, how often it is repeated and what is checked is as in {@code mpiio.c}. One thread.
 * Closing closes its files, together with the other ranks.
 */
final class TeamRank implements AutoCloseable {

  private static final String NAME = "array";
  private static final long REPEAT_NANOS = 10_000_000;
  private static final int MAX_REPEATS = 50;

  /** What auto takes may depend on what was read before. */
  private static final int BEFORE_LOOKING = 4;

  private final Env env = Env.real();
  private final Rank rank;
  private final List<Workload> workloads;
  private final Arena arena = Arena.ofShared();
  private final RankMemory memory;
  private final FileModel model;
  private final long fileBytes;
  private final Map<Strategy, StrategyMethod> methods = new EnumMap<>(Strategy.class);
  private int appendLaps;

  TeamRank(Rank rank, List<Workload> workloads) throws IOException {
    this.rank = rank;
    this.workloads = workloads;
    long most = 0;
    long file = 0;
    for (Workload one : workloads) {
      most = Math.max(most, one.parts().get(rank.number()).size());
      file = Math.max(file, one.fileBytes());
    }
    this.fileBytes = file;
    memory = new RankMemory(arena, most);
    model = new FileModel(arena, rank.number() == 0 ? file : Long.BYTES);
    if (rank.number() == 0) {
      try (SharedFile whole = rank.alone().open(NAME, OpenOptions.create())) {
        model.write((at, part) -> whole.at(at).write(part));
      }
    }
    rank.barrier();
  }

  /** Arguments: directory, nodes, bytes of cache in each, sizes. */
  public static void main(String[] args) throws IOException {
    org.millrace.launch.Launch launch = org.millrace.launch.Launch.recognize().orElseThrow();
    List<Workload> workloads = TeamSizes.parse(args[3]).workloads(launch.size());
    ClusterOptions options = ClusterOptions.DEFAULT.withCacheBytesPerNode(Long.parseLong(args[2]));
    int nodes = Integer.parseInt(args[1]);
    ProcessRankOptions how = ProcessRankOptions.of(options);
    try (ProcessRank launched = ProcessRank.asPeer(launch, Path.of(args[0]), nodes, how)) {
      launched.run(
          rank -> {
            try (TeamRank one = new TeamRank(rank, workloads)) {
              ChildCommands.serve(one::handle);
            }
          });
    }
  }

  @Override
  public void close() throws IOException {
    for (StrategyMethod method : methods.values()) {
      method.close();
    }
  }

  /** Carries out an order, as all other ranks do. */
  String handle(String[] words) throws IOException {
    if (words[0].equals("taken")) {
      return taken(workloads.get(Integer.parseInt(words[1])), words[2].equals("write"));
    }
    List<Long> laps =
        switch (words[0]) {
          case "collective" ->
              collective(
                  method(words[5]),
                  workloads.get(Integer.parseInt(words[1])),
                  words[2].equals("write"),
                  Integer.parseInt(words[3]),
                  Long.parseLong(words[4]) * 1_000_000);
          case "append" ->
              append(
                  Integer.parseInt(words[1]),
                  Integer.parseInt(words[2]),
                  Integer.parseInt(words[3]));
          case "barrier" -> barriers(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
          case "compiled" ->
              List.of(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
          default -> throw new IllegalArgumentException("no order: " + words[0]);
        };
    return laps.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }

  /** The calls by a strategy; all ranks open the file at the first. */
  private StrategyMethod method(String word) throws IOException {
    Strategy strategy = Strategy.parse(word);
    StrategyMethod known = methods.get(strategy);
    if (known == null) {
      known = new StrategyMethod(rank, strategy, memory, NAME);
      methods.put(strategy, known);
    }
    return known;
  }

  private List<Long> collective(
      StrategyMethod method, Workload all, boolean write, int laps, long budgetNanos)
      throws IOException {
    Workload mine = mine(all);
    memory.lay(mine);
    memory.fill(0);
    method.lay(mine.parts().getFirst());
    List<Long> counted = new ArrayList<>();
    boolean complement = false;
    boolean going = true;
    int repeats = 1;
    long spent = 0;
    for (int lap = 0; going; lap++) {
      if (write) {
        complement = !complement;
      } else {
        memory.poison(0);
      }
      Method.Call call = new Method.Call(write, complement, repeats, 1);
      long nanos = time(() -> method.run(0, call));
      if (!write) {
        memory.check(0, mine.size());
      }
      spent += nanos;
      going = (lap < laps || lap == 1) && spent < budgetNanos; // the same on all ranks
      long once = nanos / repeats;
      if (lap == 1 && going) { // the first lap came after other calls, and says little
        repeats = Math.clamp(REPEAT_NANOS / Math.max(1, nanos), 1, MAX_REPEATS);
      }
      if (!going || lap > 1 || (lap == 1 && repeats == 1)) {
        counted.add(once);
      }
    }
    if (write) {
      checkFile(method, all, complement);
    }
    return counted;
  }

  /** Makes a few calls and looks what the last one does; rank 0 knows. The file stays as it is. */
  private String taken(Workload all, boolean write) throws IOException {
    StrategyMethod method = method(Strategy.AUTO.word());
    Workload mine = mine(all);
    memory.lay(mine);
    memory.fill(0);
    method.lay(mine.parts().getFirst());
    Method.Call call = new Method.Call(write, false, 1, 1);
    for (int i = 0; i < BEFORE_LOOKING; i++) {
      method.run(0, call);
    }
    boolean looks = rank.number() == 0;
    TakenStrategy looking = looks ? new TakenStrategy(Files.createTempFile("taken", ".jfr")) : null;
    rank.barrier();
    method.run(0, call);
    rank.barrier();
    return looking == null ? "" : looking.end();
  }

  /** This rank's part alone: its memory holds no other. */
  private Workload mine(Workload all) {
    return new Workload(
        all.suite(),
        all.name(),
        all.fileBytes(),
        all.scattered(),
        all.ops(),
        List.of(all.parts().get(rank.number())));
  }

  /** The whole file, through no view and no collective call; then it is as it was. */
  private void checkFile(StrategyMethod method, Workload all, boolean complement)
      throws IOException {
    rank.barrier();
    if (rank.number() == 0) {
      model.mark(all);
      try (SharedFile whole = rank.alone().open(NAME, OpenOptions.read())) {
        Content.checkEqual("size", 0, whole.size(), fileBytes);
        model.check(
            "after a collective write of " + all.name(),
            complement,
            (at, part) -> whole.at(at).read(part));
      }
    }
    rank.barrier();
    if (complement) {
      method.run(0, new Method.Call(true, false, 1, 1));
    }
  }

  private interface Timed {
    double run() throws IOException;
  }

  /** From the first rank's start to the last one's end; all processes have one clock. */
  private long time(Timed what) throws IOException {
    rank.barrier();
    long start = env.nanoTime();
    what.run();
    long end = env.nanoTime();
    long first = rank.allReduceLong(start, Math::min);
    return Math.max(1, rank.allReduceLong(end, Math::max) - first);
  }

  private List<Long> barriers(int count, int laps) throws IOException {
    List<Long> counted = new ArrayList<>();
    for (int lap = 0; lap <= laps; lap++) {
      long start = env.nanoTime();
      for (int i = 0; i < count; i++) {
        rank.barrier();
      }
      if (lap > 0) {
        counted.add((env.nanoTime() - start) / count);
      }
    }
    return counted;
  }

  private List<Long> append(int records, int bytes, int laps) throws IOException {
    List<Long> counted = new ArrayList<>();
    OpenOptions how = OpenOptions.create().withMode(Mode.SHARED);
    try (SharedFile file = rank.open("log-" + bytes + "-" + records, how)) {
      MemorySegment record = arena.allocate(bytes, 64);
      var writes = new SharedPointerBenchmark.Writes(file, Mode.SHARED, record, records);
      for (int i = 0; i <= laps; i++) {
        int lap = appendLaps++;
        writes.before(rank, lap);
        long nanos = time(() -> writes.run(rank, lap));
        rank.barrier();
        writes.after(rank, lap);
        if (i > 0) {
          counted.add(nanos);
        }
      }
    }
    return counted;
  }
}
