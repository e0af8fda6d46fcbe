package org.millrace.coordinator;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
   * What each rank was told, by its part.
   *
   * @param parts of one call
   * @param size how many ranks the group has
   * @return empty if no rank was told anything, not all are known, or they contradict each other
   */
  static Optional<Map<SplitPart, CoordinatorReply.Split>> found(List<SplitPart> parts, int size) {
    List<SplitPart> byRank =
        parts.stream().sorted(Comparator.comparingInt(SplitPart::rank)).toList();
    for (int rank = 0; rank < byRank.size(); rank++) {
      if (byRank.get(rank).rank() != rank) {
        return Optional.empty();
      }
    }
    List<Integer> colors =
        parts.stream().map(SplitPart::color).filter(c -> c >= 0).distinct().sorted().toList();
    return parts.stream()
        .filter(part -> part.told() != SplitPart.UNANSWERED && byRank.size() == size)
        .map(part -> part.told() - Math.max(0, colors.indexOf(part.color())))
        .findFirst()
        .map(first -> all(byRank, colors, first))
        .filter(Splits::isConsistent);
  }

  private static boolean isConsistent(Map<SplitPart, CoordinatorReply.Split> all) {
    return all.entrySet().stream()
        .allMatch(
            one ->
                one.getKey().told() == SplitPart.UNANSWERED
                    || one.getKey().told() == one.getValue().group());
  }

  private static Map<SplitPart, CoordinatorReply.Split> all(
      List<SplitPart> byRank, List<Integer> colors, long first) {
    Map<SplitPart, CoordinatorReply.Split> told = new HashMap<>();
    byRank.forEach(part -> told.put(part, new CoordinatorReply.Split(first, -1, 0)));
    for (int i = 0; i < colors.size(); i++) {
      int color = colors.get(i);
      List<SplitPart> members = // stable: equal keys keep their order
          byRank.stream()
              .filter(part -> part.color() == color)
              .sorted(Comparator.comparingInt(SplitPart::key))
              .toList();
      for (int rank = 0; rank < members.size(); rank++) {
        told.put(members.get(rank), new CoordinatorReply.Split(first + i, rank, members.size()));
      }
    }
    return told;
  }
}
