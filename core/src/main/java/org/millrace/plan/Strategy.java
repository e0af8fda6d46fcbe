package org.millrace.plan;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The strategies for collective requests. */
public enum Strategy {
  /** Each rank, each run, on its own: the honest baseline. */
  DIRECT,
  /** Each rank sends lists of its runs to the nodes, which pick them out of whole blocks. */
  SIEVED,
  /** Ranks read equal contiguous parts whole, then redistribute them. */
  TWO_PHASE,
  /** Ranks read what is wanted of their file domains, sieved, and hand out the pieces. */
  EXTENDED_TWO_PHASE,
  /** The nodes go through their blocks in order and serve all ranks from each. */
  DISK_DIRECTED,
  /** The cheapest of these by the cost model. */
  AUTO;

  /** As it is written in options and tables: lower case with dashes. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The strategy of this name, in either spelling. */
  public static Strategy parse(String text) {
    String wanted = text.trim().toLowerCase(Locale.ROOT).replace('_', '-');
    for (Strategy one : values()) {
      if (one.word().equals(wanted)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "unknown strategy '"
            + text
            + "': use one of "
            + Arrays.stream(values()).map(Strategy::word).collect(Collectors.joining(", ")));
  }
}
