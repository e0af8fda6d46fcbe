package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.Recalled.SplitPart;

/**
 * Finds what a split told all ranks from what all wanted and what some were told. New groups have
 * numbers one after the other, in the order of their colors, so one number that was told gives all.
 * Pure functions.
 */
final class Splits {

  private Splits() {}

  /**
   * What each rank was told, by rank.
   *
   * @param parts of one call
   * @param size how many ranks the group has
   * @return empty if no rank was told anything, not all are known, or they contradict each other
   */
  static Optional<Map<Integer, CoordinatorReply.Split>> found(
      Collection<SplitPart> parts, int size) {
    TreeMap<Integer, SplitPart> byRank = new TreeMap<>();
    parts.forEach(part -> byRank.put(part.rank(), part));
    boolean whole = byRank.size() == size && byRank.firstKey() == 0 && byRank.lastKey() == size - 1;
    if (!whole || parts.size() != size) {
      return Optional.empty();
    }
    List<Integer> colors =
        parts.stream().map(SplitPart::color).filter(c -> c >= 0).distinct().sorted().toList();
    Optional<Long> first =
        parts.stream()
            .filter(part -> part.told() != SplitPart.UNANSWERED)
            .map(part -> part.told() - Math.max(0, colors.indexOf(part.color())))
            .findFirst();
    return first
        .map(number -> all(byRank, colors, number))
        .filter(
            told ->
                parts.stream()
                    .filter(part -> part.told() != SplitPart.UNANSWERED)
                    .allMatch(part -> told.get(part.rank()).group() == part.told()));
  }

  private static Map<Integer, CoordinatorReply.Split> all(
      TreeMap<Integer, SplitPart> byRank, List<Integer> colors, long first) {
    Map<Integer, CoordinatorReply.Split> told = new HashMap<>();
    byRank.forEach((rank, _) -> told.put(rank, new CoordinatorReply.Split(first, -1, 0)));
    for (int i = 0; i < colors.size(); i++) {
      int color = colors.get(i);
      List<SplitPart> members =
          new ArrayList<>(byRank.values().stream().filter(p -> p.color() == color).toList());
      members.sort(Comparator.comparingInt(SplitPart::key)); // stable: equal keys keep their order
      for (int rank = 0; rank < members.size(); rank++) {
        told.put(
            members.get(rank).rank(), new CoordinatorReply.Split(first + i, rank, members.size()));
      }
    }
    return told;
  }
}
