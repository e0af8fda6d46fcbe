package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.WatchedTopology;

/** Collective writes that are durable when they return, and who flushes what for that. */
final class DurableWritesTest {

  private static final int RANKS = SparseDirectedCases.RANKS;
  private static final int STRANDS = SparseDirectedCases.STRANDS;
  private static final int WANTED = RANKS * SparseDirectedCases.MINE / SparseDirectedCases.UNIT;

  private final MemoryDisk names = new MemoryDisk("c");
  private final List<MemoryDisk> disks =
      IntStream.range(0, 3).mapToObj(n -> new MemoryDisk("n" + n)).toList();
  private final Map<Integer, AtomicInteger> flushes = new ConcurrentHashMap<>();

  private void run(WatchedTopology.Watch watch, Program program) throws IOException {
    WatchedTopology topology =
        WatchedTopology.of(
            Env.real(),
            (from, request) -> {
              watch.request(from, request);
              if (request instanceof NodeRequest.Flush flush) {
                flushes
                    .computeIfAbsent(flush.strand().strand(), _ -> new AtomicInteger())
                    .incrementAndGet();
              }
            });
    try (RunningCluster cluster =
        RunningCluster.over(
            topology, names, List.copyOf(disks), BadInputs.options(), Costs.DEFAULT)) {
      cluster.run(RANKS, program);
    }
  }

  private static OpenOptions options(Strategy strategy, boolean durable) {
    return SparseDirectedCases.options()
        .withHints(Hints.DEFAULT.withStrategy(strategy).withDurable(durable));
  }

  /** Writes, and takes what a loss of power would leave when the call has returned on all ranks. */
  private List<MemoryDisk> leftAfter(Strategy strategy, boolean durable, boolean atomic)
      throws IOException {
    List<MemoryDisk> left = new ArrayList<>();
    run(
        (_, _) -> {},
        rank -> {
          try (SharedFile file = rank.open("f", options(strategy, durable))) {
            file.setView(SparseDirectedCases.view(rank.number()));
            file.setAtomic(atomic);
            flushes.clear();
            rank.barrier();
            SparseDirectedCases.write(rank, file, 1);
            rank.barrier();
            if (rank.number() == 0) {
              disks.forEach(disk -> left.add(disk.crash()));
              left.add(names.crash());
              assertThat(flushes.values()).allMatch(count -> count.get() == 1);
              assertThat(flushes.size()).isEqualTo(expected(strategy, durable, atomic));
            }
            rank.barrier();
          }
        });
    return left;
  }

  /** A sparse write and aggregators flush the strands that they have written, others the file. */
  private static int expected(Strategy strategy, boolean durable, boolean atomic) {
    if (!durable) {
      return 0;
    }
    return switch (strategy) {
      case TWO_PHASE, EXTENDED_TWO_PHASE, DISK_DIRECTED -> atomic ? STRANDS : WANTED;
      case DIRECT, SIEVED, AUTO -> STRANDS;
    };
  }

  /** What is wrong with the bytes that are left, if anything. */
  private static Throwable trouble(List<MemoryDisk> left) throws IOException {
    List<Disk> nodes = List.copyOf(left.subList(0, left.size() - 1));
    try (RunningCluster cluster =
        RunningCluster.over(Env.real(), left.getLast(), nodes, BadInputs.options())) {
      return catchThrowable(
          () ->
              cluster.run(
                  RANKS,
                  rank -> {
                    try (SharedFile file = rank.open("f", OpenOptions.read())) {
                      file.setView(SparseDirectedCases.view(rank.number()));
                      SparseDirectedCases.read(rank, file, 1);
                    }
                  }));
    }
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void whatADurableWriteWroteSurvivesALossOfPower(Strategy strategy) throws IOException {
    if (strategy != Strategy.AUTO) { // which may be any of the others
      assertThat(trouble(leftAfter(strategy, true, false))).isNull();
    }
  }

  @Test
  void soItIsInAtomicMode() throws IOException {
    assertThat(trouble(leftAfter(Strategy.SIEVED, true, true))).isNull();
  }

  /** The control: without the hint a loss of power is noticed. */
  @ParameterizedTest
  @EnumSource(
      value = Strategy.class,
      names = {"SIEVED", "TWO_PHASE", "DISK_DIRECTED"})
  void withoutTheHintBytesAreLost(Strategy strategy) throws IOException {
    assertThat(trouble(leftAfter(strategy, false, false))).isNotNull();
  }

  @Test
  void aStrandIsFlushedWhenAllThatRanksHaveForItHasCome() throws IOException {
    Map<Integer, AtomicInteger> parts = new ConcurrentHashMap<>();
    run(
        (_, request) -> {
          if (request instanceof NodeRequest.Direct direct) {
            parts
                .computeIfAbsent(direct.strand().strand(), _ -> new AtomicInteger())
                .incrementAndGet();
          } else if (request instanceof NodeRequest.Flush flush && !parts.isEmpty()) {
            int strand = flush.strand().strand();
            AtomicInteger come = parts.getOrDefault(strand, new AtomicInteger());
            assertThat(come.get()).isEqualTo(strand < WANTED ? 2 : 0);
          }
        },
        rank -> {
          try (SharedFile file = rank.open("f", options(Strategy.DISK_DIRECTED, true))) {
            file.setView(SparseDirectedCases.view(rank.number()));
            SparseDirectedCases.write(rank, file, 1);
          }
        });
    assertThat(parts).hasSize(WANTED);
  }

  @ParameterizedTest
  @EnumSource(
      value = Strategy.class,
      names = {"SIEVED", "TWO_PHASE", "EXTENDED_TWO_PHASE", "DISK_DIRECTED"})
  void aFlushThatFailsFailsTheCallOnAllRanks(Strategy strategy) throws IOException {
    AtomicInteger failed = new AtomicInteger();
    AtomicInteger broken = new AtomicInteger(1);
    run(
        (_, request) -> {
          if (request instanceof NodeRequest.Flush flush
              && flush.strand().strand() == 5
              && broken.get() == 1) {
            throw new MillraceException(ErrorCode.DISK, "strand 5 is broken");
          }
        },
        rank -> {
          try (SharedFile file = rank.open("f", options(strategy, true))) {
            file.setView(SparseDirectedCases.view(rank.number()));
            assertThat(catchThrowable(() -> SparseDirectedCases.write(rank, file, 1)))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("strand 5 is broken");
            failed.incrementAndGet();
            rank.barrier();
            broken.set(0);
            rank.barrier();
            SparseDirectedCases.write(rank, file, 2); // and the next call goes on
            SparseDirectedCases.read(rank, file, 2);
          }
        });
    assertThat(failed.get()).isEqualTo(RANKS);
  }
}
