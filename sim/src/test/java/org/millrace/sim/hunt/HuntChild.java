package org.millrace.sim.hunt;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Hunts in a process of its own, and prints the hash of each seed. Stateless. */
final class HuntChild {

  private HuntChild() {}

  /** Arguments: how many seeds, and how many at a time. */
  public static void main(String[] args) {
    Logger notices = Logger.getLogger("org.millrace");
    notices.setLevel(Level.OFF);
    int seeds = Integer.parseInt(args[0]);
    Map<Long, Verdict> verdicts = new ConcurrentHashMap<>();
    new Campaign(
            1, seeds, Optional.empty(), seeds, v -> verdicts.put(v.seed(), v), Optional.empty())
        .run(Integer.parseInt(args[1]));
    for (long seed = 1; seed <= seeds; seed++) {
      Verdict verdict = Objects.requireNonNull(verdicts.get(seed), "verdict");
      System.out.println(
          seed + " " + verdict.traceHash() + " " + verdict.failure().orElse("clean"));
    }
  }
}
