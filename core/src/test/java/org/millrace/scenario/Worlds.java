package org.millrace.scenario;

import java.util.List;

/** Makes worlds of one kind, each for one run of one scenario. */
interface Worlds {

  /** What a scenario does in a world. */
  @FunctionalInterface
  interface Scenario {
    void run(World world) throws Exception;
  }

  /**
   * How a world's cluster is built.
   *
   * @param nodes how many nodes
   * @param stripeUnitBytes the stripe unit of files that do not ask for one
   */
  record Build(int nodes, long stripeUnitBytes) {

    static final long DEFAULT_UNIT = 64 << 10;

    /**
     * One strand; units far smaller than any request and never aligned; a few units in a request;
     * the default.
     */
    static final List<Build> ALL =
        List.of(
            new Build(1, DEFAULT_UNIT),
            new Build(3, 7),
            new Build(4, 100),
            new Build(4, DEFAULT_UNIT));

    /** The build to use with a seed. */
    static Build of(long seed) {
      return ALL.get(Math.floorMod(seed, ALL.size()));
    }
  }

  /**
   * Runs the scenario in a fresh world of the given build; under chance, once for each of some
   * seeds.
   */
  void in(Build build, Scenario scenario) throws Exception;

  /**
   * Runs the scenario once, in a fresh world; where chance decides the course, {@code seed} decides
   * chance.
   */
  void under(long seed, Build build, Scenario scenario) throws Exception;

  /**
   * Runs the scenario in fresh worlds of all builds; under chance, as many builds as there are
   * seeds.
   */
  void inEach(Scenario scenario) throws Exception;
}
