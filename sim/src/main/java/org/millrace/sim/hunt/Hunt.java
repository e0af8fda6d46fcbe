package org.millrace.sim.hunt;

import java.util.Optional;
import java.util.random.RandomGenerator;
import org.millrace.env.ScheduleListener;
import org.millrace.env.SeededEnv;

/**
 * Runs one world for each seed, with a few episodes of random programs under faults, and verifies
 * everything after each. Stateless.
 */
public final class Hunt {

  /** More is no progress: worlds take some hundred thousand. */
  private static final long MAX_STEPS = 20_000_000;

  /** The most ranks of an episode. */
  static final int MAX_RANKS = 4;

  private static final long SCRUB_NANOS = 600 * World.SECOND;
  private static final long QUIET_NANOS = 15 * World.SECOND;

  private Hunt() {}

  /** Runs the world of a seed, with nothing planted. */
  public static Verdict run(long seed) {
    return run(seed, Optional.empty(), ScheduleListener.NONE);
  }

  /** Runs the world of a seed, with a bug planted. */
  public static Verdict run(long seed, Plant plant) {
    return run(seed, Optional.of(plant), ScheduleListener.NONE);
  }

  /** Runs the world of a seed, with a bug planted or none, and lets {@code listener} hear of it. */
  static Verdict run(long seed, Optional<Plant> plant, ScheduleListener listener) {
    return run(seed, plant.map(Plant::planted).orElse(Planted.NOTHING), listener);
  }

  private static Verdict run(long seed, Planted plant, ScheduleListener listener) {
    SeededEnv env = SeededEnv.of(seed);
    env.limitSteps(MAX_STEPS);
    env.listen(listener);
    World world = new World(env, plant);
    Optional<String> failure;
    try {
      env.run(() -> live(world));
      failure = world.violation().map(v -> String.valueOf(v.getMessage()));
    } catch (Violation e) {
      failure = Optional.of(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      failure = Optional.of("a thread ended with " + e);
    }
    EventLog story = world.story();
    return new Verdict(
        seed,
        failure,
        story.last(),
        env.traceHash() ^ story.hash(),
        story.events(),
        env.nanoTime(),
        world.tally().counts());
  }

  private static void live(World world) {
    try {
      tell(world);
    } catch (Violation e) {
      world.violated(e);
    } finally {
      world.killAll(); // what is left of a world that failed would go on for ever
    }
  }

  private static void tell(World world) {
    RandomGenerator random = world.env().random("hunt");
    Files files = new Files(world, 1 + random.nextInt(2));
    world.group().ifPresent(SimGroup::start);
    world.startAll();
    int episodes = 1 + random.nextInt(3);
    for (int i = 0; i < episodes && world.violation().isEmpty(); i++) {
      int chapters = 2 + random.nextInt(5);
      int ranks = 1 + random.nextInt(MAX_RANKS);
      new Episode(world, files, i, ranks, false, member -> new Program(member, chapters).run())
          .run();
      world.heal(random);
      verify(world, files, i);
    }
    if (world.violation().isEmpty()) {
      world.stopAll();
      world.forgetUnforced();
      if (random.nextBoolean()) {
        world.decay(random);
      }
      world.startAll();
      verify(world, files, episodes);
    }
    if (world.violation().isEmpty()) {
      Contention.check(world);
    }
  }

  private static void verify(World world, Files files, int number) {
    if (world.violation().isPresent()) {
      return;
    }
    World.pause(world.env(), QUIET_NANOS); // what was under way is done or given up
    world.oracle().settled();
    world.nodes().forEach(Daemon::checkMemory);
    if (world.env().random("scrub " + number).nextInt(4) > 0) {
      long deadline = world.env().deadlineAfter(SCRUB_NANOS);
      world.nodes().forEach(node -> node.scrub(deadline));
    }
    new Episode(world, files, number, 1, true, member -> new Verification(member).run()).run();
  }
}
