package org.millrace.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.sim.history.Call;
import org.millrace.sim.history.Linearizability;
import org.millrace.sim.history.Linearizability.Verdict;
import org.millrace.sim.history.Operation;
import org.millrace.testing.Eventually;
import org.millrace.testing.Seeds;

/**
 * Histories of clients that contend for few names, while leaders are cut off and end. Writers ask
 * the leader that came last; readers ask any that serves, also one that does not know that it was
 * replaced. While a leader is being cut off writers rest: a change that waits for the log would
 * keep that leader from answering anything, with or without a lease.
 */
final class HistoriesTest {

  private static final int WRITERS = 2;
  private static final int READERS = 2;
  private static final int NAMES = 4;
  private static final int MORE = 40;
  private static final int CONTROL_ROUNDS = 8;
  private static final long ASK_NANOS = 1_000_000_000L;
  private static final long PAUSE_NANOS = 2_000_000L;
  private static final long MOST = 2_000_000;
  private static final long NONE = -1;
  private static final long TAKEN = -2;

  @TempDir private Path folder;

  private final Queue<Operation> history = new ConcurrentLinkedQueue<>();
  private final AtomicInteger ids = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicBoolean rest = new AtomicBoolean();
  private final List<Thread> clients = new ArrayList<>();

  @Test
  void namesAreLinearizableWhileALeaderIsCutOffAndAnotherOneEnds() throws Exception {
    checkRounds(2);
  }

  @Tag("long")
  @Test
  void namesAreLinearizableThroughManyLeaders() throws Exception {
    checkRounds(10);
  }

  private void checkRounds(int rounds) throws Exception {
    long seed = Seeds.of(1)[0];
    try (TestGroup group = new TestGroup(folder, LeaseTimes.DEFAULT)) {
      start(group, seed);
      for (int round = 0; round < rounds; round++) {
        if (round % 2 == 0) {
          cut(group);
        } else {
          end(group);
        }
      }
      stop();
    }
    List<Operation> all = List.copyOf(history);
    assertThat(all.stream().filter(one -> !one.isUnknown()))
        .as(Seeds.replay(seed))
        .hasSizeGreaterThan(100);
    var outcome = Linearizability.check(all, MOST);
    assertThat(outcome.verdict())
        .as(Seeds.replay(seed) + "\n" + outcome.toText())
        .isEqualTo(Verdict.LINEARIZABLE);
    for (List<Operation> bad : planted(all)) {
      assertThat(Linearizability.check(bad, MOST).verdict())
          .as(Seeds.replay(seed))
          .isEqualTo(Verdict.NOT_LINEARIZABLE);
    }
  }

  @Test
  void controlWithEndlessLeasesHistoriesAreNotLinearizable() throws Exception {
    long seed = Seeds.of(1)[0];
    Verdict verdict = Verdict.LINEARIZABLE;
    try (TestGroup group = new TestGroup(folder, new LeaseTimes(800, 60_000, 0))) {
      start(group, seed);
      for (int i = 0; i < CONTROL_ROUNDS && verdict != Verdict.NOT_LINEARIZABLE; i++) {
        cut(group);
        verdict = Linearizability.check(List.copyOf(history), MOST).verdict();
      }
      stop();
    }
    assertThat(verdict).as(Seeds.replay(seed)).isEqualTo(Verdict.NOT_LINEARIZABLE);
  }

  /** The same with the answer to one question changed: to an id that nobody has made. */
  private static List<List<Operation>> planted(List<Operation> good) {
    List<List<Operation>> all = new ArrayList<>();
    for (int i = 0; i < good.size() && all.size() < 20; i++) {
      Operation one = good.get(i);
      if (one.call() instanceof Call.Stat && !one.isUnknown()) {
        List<Operation> bad = new ArrayList<>(good);
        bad.set(
            i, new Operation(one.client(), one.called(), one.answered(), one.call(), 1_000_000));
        all.add(bad);
      }
    }
    assertThat(all).isNotEmpty();
    return all;
  }

  private void start(TestGroup group, long seed) throws IOException {
    group.awaitLeader();
    for (int i = 0; i < WRITERS + READERS; i++) {
      int client = i;
      RandomGenerator random =
          RandomGeneratorFactory.of("L64X128MixRandom").create(seed * 31 + client);
      clients.add(Thread.ofPlatform().start(() -> ask(group, client, random)));
    }
  }

  private void stop() throws InterruptedException {
    over.set(true);
    for (Thread one : clients) {
      one.join();
    }
  }

  /** The leader can reach nobody any more, and does not know that. */
  private void cut(TestGroup group) throws IOException {
    awaitMore();
    rest.set(true);
    int leader = group.awaitLeader();
    group.cut(leader, true);
    awaitAnother(group, leader);
    rest.set(false);
    awaitMore();
    group.cut(leader, false);
  }

  /** The leader ends while changes are under way. */
  private void end(TestGroup group) throws IOException {
    awaitMore();
    int leader = group.awaitLeader();
    group.stop(leader);
    awaitAnother(group, leader);
    awaitMore();
    group.start(leader);
  }

  private static void awaitAnother(TestGroup group, int leader) throws IOException {
    Eventually.holds("another serves", () -> group.newest() >= 0 && group.newest() != leader);
  }

  private void awaitMore() throws IOException {
    int enough = history.size() + MORE;
    Eventually.holds("clients are answered", () -> history.size() >= enough);
  }

  private void ask(TestGroup group, int client, RandomGenerator random) {
    boolean writer = client < WRITERS;
    while (!over.get()) {
      List<Integer> serving = group.serving();
      int member =
          writer || serving.isEmpty()
              ? group.newest()
              : serving.get(random.nextInt(serving.size()));
      if (member >= 0 && !(writer && rest.get())) {
        one(group, member, client, writer ? change(random) : new Call.Stat(name(random)));
      }
      LockSupport.parkNanos(PAUSE_NANOS); // members need the processors, too
    }
  }

  private static String name(RandomGenerator random) {
    return "n" + random.nextInt(NAMES);
  }

  private Call change(RandomGenerator random) {
    String name = name(random);
    return switch (random.nextInt(5)) {
      case 0, 1 -> new Call.Create(name, ids.incrementAndGet() % 0777 + 1);
      case 2 -> new Call.Remove(name);
      case 3 -> new Call.Move(name, name(random));
      default -> new Call.Stat(name);
    };
  }

  private void one(TestGroup group, int member, int client, Call call) {
    if (call instanceof Call.Move move && move.from().equals(move.to())) {
      return; // the model has no opinion
    }
    long called = System.nanoTime();
    try {
      long answer = answer(group, member, call);
      history.add(new Operation(client, called, System.nanoTime(), call, answer));
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.NODE) { // of NODE nothing was sent
        history.add(new Operation(client, called, Operation.NEVER, call, 0));
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The id that a directory was made with stands in its mode bits. */
  private static long answer(TestGroup group, int member, Call call) throws IOException {
    try {
      return switch (call) {
        case Call.Create it -> {
          group.ask(
              member, new CoordinatorRequest.MakeDirectory(it.name(), (int) it.id()), ASK_NANOS);
          yield it.id();
        }
        case Call.Remove it -> {
          group.ask(member, new CoordinatorRequest.Remove(it.name()), ASK_NANOS);
          yield 1;
        }
        case Call.Move it -> {
          group.ask(member, new CoordinatorRequest.Rename(it.from(), it.to(), false), ASK_NANOS);
          yield 1;
        }
        case Call.Stat it ->
            ((CoordinatorReply.About)
                    group.ask(member, new CoordinatorRequest.Stat(it.name()), ASK_NANOS))
                .entry()
                .permissions();
        default -> throw new IllegalArgumentException("not asked: " + call);
      };
    } catch (MillraceException e) {
      return switch (e.code()) {
        case NAME_EXISTS -> call instanceof Call.Move ? TAKEN : NONE;
        case NO_SUCH_NAME -> NONE;
        default -> throw e;
      };
    }
  }
}
