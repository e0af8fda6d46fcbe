package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.WatchedTopology;

/**
 * Which rank flushes which strand when a file is closed together, and what happens if one fails.
 */
final class SharedFlushTest {

  private static final int NODES = 5;
  private static final int RANKS = 3;

  /** Told of each flush that a node is asked for, before it happens. */
  private interface Watch {
    void flush(long session, int strand) throws MillraceException;
  }

  private static WatchedTopology watched(Watch watch) {
    return WatchedTopology.of(
        Env.real(),
        (from, request) -> {
          if (request instanceof NodeRequest.Flush flush) {
            watch.flush(from.session(), flush.strand().strand());
          }
        });
  }

  private static void run(Watch watch, Program program) throws IOException {
    List<Disk> disks = new ArrayList<>();
    for (int n = 0; n < NODES; n++) {
      disks.add(new MemoryDisk("n" + n));
    }
    try (RunningCluster cluster =
        RunningCluster.over(
            watched(watch), new MemoryDisk("c"), disks, BadInputs.options(), Costs.DEFAULT)) {
      cluster.run(RANKS, program);
    }
  }

  private static SharedFile written(Rank rank, Mode mode) throws IOException {
    SharedFile file = rank.open("f", OpenOptions.create().withMode(mode));
    file.at(rank.number() * 300_000L).write(Memory.of(new byte[300_000]));
    return file;
  }

  @Test
  void eachRankFlushesItsShareWhenAllHaveWritten() throws IOException {
    Map<Long, TreeSet<Integer>> flushed = new ConcurrentHashMap<>();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    AtomicBoolean allWritten = new AtomicBoolean();
    run(
        (session, strand) -> {
          assertThat(allWritten).isTrue();
          order.add(strand);
          flushed.computeIfAbsent(session, _ -> new TreeSet<>()).add(strand);
        },
        rank -> {
          SharedFile file = rank.open("f", OpenOptions.create());
          if (rank.number() == RANKS - 1) { // comes last, by a way that no barrier shows the others
            file.at(600_000).write(Memory.of(new byte[300_000]));
            allWritten.set(true);
          }
          file.closeAll();
          assertThat(file.isClosed()).isTrue();
        });
    assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    assertThat(flushed.values())
        .containsExactlyInAnyOrder(
            new TreeSet<>(List.of(0, 3)), new TreeSet<>(List.of(1, 4)), new TreeSet<>(List.of(2)));
  }

  @Test
  void aFlushThatFailsOnOneRankFailsOnAllAndTheFileStaysOpenUntilItSucceeds() throws IOException {
    AtomicBoolean broken = new AtomicBoolean(true);
    run(
        (_, strand) -> {
          if (strand == 4 && broken.get()) {
            throw new MillraceException(ErrorCode.DISK, "no strand 4 today");
          }
        },
        rank -> {
          for (Mode mode : List.of(Mode.INDEPENDENT, Mode.RECORD)) {
            SharedFile file = written(rank, mode);
            for (int attempt = 0; attempt < 2; attempt++) {
              assertThat(catchThrowable(file::flushAll))
                  .isInstanceOf(MillraceException.class)
                  .hasMessageContaining("rank 1")
                  .hasMessageContaining("no strand 4 today");
              assertThat(catchThrowable(file::closeAll)).hasMessageContaining("no strand 4 today");
              assertThat(file.isClosed()).isFalse();
            }
            rank.barrier();
            broken.set(false);
            rank.barrier();
            file.closeAll();
            assertThat(file.isClosed()).isTrue();
            rank.barrier();
            broken.set(true);
            rank.barrier();
          }
        });
  }

  /** Rank 1 ends when its first flush is asked for: between the two meetings. */
  @Test
  void aRankThatEndsBetweenTheMeetingsLeavesItsShareToAllOthers() throws IOException {
    Map<Long, TreeSet<Integer>> flushed = new ConcurrentHashMap<>();
    Throwable thrown =
        catchThrowable(
            () ->
                run(
                    (session, strand) -> {
                      if (strand == 1 && flushed.keySet().stream().noneMatch(s -> s < 0)) {
                        flushed.put(-1L, new TreeSet<>());
                        throw new IllegalStateException("rank 1 dies");
                      }
                      flushed.computeIfAbsent(session, _ -> new TreeSet<>()).add(strand);
                    },
                    rank -> {
                      SharedFile file = written(rank, Mode.INDEPENDENT);
                      Throwable error = catchThrowable(file::closeAll);
                      if (error instanceof IllegalStateException died) {
                        throw died;
                      }
                      assertThat(error).isInstanceOf(RankFailedException.class);
                      assertThat(file.isClosed()).isTrue();
                    }));
    assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessage("rank 1 dies");
    assertThat(flushed.values().stream().filter(strands -> strands.size() == NODES).count())
        .as("ranks that flushed every strand, the one that died after its end")
        .isGreaterThanOrEqualTo(RANKS - 1);
  }

  @Test
  void ranksThatLoseOneBeforeTheyMeetFlushEverythingAndClose() throws IOException {
    Map<Long, TreeSet<Integer>> flushed = new ConcurrentHashMap<>();
    run(
        (session, strand) -> flushed.computeIfAbsent(session, _ -> new TreeSet<>()).add(strand),
        rank -> {
          SharedFile file = written(rank, Mode.ORDERED);
          rank.barrier();
          if (rank.number() == 0) {
            return; // ends without closing
          }
          assertThat(catchThrowable(file::close)).isInstanceOf(RankFailedException.class);
          assertThat(file.isClosed()).isTrue();
        });
    assertThat(flushed.values()).hasSizeGreaterThanOrEqualTo(2);
    assertThat(flushed.values()).allMatch(strands -> strands.size() == NODES);
  }

  @Test
  void closingAloneAndClosingTogetherAreDifferentCalls() throws IOException {
    run(
        (_, _) -> {},
        rank -> {
          SharedFile file = written(rank, Mode.INDEPENDENT);
          if (rank.number() == 0) {
            assertThat(catchThrowable(() -> file.setMode(Mode.SHARED)))
                .isInstanceOf(MixedCallException.class);
          } else {
            assertThat(catchThrowable(file::closeAll)).isInstanceOf(MixedCallException.class);
            assertThat(file.isClosed()).isFalse();
          }
          file.closeAll();
        });
  }
}
