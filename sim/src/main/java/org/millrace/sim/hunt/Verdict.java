package org.millrace.sim.hunt;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What came of one seed.
 *
 * @param seed the seed
 * @param failure what a checker found; empty if all was well
 * @param story the last events, oldest first
 * @param traceHash equal for equal schedules
 * @param events how many events the story had
 * @param virtualNanos how long it was, in virtual time
 * @param counts how often what happened, by {@link Occurrence} and name
 */
public record Verdict(
    long seed,
    Optional<String> failure,
    List<String> story,
    long traceHash,
    long events,
    long virtualNanos,
    Map<String, Long> counts) {

  /** Keeps a copy of the story and the counts. */
  public Verdict {
    story = List.copyOf(story);
    counts = Map.copyOf(counts);
  }

  /** Whether all was well. */
  public boolean isClean() {
    return failure.isEmpty();
  }
}
