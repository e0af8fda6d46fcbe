package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.RankRequest;
import org.millrace.testing.WatchedTopology;

/** A rank whose messages do not get through learns it at once, and so do those who wait for it. */
final class FailedSendsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int RANKS = 4;
  private static final int BAD = 1;
  private static final int TIMES = 50;

  /** An endpoint that the bad rank's messages do not reach, and what it says of it if it tells. */
  private static final class Cut extends WatchedTopology.Passing {

    private final boolean tells;

    Cut(Endpoint behind, boolean tells) {
      super(behind);
      this.tells = tells;
    }

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      if (request instanceof RankRequest.Deliver head && head.from() == BAD) {
        replyTo.fail(new MillraceException(ErrorCode.NODE, "the cable is cut"));
      } else if (request instanceof RankRequest.Refuse && !tells) {
        replyTo.reply(new RankRequest.Taken());
      } else {
        super.onRequest(from, request, payload, replyTo);
      }
    }
  }

  /** What each rank's call throws; ranks stay until all have come back from it. */
  private static Map<Integer, Throwable> failures(
      boolean tells, long meetingNanos, long mailbox, Call call) throws IOException {
    ClusterOptions options =
        BadInputs.options().withLimits(new Limits(60 * SECOND, meetingNanos, 8, mailbox));
    Map<Integer, Throwable> failures = new ConcurrentHashMap<>();
    CountDownLatch back = new CountDownLatch(RANKS);
    List<Disk> nodes = List.of(new MemoryDisk("n"));
    try (RunningCluster cluster =
        RunningCluster.over(
            new WatchedTopology(Env.real(), behind -> new Cut(behind, tells)),
            new MemoryDisk("c"),
            nodes,
            options,
            Costs.DEFAULT)) {
      cluster.run(
          RANKS,
          rank -> {
            Throwable failure = catchThrowable(() -> call.run(rank));
            if (failure != null) {
              failures.put(rank.number(), failure);
            }
            back.countDown();
            try {
              back.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          });
    }
    return new TreeMap<>(failures);
  }

  private interface Call {
    void run(Rank rank) throws IOException;
  }

  private static void allReduce(Rank rank) throws IOException {
    rank.allReduce(new long[200_000], Long::sum);
  }

  /**
   * Many times: a rank that was told may take its own messages back before another has opened them,
   * and that one must throw the same error all the same.
   */
  @ParameterizedTest
  @ValueSource(longs = {0, 64 << 20})
  void allRanksOfAReductionLearnAtOnceThatOneCannotSend(long mailbox) throws IOException {
    for (int i = 0; i < TIMES; i++) {
      checkAllLearn(failures(true, 3600 * SECOND, mailbox, FailedSendsTest::allReduce));
    }
  }

  private static void checkAllLearn(Map<Integer, Throwable> failures) {
    assertThat(failures).containsOnlyKeys(0, 1, 2, 3);
    assertThat(failures.values())
        .allSatisfy(
            e ->
                assertThat(e)
                    .isInstanceOfSatisfying(
                        MillraceException.class,
                        it -> assertThat(it.code()).isEqualTo(ErrorCode.NODE))
                    .hasMessageContaining("the cable is cut"));
    assertThat(failures.get(3)).hasMessageContaining("rank " + BAD);
  }

  @Test
  void whoSendsToARankThatGaveUpLearnsIt() throws IOException {
    Map<Integer, Throwable> failures =
        failures(true, 3600 * SECOND, 0, rank -> rank.gather(0, new byte[100]));
    assertThat(failures).containsOnlyKeys(0, 1, 2, 3); // 2 and 3: their messages wait at rank 0
  }

  @Test
  void theSenderOfAMessageLearnsThatItDidNotGetThrough() throws IOException {
    Map<Integer, Throwable> failures =
        failures(
            true,
            3600 * SECOND,
            0,
            rank -> {
              if (rank.number() == BAD) {
                rank.send(2, 7, new byte[1]);
              }
            });
    assertThat(failures).containsOnlyKeys(BAD);
    assertThat(failures.get(BAD)).hasMessageContaining("the cable is cut");
  }

  /** The control: without being told, the others wait until their time is up. */
  @Test
  void ranksThatAreNotToldWaitForTheirDeadline() throws IOException {
    Map<Integer, Throwable> failures =
        failures(false, 2 * SECOND, 64 << 20, FailedSendsTest::allReduce);
    assertThat(failures.get(BAD)).hasMessageContaining("the cable is cut");
    assertThat(List.of(failures.get(0), failures.get(2), failures.get(3)))
        .hasOnlyElementsOfType(DeadlineException.class);
  }
}
