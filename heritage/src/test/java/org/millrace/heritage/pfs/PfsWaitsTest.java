package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.DeadlineException;
import org.millrace.error.DeadlockException;
import org.millrace.heritage.testing.Programs;

/** A process that waits for its operation is part of the picture of who waits for whom. */
final class PfsWaitsTest {

  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path directory;

  /** How rank 0 waits for its write, which waits for rank 1, which waits for rank 0's lock. */
  private interface Wait {
    void await(Pfs pfs, int file, long write) throws IOException;
  }

  private Map<Integer, Throwable> waitWithALock(long meetingNanos, boolean shown, Wait wait)
      throws IOException {
    ClusterOptions options =
        ClusterOptions.DEFAULT.withLimits(Limits.DEFAULT.withMeetingNanos(meetingNanos));
    CyclicBarrier back = new CyclicBarrier(2); // one who ended would be the other's error
    Map<Integer, Throwable> told = new ConcurrentHashMap<>();
    Programs.watch(
        directory,
        2,
        1,
        options,
        (rank, cluster) -> {
          Pfs pfs = Pfs.pfslib_init(rank);
          int fd = pfs.gopen("pfs.x", O_RDWR | O_CREAT, IoMode.M_GLOBAL, 0644);
          Throwable error;
          if (rank.number() == 0) {
            var lock = rank.lock("mutex");
            rank.barrier();
            error = catchThrowable(() -> wait.await(pfs, fd, pfs.iwrite(fd, filled(5, 1), 5)));
            lock.close();
          } else {
            rank.barrier();
            while (cluster.waits().isEmpty() || shown && !isShown(cluster)) {
              Programs.pause(); // until rank 0 is known to wait
            }
            error = catchThrowable(() -> rank.lock("mutex").close());
          }
          if (error != null) {
            told.put(rank.number(), error);
          }
          back.await();
        });
    return told;
  }

  private static boolean isShown(RunningCluster cluster) throws IOException {
    return cluster.waits().stream()
        .anyMatch(wait -> wait.rank() == 0 && wait.call().equals("an operation"));
  }

  @Test
  void iowaitIsShownAndACircleThroughItIsNoticed() throws IOException {
    Map<Integer, Throwable> told =
        waitWithALock(3600 * SECOND, true, (pfs, _, write) -> pfs.iowait(write));
    assertThat(told.get(0))
        .isInstanceOf(PfsException.class)
        .hasRootCauseInstanceOf(DeadlockException.class)
        .hasMessageContaining("mutex");
  }

  @Test
  void iseofWaitsForOperationsInTheSameWay() throws IOException {
    Map<Integer, Throwable> told =
        waitWithALock(
            3600 * SECOND,
            true,
            (pfs, file, write) -> {
              pfs.iseof(file);
              pfs.iowait(write);
            });
    assertThat(told.get(0)).hasRootCauseInstanceOf(DeadlockException.class);
  }

  /** The control: one who asks again and again whether it is over waits for the deadline. */
  @Test
  void aWaitThatNobodyIsToldOfEndsWithItsDeadline() throws IOException {
    Map<Integer, Throwable> told =
        waitWithALock(
            2 * SECOND,
            false,
            (pfs, _, write) -> {
              while (pfs.iodone(write) == 0) {
                Programs.pause();
              }
            });
    assertThat(told.get(0)).hasRootCauseInstanceOf(DeadlineException.class);
  }
}
