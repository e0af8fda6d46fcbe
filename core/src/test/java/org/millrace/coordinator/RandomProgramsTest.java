package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.testing.Seeds;

/**
 * Ranks that meet, err, lock, open, end early, and never look at a clock. Whatever the schedule,
 * nobody hangs, and of each synchronizing call all ranks that took part tell the same.
 */
final class RandomProgramsTest {

  private static final int STEPS = 25;

  /** What the ranks of one run saw. One thread at a time runs, so it needs no lock. */
  private static final class Outcomes {
    final Map<String, Set<String>> byMeeting = new HashMap<>();
    final EnumSet<ErrorCode> errors = EnumSet.noneOf(ErrorCode.class);
    long met;
    long trace;
  }

  @Test
  void nobodyHangsAndAllTellTheSame() {
    EnumSet<ErrorCode> errors = EnumSet.noneOf(ErrorCode.class);
    long met = 0;
    for (long seed : Seeds.of(400)) {
      Outcomes outcomes = run(seed);
      outcomes.byMeeting.forEach(
          (meeting, told) -> assertThat(told).as("%s, %s", meeting, Seeds.replay(seed)).hasSize(1));
      errors.addAll(outcomes.errors);
      met += outcomes.met;
    }
    assertThat(met).isPositive();
    if (Seeds.of(2).length > 1) {
      assertThat(errors)
          .contains(
              ErrorCode.MIXED_CALL,
              ErrorCode.RANK_FAILED,
              ErrorCode.DEADLOCK,
              ErrorCode.DEADLINE,
              ErrorCode.NAME_EXISTS);
    }
  }

  @Test
  void theSameSeedTakesTheSameCourse() {
    for (long seed : Seeds.of(10)) {
      assertThat(run(seed).trace).as(Seeds.replay(seed)).isEqualTo(run(seed).trace);
    }
  }

  private static Outcomes run(long seed) {
    SeededEnv env = SeededEnv.of(seed);
    Outcomes outcomes = new Outcomes();
    env.run(
        () -> {
          try (Harness harness = new Harness(env, new MemoryDisk("test"))) {
            int size = 2 + new Random(seed).nextInt(3);
            Harness.Ranks ranks = harness.ranks(size);
            List<Thread> threads = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
              Program program = new Program(harness, ranks, rank, seed, outcomes);
              threads.add(env.start(ThreadKind.RANK, "rank " + rank, program));
            }
            for (Thread thread : threads) {
              thread.join();
            }
            assertThat(harness.waits(harness.link("x"))).as(Seeds.replay(seed)).isEmpty();
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(Seeds.replay(seed), e);
          }
        });
    outcomes.trace = env.traceHash();
    return outcomes;
  }

  /** One rank: all draw the same course from the seed and stray from it, each by its own draw. */
  private static final class Program implements Runnable {
    private final Harness harness;
    private final Harness.Ranks ranks;
    private final int rank;
    private final Random course;
    private final Random own;
    private final Outcomes outcomes;
    private final List<Long> held = new ArrayList<>();
    private long sequence;

    Program(Harness harness, Harness.Ranks ranks, int rank, long seed, Outcomes outcomes) {
      this.harness = harness;
      this.ranks = ranks;
      this.rank = rank;
      this.course = new Random(seed);
      this.own = new Random(seed + 31L * (rank + 1));
      this.outcomes = outcomes;
    }

    @Override
    public void run() {
      try {
        for (int step = 0; step < STEPS; step++) {
          stray();
          meet(effect());
          if (own.nextInt(150) == 0) {
            break;
          }
        }
        ranks.leave(rank, own.nextBoolean() ? "" : "tired").await(Env.NEVER);
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private Effect effect() {
      return switch (course.nextInt(4)) {
        case 0 -> new Effect.Open("f" + course.nextInt(3), Harness.EXCLUSIVE);
        case 1 -> new Effect.Split(course.nextInt(2), own.nextInt(2));
        default -> new Effect.None();
      };
    }

    private void meet(Effect effect) throws IOException {
      boolean errs = own.nextInt(20) == 0;
      CoordinatorRequest.Meet meet =
          ranks.meeting(rank, 0, sequence, "step", errs ? 1 + rank : 0, effect);
      Pending pending = ranks.start(rank, meet);
      if (own.nextInt(12) == 0) {
        giveUpAfterAWhile(pending);
      }
      String told;
      try {
        Message reply = pending.await(Env.NEVER);
        told = reply instanceof CoordinatorReply.Split ? "split" : reply.toString();
        outcomes.met++;
      } catch (MillraceException e) {
        told =
            e.code() == ErrorCode.RANK_FAILED ? e.code().name() : e.code() + ": " + e.getMessage();
        outcomes.errors.add(e.code());
      }
      outcomes.byMeeting.computeIfAbsent("step " + sequence, _ -> new TreeSet<>()).add(told);
      sequence++;
    }

    private void giveUpAfterAWhile(Pending pending) throws IOException {
      try {
        pending.await(harness.env.deadlineAfter(1));
      } catch (MillraceException e) {
        if (!pending.isDone()) {
          ranks
              .start(rank, new CoordinatorRequest.Withdraw(ranks.group, rank, 0, sequence))
              .await(Env.NEVER);
        }
      }
    }

    private void stray() throws IOException, InterruptedException {
      if (own.nextInt(10) == 0) {
        harness.env.sleep(own.nextInt(1, 10));
      }
      if (own.nextInt(6) == 0) {
        try {
          boolean shared = own.nextBoolean();
          Message grant = ranks.lock(rank, "l" + own.nextInt(3), 0, 10, shared).await(Env.NEVER);
          held.add(((CoordinatorReply.Locked) grant).lock());
        } catch (MillraceException e) {
          outcomes.errors.add(e.code());
          assertThat(e.code()).isEqualTo(ErrorCode.DEADLOCK);
        }
      }
      if (!held.isEmpty() && own.nextInt(3) == 0) {
        ranks.start(rank, new CoordinatorRequest.Unlock(held.removeFirst())).await(Env.NEVER);
      }
    }
  }
}
