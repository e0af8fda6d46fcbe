package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.daemon.ServerOptions;
import org.millrace.error.DeadlineException;
import org.millrace.launch.Launch;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.TransportOptions;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.StrategyChoice;
import org.millrace.plan.collective.DirectRounds;

/**
 * Collective reads and writes by every strategy, of ranks that are the cluster: each has its own
 * transport, as a process has, and some have nodes. What one of them alone knows (that all strands
 * lie in its own process, for instance) must not decide what it does.
 *
 * <p>The build runs a sample; {@code -Dmillrace.campaign=1} runs the whole grid.
 */
final class StrategiesAcrossProcessesTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int UNIT = 4 << 10;

  /** What an interleaved rank has before it is the next rank's turn. */
  private static final int ELEMENT = 8;

  /** The same where each is a request of its own: so many as with the other would be a campaign. */
  private static final int LARGE_ELEMENT = 1000;

  /** Where the two-phase strategies go to their next chunk. */
  private static final int CHUNK = 64 << 10;

  /** Where a link begins to divide a request. */
  private static final int PART = 512 << 10;

  @TempDir private Path directory;

  /** So many ranks, each a process, of which the first few have the nodes. */
  record Grid(int ranks, int nodes, List<Integer> strands) {}

  private static boolean isCampaign() {
    return System.getProperty("millrace.campaign") != null;
  }

  static Stream<Grid> grids() {
    if (!isCampaign()) {
      return Stream.of(
          new Grid(1, 1, List.of(1)),
          new Grid(2, 2, List.of(3)),
          new Grid(3, 1, List.of(1)),
          new Grid(5, 3, List.of(4)));
    }
    return IntStream.rangeClosed(1, 5)
        .boxed()
        .flatMap(
            ranks ->
                IntStream.rangeClosed(1, 3)
                    .mapToObj(nodes -> new Grid(ranks, nodes, List.of(1, 2, 3, 4))));
  }

  /** Sizes of a rank's part on both sides of every limit. */
  private static List<Integer> sizes(int ranks, int nodes, int strands) {
    int round = (int) DirectRounds.maxBytes(ranks, Layout.forFile(1, UNIT, strands, nodes));
    List<Integer> sizes = new ArrayList<>();
    for (int limit : new int[] {UNIT, CHUNK, PART, round, 2 * round}) {
      sizes.addAll(isCampaign() ? List.of(limit - 1, limit, limit + 1) : List.of(limit + 1));
    }
    return sizes;
  }

  @ParameterizedTest
  @MethodSource("grids")
  void everyStrategyEndsAndMovesEveryByte(Grid grid) throws Exception {
    ProcessRankOptions options = options(60 * SECOND);
    run(grid.ranks, grid.nodes, options, UnaryOperator.identity(), rank -> moveAll(rank, grid));
  }

  private static void moveAll(Rank rank, Grid grid) throws IOException {
    int version = 0;
    for (int strands : grid.strands) {
      OpenOptions open = OpenOptions.create().withStrands(strands).withStripeUnit(UNIT);
      try (SharedFile file = rank.open("f" + strands, open)) {
        for (Strategy strategy : Strategy.values()) {
          file.setHints(Hints.DEFAULT.withStrategy(strategy).withBufferBytes(2L * CHUNK));
          for (int size : sizes(grid.ranks, grid.nodes, strands)) {
            version++;
            Part part = part(rank, strategy, size, version % 2 == 0);
            move(rank, file, part, version, "%s %s %s".formatted(grid, strategy, part));
          }
        }
      }
    }
  }

  private static Part part(Rank rank, Strategy strategy, int size, boolean interleaved) {
    int element = strategy == Strategy.DIRECT && size > CHUNK ? LARGE_ELEMENT : ELEMENT;
    return new Part(rank.number(), rank.size(), size, interleaved ? element : size);
  }

  private static void move(Rank rank, SharedFile file, Part part, int version, String what)
      throws IOException {
    file.setView(part.view());
    byte[] mine = new byte[part.size];
    for (int i = 0; i < part.size; i++) {
      mine[i] = content(part.offset(i), version);
    }
    assertThat(file.at(0).all().write(Memory.of(mine)))
        .as("written by %s", what)
        .isEqualTo(part.size);
    byte[] back = new byte[part.size];
    assertThat(file.at(0).all().read(Memory.of(back))).as("read by %s", what).isEqualTo(part.size);
    assertThat(back).as("read back by %s", what).isEqualTo(mine);
    file.setView(View.WHOLE);
    if (rank.number() == version % rank.size()) { // another way, through another rank's eyes
      byte[] all = new byte[part.size * rank.size()];
      long got = file.at(0).read(Memory.of(all));
      for (int r = 0; r < rank.size(); r++) {
        Part other = new Part(r, rank.size(), part.size, part.element);
        for (int i = 0; i < part.size; i++) {
          int offset = Math.toIntExact(other.offset(i));
          if (offset < all.length && (offset >= got || all[offset] != content(offset, version))) {
            throw new AssertionError("byte " + offset + " of the file after " + what);
          }
        }
      }
    }
    rank.barrier();
  }

  private static byte content(long offset, int version) {
    return (byte) (offset * 31 + (offset >> 9) * 7 + version * 17L);
  }

  /** What a rank moves: elements that are each rank's in turn, or a block, its only element. */
  private record Part(int rank, int ranks, int size, int element) {

    View view() {
      return element == size
          ? View.from((long) rank * size)
          : new View((long) rank * element, Pattern.run(element), (long) ranks * element);
    }

    /** Where its byte {@code i} lies in the file. */
    long offset(int i) {
      return ((long) (i / element) * ranks + rank) * element + i % element;
    }
  }

  @Test
  void aRankThatDecidesByItselfHangsIntoItsDeadline() {
    int size = 2 * (int) DirectRounds.maxBytes(3, Layout.forFile(1, UNIT, 1, 1)) + 1;
    assertThatThrownBy(
            () ->
                run(
                    3,
                    1,
                    sending(options(3 * SECOND)), // so that they meet at the coordinator
                    ForgetfulLink::new,
                    rank -> {
                      try (SharedFile file = rank.open("f", OpenOptions.create().withStrands(1))) {
                        file.setHints(Hints.DEFAULT.withStrategy(Strategy.DISK_DIRECTED));
                        file.at((long) rank.number() * size).all().write(Memory.of(new byte[size]));
                      }
                    }))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(DeadlineException.class);
  }

  /** What each of three ranks plans for single numbers, dealt out; the last one may map nothing. */
  private List<StrategyChoice> plans(boolean allMap) throws Exception {
    Map<Integer, StrategyChoice> plans = new ConcurrentHashMap<>();
    ProcessRankOptions mapping = options(60 * SECOND);
    ProcessRankOptions sending = sending(mapping);
    run(
        3,
        2,
        rank -> rank == 2 && !allMap ? sending : mapping,
        UnaryOperator.identity(),
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            Part part = new Part(rank.number(), 3, 1 << 20, ELEMENT);
            file.setView(part.view());
            file.at(0).all().write(Memory.of(new byte[part.size]));
            plans.put(rank.number(), file.at(0).all().planRead(part.size));
          }
        });
    return List.copyOf(plans.values());
  }

  @Test
  void autoLetsRanksCopyTheirOwnBytesIfAllOfThemMapTheNodesMemory() throws Exception {
    assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "this system has no memory to share");
    List<StrategyChoice> mapped = plans(true);
    assertThat(mapped).hasSize(3).allMatch(one -> one.equals(mapped.getFirst()));
    assertThat(mapped.getFirst().strategy()).isEqualTo(Strategy.SIEVED);
  }

  /**
   * Both clusters have the prices that the first one measured and stored, whatever they are. For
   * any prices it costs a two-phase call more that others hand a rank its bytes where it could map
   * them. A disk-directed call may cost less, though it has more work: then nodes are helped.
   */
  @Test
  void oneRankThatMapsNothingChangesThePlanOfAll() throws Exception {
    assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "this system has no memory to share");
    double handed = plans(true).getFirst().of(Strategy.TWO_PHASE).nanos();
    List<StrategyChoice> some = plans(false);
    assertThat(some).hasSize(3).allMatch(one -> one.equals(some.getFirst()));
    assertThat(some.getFirst().of(Strategy.TWO_PHASE).nanos()).isLessThan(handed);
  }

  /** The same without shared memory. */
  private static ProcessRankOptions sending(ProcessRankOptions options) {
    TransportOptions alone = TransportOptions.DEFAULT.withSharedMemory(false);
    return options.withServer(ServerOptions.of(ClusterOptions.DEFAULT, alone));
  }

  private static ProcessRankOptions options(long meetingNanos) {
    Limits limits = Limits.DEFAULT.withMeetingNanos(meetingNanos);
    return ProcessRankOptions.of(ClusterOptions.DEFAULT.withLimits(limits))
        .withAssembleNanos(60 * SECOND);
  }

  private void run(
      int ranks,
      int nodes,
      ProcessRankOptions options,
      UnaryOperator<Link> toCoordinator,
      Program program)
      throws Exception {
    run(ranks, nodes, _ -> options, toCoordinator, program);
  }

  /** Runs a program on ranks that have a thread and a transport each. */
  private void run(
      int ranks,
      int nodes,
      IntFunction<ProcessRankOptions> options,
      UnaryOperator<Link> toCoordinator,
      Program program)
      throws Exception {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      Launch launch = new Launch("test", "job", r, ranks);
      ProcessRankOptions own = options.apply(r);
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                try (ProcessRank launched =
                    ProcessRank.asPeer(launch, directory, nodes, own, toCoordinator)) {
                  launched.run(program);
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    ExecutionException failure = null;
    for (FutureTask<Void> task : tasks) {
      try {
        task.get();
      } catch (ExecutionException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
