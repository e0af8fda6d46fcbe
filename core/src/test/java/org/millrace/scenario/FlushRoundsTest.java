package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeRequest;
import org.millrace.testing.Seeds;
import org.millrace.testing.WatchedTopology;

/**
 * Ranks that close, or flush, each for itself: together they ask each strand a few times, and none
 * goes on before every strand was flushed after it had written.
 */
final class FlushRoundsTest {

  private static final int RANKS = 48;
  private static final int STRANDS = 64;
  private static final int UNIT = 512;

  /** What happened to strands, in the order in which it did. Owned by the seeded threads. */
  private static final class Course {
    int flushes;
    final int[] lastFlush = new int[STRANDS];
    int now;

    /** Whether every strand was flushed since an instant. */
    BitSet notSince(int instant) {
      BitSet not = new BitSet();
      for (int s = 0; s < STRANDS; s++) {
        not.set(s, lastFlush[s] <= instant);
      }
      return not;
    }

    void note(Message request) {
      if (request instanceof NodeRequest.Flush flush) {
        flushes++;
        lastFlush[flush.strand().strand()] = ++now;
      }
    }
  }

  private static void run(long seed, WatchedTopology.Watch watch, Program program) {
    SeededEnv env = SeededEnv.of(seed);
    run(env, WatchedTopology.of(env, watch), program);
  }

  private static void run(SeededEnv env, WatchedTopology topology, Program program) {
    env.run(
        () -> {
          List<Disk> disks = new ArrayList<>();
          for (int n = 0; n < 4; n++) {
            disks.add(new MemoryDisk("n" + n));
          }
          try (RunningCluster cluster =
              RunningCluster.over(
                  topology, new MemoryDisk("c"), disks, BadInputs.options(), Costs.DEFAULT)) {
            cluster.run(RANKS, program);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static OpenOptions options() {
    return OpenOptions.create().withStripeUnit(UNIT).withStrands(STRANDS);
  }

  private static void write(SharedFile file, int rank) throws IOException {
    file.at((long) rank * UNIT).write(Memory.of(new byte[UNIT]));
  }

  @Test
  void ranksThatCloseAtTheSameTimeAskEachStrandAFewTimes() {
    for (long seed : Seeds.of(5)) {
      Course course = new Course();
      run(
          seed,
          (_, request) -> course.note(request),
          rank -> {
            SharedFile file = rank.open("f", options());
            write(file, rank.number());
            rank.barrier();
            int before = ++course.now;
            file.close();
            assertThat(course.notSince(before)).as(Seeds.replay(seed)).isEqualTo(new BitSet());
          });
      // Control: each for itself would be RANKS * STRANDS.
      assertThat(course.flushes).as(Seeds.replay(seed)).isLessThan(4 * STRANDS);
    }
  }

  @Test
  void aRankThatComesLateIsNotServedByWhatBeganBefore() {
    for (long seed : Seeds.of(10)) {
      Random random = new Random(seed);
      Course course = new Course();
      run(
          seed,
          (_, request) -> course.note(request),
          rank -> {
            SharedFile file = rank.open("f", options());
            for (int i = 0; i < 3; i++) {
              if (random.nextInt(3) > 0) {
                write(file, random.nextInt(STRANDS));
              }
              int before = ++course.now;
              file.flush();
              assertThat(course.notSince(before)).as(Seeds.replay(seed)).isEqualTo(new BitSet());
            }
            file.closeAll();
          });
    }
  }

  @Test
  void aFlushThatFailsFailsThoseThatNeedIt() {
    boolean[] broken = {true};
    int[] failed = new int[1];
    run(
        1,
        (_, request) -> {
          if (broken[0]
              && request instanceof NodeRequest.Flush flush
              && flush.strand().strand() == 7) {
            throw new MillraceException(ErrorCode.DISK, "no strand 7 today");
          }
        },
        rank -> {
          SharedFile file = rank.open("f", options());
          write(file, rank.number());
          Throwable thrown = catchThrowable(file::flush);
          assertThat(thrown).hasMessageContaining("no strand 7 today");
          failed[0]++;
          rank.barrier();
          broken[0] = false;
          rank.barrier();
          file.flush();
          file.closeAll();
        });
    assertThat(failed[0]).isEqualTo(RANKS);
  }

  @Test
  void aRankThatEndsWithItsShareLeavesNobodyWaiting() {
    Course course = new Course();
    boolean[] lost = new boolean[1];
    Throwable thrown =
        catchThrowable(
            () ->
                run(
                    1,
                    (_, request) -> {
                      course.note(request);
                      if (request instanceof CoordinatorRequest.Flushed done && done.rank() == 5) {
                        lost[0] = true;
                        throw new LinkageError("rank 5 dies"); // nothing that a call catches
                      }
                    },
                    rank -> {
                      SharedFile file = rank.open("f", options());
                      write(file, rank.number());
                      rank.barrier();
                      int before = ++course.now;
                      file.flush();
                      assertThat(course.notSince(before)).isEqualTo(new BitSet());
                    }));
    assertThat(thrown).hasStackTraceContaining("rank 5 dies");
    assertThat(lost[0]).isTrue();
  }

  /** Without the word that it gave up, its round would go on for ever, and the next never begin. */
  @Test
  void aRankThatNeverHearsItsShareHoldsUpNobodyTwice() {
    SeededEnv env = SeededEnv.of(1);
    boolean[] swallowed = new boolean[1];
    WatchedTopology topology =
        new WatchedTopology(
            env,
            behind ->
                new WatchedTopology.Passing(behind) {
                  @Override
                  public void onRequest(
                      Peer from, Message request, Payload payload, ReplyTo replyTo) {
                    boolean swallows =
                        !swallowed[0]
                            && request instanceof CoordinatorRequest.ShareFlush share
                            && share.rank() == 5;
                    swallowed[0] |= swallows;
                    super.onRequest(from, request, payload, swallows ? NOBODY : replyTo);
                  }
                });
    run(
        env,
        topology,
        rank -> {
          SharedFile file = rank.open("f", options());
          write(file, rank.number());
          rank.barrier();
          file.flush();
          rank.barrier();
          long before = env.nanoTime();
          file.flush();
          assertThat(env.nanoTime() - before)
              .isLessThan(BadInputs.options().limits().operationNanos());
          file.closeAll();
        });
    assertThat(swallowed[0]).isTrue();
  }

  private static final ReplyTo NOBODY =
      new ReplyTo() {
        @Override
        public void reply(Message reply) {}

        @Override
        public void fail(MillraceException error) {}
      };
}
