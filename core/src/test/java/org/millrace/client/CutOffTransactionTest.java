package org.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.cluster.RunningCluster;
import org.millrace.coordinator.Coordinator;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.plan.collective.Costs;
import org.millrace.testing.Seeds;
import org.millrace.testing.WatchedTopology;

/**
 * A session that is cut off from the coordinator in the middle of its commit, and still reaches the
 * nodes. Its locks go to another rank, which applies the log and writes something newer: that must
 * stay.
 */
final class CutOffTransactionTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int LENGTH = 5000;

  /** What happens between one session and the coordinator. Owned by the seeded threads. */
  private static final class Cut {

    final Env env;
    private final Map<Thread, Peer> sessions = new HashMap<>(); // by the thread that asked last
    private @Nullable Peer away;
    private @Nullable Endpoint coordinator;

    Cut(Env env) {
      this.env = env;
    }

    WatchedTopology topology() {
      return new WatchedTopology(
          env, endpoint -> endpoint instanceof Coordinator ? new Cuttable(endpoint) : endpoint);
    }

    /** Lets nothing through to the coordinator, which misses the session some time later. */
    void cut(Thread thread) {
      away = sessions.get(thread);
      assertThat(away).isNotNull();
    }

    /** The coordinator gives the session up. */
    void miss() {
      Peer gone = away;
      if (coordinator != null && gone != null) {
        coordinator.onSessionEnd(gone, "it is silent");
      }
    }

    private final class Cuttable extends WatchedTopology.Passing {

      Cuttable(Endpoint behind) {
        super(behind);
        coordinator = behind;
      }

      @Override
      public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
        sessions.put(Thread.currentThread(), from);
        if (!from.equals(away)) {
          super.onRequest(from, request, payload, replyTo);
        } // else it is on its way for ever
      }

      @Override
      public void onSessionEnd(Peer from, String reason) {
        if (!from.equals(away)) {
          super.onSessionEnd(from, reason);
        }
      }
    }
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[LENGTH];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** What the two ranks tell each other beside Millrace. Owned by the seeded threads. */
  private static final class Course {
    boolean lost;
    boolean newer;
    boolean tried;
    @Nullable Throwable failure;
    byte @Nullable [] found;
  }

  private static void pause(Env env) {
    try {
      env.sleep(SECOND / 10);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How the rank that was cut off fails, and what the file holds at the end. */
  private static Course run(long seed, long leaseNanos) {
    SeededEnv env = SeededEnv.of(seed);
    Course course = new Course();
    env.run(
        () -> {
          Cut cut = new Cut(env);
          List<Disk> nodes = List.of(new MemoryDisk("n0"), new MemoryDisk("n1"));
          ClusterOptions options = ClusterOptions.DEFAULT.withStripeUnitBytes(700);
          try (RunningCluster cluster =
              RunningCluster.over(
                  cut.topology(), new MemoryDisk("c"), nodes, options, Costs.DEFAULT)) {
            var _ =
                catchThrowable(
                    () ->
                        cluster.run(
                            2,
                            rank -> {
                              SharedFile file = rank.open("f", OpenOptions.create());
                              if (rank.number() == 0) {
                                commitCutOff(rank, file, cut, course, leaseNanos);
                              } else {
                                writeNewer(rank, file, env, course);
                              }
                            }));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    return course;
  }

  private static void commitCutOff(
      Rank rank, SharedFile file, Cut cut, Course course, long leaseNanos) throws IOException {
    Commitment.Steps steps =
        new Commitment.Steps() {
          @Override
          public void reached(Commitment.Step step) {
            if (step == Commitment.Step.COMMITTED) {
              cut.cut(Thread.currentThread());
              for (int i = 0; i < 60; i++) {
                pause(cut.env); // the coordinator hears nothing of this session
              }
              cut.miss();
              course.lost = true;
              while (!course.newer) {
                pause(cut.env);
              }
            }
          }

          @Override
          public long leaseNanos() {
            return leaseNanos;
          }
        };
    Transaction transaction = Transaction.begin(rank, steps);
    file.at(0).in(transaction).write(Memory.of(MemorySegment.ofArray(filled(1))));
    course.failure = catchThrowable(transaction::commit);
    course.tried = true;
  }

  private static void writeNewer(Rank rank, SharedFile file, Env env, Course course)
      throws IOException {
    while (!course.lost) {
      pause(env);
    }
    try (Transaction newer = rank.begin()) {
      byte[] there = new byte[LENGTH];
      file.at(0).in(newer).read(Memory.of(MemorySegment.ofArray(there)));
      assertThat(there).containsOnly(1); // it was committed, so it counts
      file.at(0).in(newer).write(Memory.of(MemorySegment.ofArray(filled(2))));
      newer.commit();
    }
    course.newer = true;
    while (!course.tried) {
      pause(env);
    }
    byte[] found = new byte[LENGTH];
    file.at(0).read(Memory.of(found));
    course.found = found;
  }

  @Test
  void aSessionThatLostItsLocksDoesNotApplyItsTransaction() {
    for (long seed : Seeds.of(20)) {
      Course course = run(seed, LockLease.LIFETIME_NANOS);
      assertThat(course.found).as(Seeds.replay(seed)).containsOnly(2);
      assertThat(course.failure).hasMessageContaining("committed, but not yet applied");
    }
  }

  /** The control: without the fence old bytes come back. */
  @Test
  void aSessionThatTrustsItsLocksForEverBringsOldBytesBack() {
    for (long seed : Seeds.of(3)) {
      Course course = run(seed, Long.MAX_VALUE);
      assertThat(course.found).as(Seeds.replay(seed)).containsOnly(1);
    }
  }
}
