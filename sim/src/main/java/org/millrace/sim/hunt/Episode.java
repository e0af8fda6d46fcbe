package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.millrace.daemon.ProcessContext;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;
import org.millrace.launch.process.ProcessRankOptions;
import org.millrace.wire.Address;

/**
 * One job of several ranks, each a process, under the faults of one {@link FaultPlan}.
 *
 * <p>For threads of the world's environment.
 */
final class Episode implements FaultPlan.Ranks {

  /** Nothing may take longer in virtual time. */
  private static final long MAX_NANOS = 3_600 * World.SECOND;

  /** What the ranks of an episode run. */
  interface Body {
    /** Runs as one rank. */
    void run(Member me) throws IOException;
  }

  /** A rank's process. */
  private final class Runner {
    private final int number;
    private final ProcessEnv process;
    private @Nullable Member member;
    private boolean over;

    Runner(int number) {
      this.number = number;
      String name = "rank %s of %s".formatted(number, job);
      this.process = world.plant().env(world.env(), name);
    }

    String who() {
      return "rank " + number;
    }

    void run() {
      try (ProcessRank launched = ProcessRank.join(launch(), context(), options())) {
        Member me = new Member(world, Episode.this, who(), number, launched.rank());
        member = me;
        launched.run(_ -> tell(me));
        world.story().tell(who(), "has done its program");
      } catch (Violation e) {
        world.violated(e);
      } catch (MillraceException e) {
        world.story().tell(who(), "ends: " + e);
        if (!explains(e)) {
          world.violated(new Violation(who() + " ended without a cause: " + e, e));
        }
      } catch (IOException | RuntimeException e) {
        world.violated(new Violation(who() + " ended in no way that is allowed: " + e, e));
      } finally {
        over = true;
        world.news().ring();
      }
    }

    /** What a checker finds counts before the others learn that this rank has ended. */
    private void tell(Member me) throws IOException {
      try {
        body.run(me);
      } catch (Violation e) {
        world.violated(e);
        throw e;
      }
    }

    private Launch launch() {
      return new Launch("hunt", job, number, size);
    }

    private ProcessContext context() {
      return new ProcessContext(
          process,
          world.net().of(process),
          new Address.Unix("/" + job + "-" + number),
          world.location(),
          world.secret(),
          world.patient());
    }

    private ProcessRankOptions options() {
      return ProcessRankOptions.of(world.cluster()).withServer(world.patient());
    }

    String state() {
      Member me = member;
      return who() + (over ? " has ended" : ": " + (me == null ? "joins" : me.doing()));
    }
  }

  // constant after construction
  private final World world;
  private final Files files;
  private final int number;
  private final int size;
  private final String job;
  private final Body body;
  private final FaultPlan fate;
  private final List<Runner> runners = new ArrayList<>();
  private final Map<String, Object> shared = new HashMap<>();
  private boolean excused;

  /** An episode whose faults are {@code calm ? none : drawn}. */
  Episode(World world, Files files, int number, int size, boolean calm, Body body) {
    this.world = world;
    this.files = files;
    this.number = number;
    this.size = size;
    this.job = (calm ? "calm-" : "job-") + number;
    this.body = body;
    this.fate = new FaultPlan(world, number, this, calm);
  }

  /** Runs it to its end. */
  void run() {
    world.runs(this);
    for (int r = 0; r < size; r++) {
      Runner runner = new Runner(r);
      runners.add(runner);
      runner.process.start(ThreadKind.RANK, "main", runner::run);
    }
    var strikes = new ProcessEnv(world.env(), "fate of " + job);
    strikes.start(ThreadKind.SERVICE, "main", fate::run);
    try {
      await();
      fate.strikeLast();
    } finally {
      fate.end();
      strikes.kill();
      runners.forEach(runner -> world.net().kill(runner.process));
      runners.forEach(runner -> runner.process.kill());
    }
  }

  private void await() {
    long deadline = world.env().deadlineAfter(MAX_NANOS);
    while (!isOver()) {
      world.news().await(deadline);
      if (world.env().nanoTime() >= deadline) {
        throw new Violation(
            "the ranks hang: " + String.join("; ", runners.stream().map(Runner::state).toList()));
      }
    }
  }

  private boolean isOver() {
    return world.violation().isPresent() || runners.stream().allMatch(runner -> runner.over);
  }

  @Override
  public String killOne(RandomGenerator random) {
    List<Runner> alive = runners.stream().filter(runner -> !runner.over).toList();
    if (alive.isEmpty()) {
      return "no rank is left to kill";
    }
    Runner victim = alive.get(random.nextInt(alive.size()));
    world.net().kill(victim.process);
    victim.process.kill();
    victim.over = true;
    world.news().ring();
    return "kill " + victim.who();
  }

  /** A rank has got a lock of a file for itself. */
  void onLocked(String ofJob, int rank) {
    if (ofJob.equals(job) && rank < runners.size()) {
      Runner holder = runners.get(rank);
      fate.onLocked(holder.who(), holder.process);
    }
  }

  /** Those who are left, a bit for each, are a group: the coordinator has given up all others. */
  void lost(long left) {
    for (Files.Named file : files.all()) {
      for (Runner runner : runners) {
        if (fate.isCutOff(runner.who()) && (left >> runner.number & 1) == 0) {
          file.model.lost(runner.who()::equals);
        }
      }
    }
  }

  @Override
  public String stallOne(RandomGenerator random, long nanos) {
    List<Runner> alive = runners.stream().filter(runner -> !runner.over).toList();
    if (alive.isEmpty()) {
      return "no rank is left to stop";
    }
    Runner victim = alive.get(random.nextInt(alive.size()));
    victim.process.stall(nanos);
    return "stop %s at its next copy for %s ms".formatted(victim.who(), nanos / World.MILLI);
  }

  int number() {
    return number;
  }

  Files files() {
    return files;
  }

  FaultPlan fate() {
    return fate;
  }

  /** What all who know its name share. */
  Object shared(String name, Supplier<?> maker) {
    return shared.computeIfAbsent(name, _ -> maker.get());
  }

  /** From now on ranks may miss each other: one has been told to come late, or regroups. */
  void excuse() {
    excused = true;
  }

  /** Whether the faults so far explain an error. */
  boolean explains(MillraceException error) {
    boolean missed = error.code() == ErrorCode.DEADLINE || error.code() == ErrorCode.RANK_FAILED;
    // a strand that cannot be cut, because its checksums are destroyed, is of no use any more
    boolean rotten = error.code() == ErrorCode.CORRUPT || error.code() == ErrorCode.DISK;
    boolean ruined = error.code() == ErrorCode.CORRUPT && world.oracle().isRuined();
    return fate.explains(error)
        || (excused && missed)
        || (rotten && world.oracle().isRotten())
        || ruined;
  }
}
