package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.daemon.ServerOptions;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.error.RankFailedException;
import org.millrace.launch.Launch;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.TransportOptions;
import org.millrace.plan.Estimate;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.Meet;
import org.millrace.testing.Eventually;

/** Ranks that reach each other as processes do meet on a board, and what the coordinator hears. */
final class BoardMeetingsTest {

  private static final int RANKS = 3;
  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path directory;

  private final Queue<Message> heard = new ConcurrentLinkedQueue<>();
  private final Map<Integer, Link> links = new ConcurrentHashMap<>();

  @BeforeEach
  void assumeSharedMemory() {
    assumeThat(Files.isDirectory(Path.of("/proc/self/fd"))).isTrue();
  }

  private static ProcessRankOptions options() {
    return options(60 * SECOND);
  }

  private static ProcessRankOptions options(long meetingNanos) {
    Limits limits = Limits.DEFAULT.withMeetingNanos(meetingNanos);
    return ProcessRankOptions.of(ClusterOptions.DEFAULT.withLimits(limits))
        .withAssembleNanos(300 * SECOND);
  }

  /** Runs a program on ranks that have a thread and a transport each. */
  private void run(ProcessRankOptions options, Program program) throws Exception {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int r = 0; r < RANKS; r++) {
      int number = r;
      Launch launch = new Launch("test", "job", r, RANKS);
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                try (ProcessRank launched =
                    ProcessRank.asPeer(launch, directory, 2, options, link -> hear(number, link))) {
                  launched.run(program);
                }
                return null;
              });
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    for (FutureTask<Void> task : tasks) {
      try {
        task.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Exception cause) {
          throw cause;
        }
        throw e;
      }
    }
  }

  private Link hear(int rank, Link link) {
    links.put(rank, link);
    return new HeardLink(link, heard);
  }

  /** What ranks brought to the coordinator of a call. */
  private long brought(String call) {
    return heard.stream().filter(one -> one instanceof Meet it && it.call().equals(call)).count();
  }

  @Test
  void theCoordinatorHearsNothingOfBarriersAndSums() throws Exception {
    run(
        options(),
        rank -> {
          for (int i = 0; i < 200; i++) {
            rank.barrier();
            assertThat(rank.allReduceLong(i + rank.number(), Long::sum)).isEqualTo(3L * i + 3);
          }
        });
    // a rank that waits for 50 ms on a busy machine makes all come
    assertThat(brought("barrier")).isLessThan(60L * RANKS);
    assertThat(brought("allReduce")).isLessThan(60L * RANKS);
    assertThat(brought("board: mapped")).isEqualTo(RANKS);
  }

  /** The control: where memory is not shared by one of them, all meet at the coordinator. */
  @Test
  void theCoordinatorHearsOfAllBarriersIfOneRankReachesNoBoard() throws Exception {
    TransportOptions alone = TransportOptions.DEFAULT.withSharedMemory(false);
    ProcessRankOptions without =
        options().withServer(ServerOptions.of(ClusterOptions.DEFAULT, alone));
    run(
        without,
        rank -> {
          for (int i = 0; i < 20; i++) {
            rank.barrier();
          }
        });
    assertThat(brought("barrier")).isEqualTo(20L * RANKS);
  }

  @Test
  void aLateRankIsAwaitedAtTheCoordinator() throws Exception {
    run(
        options(),
        rank -> {
          rank.barrier();
          long before = brought("allReduce");
          if (rank.number() == 2) {
            Eventually.holds("the others have gone there", () -> brought("allReduce") >= 2);
          } else {
            assertThat(before).isLessThanOrEqualTo(1);
          }
          assertThat(rank.allReduceLong(1, Long::sum)).isEqualTo(RANKS);
          rank.barrier();
        });
    assertThat(brought("allReduce")).isEqualTo(RANKS);
  }

  @Test
  void ranksThatCallDifferentThingsHearTheSame() throws Exception {
    Map<Integer, String> told = new ConcurrentHashMap<>();
    run(
        options(),
        rank -> {
          rank.barrier();
          try {
            if (rank.number() == 1) {
              rank.allReduceLong(1, Long::sum);
            } else {
              rank.barrier();
            }
          } catch (MixedCallException e) {
            told.put(rank.number(), e.getMessage());
          }
          assertThat(rank.allReduceLong(1, Long::sum)).isEqualTo(RANKS); // in step again
        });
    assertThat(told).hasSize(RANKS);
    assertThat(told.values()).containsOnly(told.get(0));
    // the coordinator says so as soon as two differ
    assertThat(told.get(0)).contains("called barrier", "rank 1 called allReduce");
  }

  @Test
  void aRankThatDoesNotComeIsNamedAtTheDeadline() {
    AtomicInteger gaveUp = new AtomicInteger();
    assertThatThrownBy(
            () ->
                run(
                    options(SECOND / 2),
                    rank -> {
                      if (rank.number() == 2) {
                        // all of them: one that still waits would hear that this rank has ended
                        Eventually.holds("they gave up", () -> gaveUp.get() == RANKS - 1);
                        return;
                      }
                      try {
                        rank.barrier();
                      } finally {
                        gaveUp.incrementAndGet();
                      }
                    }))
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining("rank 2 did not arrive");
  }

  @Test
  void aRankThatThrowsFailsTheOthersAndTheyRegroup() {
    assertThatThrownBy(
            () ->
                run(
                    options(),
                    rank -> {
                      rank.barrier();
                      if (rank.number() == 2) {
                        throw new IOException("no more");
                      }
                      assertThatThrownBy(rank::barrier)
                          .isInstanceOf(RankFailedException.class)
                          .hasMessageContaining("rank 2");
                      Rank fewer = rank.regroup();
                      for (int i = 0; i < 50; i++) {
                        assertThat(fewer.allReduceLong(1, Long::sum)).isEqualTo(2);
                      }
                      assertThatThrownBy(rank::barrier).isInstanceOf(RankFailedException.class);
                    }))
        .hasMessage("no more"); // the others have ended well
  }

  private static byte[] content(int rank, int bytes) {
    byte[] content = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      content[i] = (byte) (i * 7 + rank);
    }
    return content;
  }

  @ParameterizedTest
  @EnumSource
  void collectiveCallsMoveTheirBytes(Strategy strategy) throws Exception {
    int bytes = 3000;
    run(
        options(),
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            file.setHints(Hints.DEFAULT.withStrategy(strategy));
            for (int i = 0; i < 20; i++) {
              byte[] mine = content(rank.number() + i, bytes);
              long at = (long) bytes * rank.number();
              assertThat(file.at(at).all().write(Memory.of(mine))).isEqualTo(bytes);
              byte[] next = new byte[bytes + 10];
              int other = (rank.number() + 1) % RANKS;
              long got = file.at((long) bytes * other).all().read(Memory.of(next));
              // the file ends behind the last rank's part
              assertThat(got).isEqualTo(other == RANKS - 1 ? bytes : bytes + 10);
              byte[] theirs = content(other + i, bytes);
              assertThat(MemorySegment.ofArray(next).asSlice(0, bytes))
                  .matches(one -> one.mismatch(MemorySegment.ofArray(theirs)) < 0);
            }
          }
        });
    assertThat(brought("readAtAll")).isLessThan(10L * RANKS);
    assertThat(brought("writeAtAll")).isLessThan(10L * RANKS);
  }

  /** Again and again, since what was asked for twice is looked up in another way. */
  @Test
  void readsFarBeyondTheEndReadNothing() throws Exception {
    run(
        options(),
        rank -> {
          OpenOptions oneStrand = OpenOptions.create().withStrands(1);
          try (SharedFile file = rank.open("f", oneStrand)) {
            file.at(0).all().write(Memory.of(new byte[10]));
            for (int i = 0; i < 6; i++) {
              long last = Long.MAX_VALUE - 3;
              assertThat(file.at(last).all().read(Memory.of(new byte[3]))).isZero();
            }
          }
        });
  }

  private static double sieved(SharedFile file) throws IOException {
    return file.at(0).all().planRead(3000).estimates().stream()
        .filter(one -> one.strategy() == Strategy.SIEVED)
        .mapToDouble(Estimate::nanos)
        .sum();
  }

  @Test
  void whatIsPlannedForBytesThatWereReadBeforeIsWhatWillBeDone() throws Exception {
    Map<Integer, Double> first = new ConcurrentHashMap<>();
    Map<Integer, Double> again = new ConcurrentHashMap<>();
    run(
        options(),
        rank -> {
          try (SharedFile file = rank.open("f", OpenOptions.create())) {
            file.at(0).all().write(Memory.of(new byte[3000]));
            first.put(rank.number(), sieved(file));
            file.at(0).all().read(Memory.of(new byte[3000]));
            again.put(rank.number(), sieved(file));
          }
        });
    assertThat(first.values()).hasSize(RANKS).containsOnly(first.get(0));
    assertThat(again.values()).hasSize(RANKS).containsOnly(again.get(0));
    assertThat(again.get(0)).as("in reach without a message").isLessThan(first.get(0));
  }

  @Test
  void aFileThatAnAdministratorClosedIsClosedForAll() throws Exception {
    run(
        options(),
        rank -> {
          SharedFile file = rank.open("f", OpenOptions.create());
          file.at(10L * rank.number()).all().write(Memory.of(new byte[10]));
          rank.barrier();
          if (rank.number() == 1) {
            var reset = new CoordinatorRequest.Reset(List.of());
            long deadline = Env.real().deadlineAfter(60 * SECOND);
            Link own = Objects.requireNonNull(links.get(1));
            own.call(reset, MemorySegment.NULL, deadline);
          }
          rank.barrier();
          assertThatThrownBy(() -> file.at(0).all().write(Memory.of(new byte[10])))
              .isInstanceOfSatisfying(
                  MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        });
  }

  @Test
  void whatARankToldTheCoordinatorIsDoneBeforeItsNextBarrier() throws Exception {
    run(
        options(),
        rank -> {
          for (int i = 0; i < 20; i++) {
            SharedFile file = rank.open("f" + i, OpenOptions.create());
            file.close(); // waits for nobody
            rank.barrier();
            if (rank.number() == i % RANKS) {
              rank.names().remove("f" + i);
            }
          }
        });
  }

  @Test
  void asynchronousCallsAndManyFilesGoOnBesideTheBoard() throws Exception {
    AtomicBoolean wrong = new AtomicBoolean();
    run(
        options(),
        rank -> {
          List<SharedFile> files = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            files.add(rank.open("f" + i, OpenOptions.create()));
          }
          for (int round = 0; round < 5; round++) {
            for (SharedFile file : files) {
              file.at(100L * rank.number()).all().write(Memory.of(content(rank.number(), 100)));
            }
            List<SharedFile> some = files.subList(round, round + 5);
            for (SharedFile file : some) {
              byte[] all = new byte[100 * RANKS];
              var reading = file.at(0).all().readAsync(MemorySegment.ofArray(all));
              rank.barrier();
              wrong.compareAndSet(false, rank.await(reading) != all.length);
            }
          }
          for (SharedFile file : files) {
            close(file);
          }
        });
    assertThat(wrong).isFalse();
  }

  private static void close(SharedFile file) throws IOException {
    file.close();
  }
}
