package org.millrace.transfer;

import java.util.List;

/**
 * A group of ranks, seen by one of them. Immutable.
 *
 * @param own the number of the rank that sees it
 * @param participants the participants, by rank
 */
public record Ranks(int own, List<Integer> participants) {

  int participant(int rank) {
    return participants.get(rank);
  }
}
