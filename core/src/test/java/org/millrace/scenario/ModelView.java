package org.millrace.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.millrace.access.Pattern;
import org.millrace.access.View;

/**
 * A view and, beside it, the same thing told byte by byte. Immutable.
 *
 * @param view what the file is given
 * @param displacement where the first tile lies
 * @param bytes offsets of a tile's bytes, in the order of positions
 * @param extent from one tile to the next
 */
record ModelView(View view, int displacement, List<Integer> bytes, int extent) {

  static final ModelView WHOLE = new ModelView(View.WHOLE, 0, List.of(0), 1);

  int offsetOf(int position) {
    return displacement + position / bytes.size() * extent + bytes.get(position % bytes.size());
  }

  /** The first position that does not lie in a file of {@code size} bytes. */
  int end(int size) {
    int end = 0;
    while (!bytes.isEmpty() && offsetOf(end) < size) {
      end++;
    }
    return end;
  }

  /** Views for all ranks that have no byte in common. */
  static List<ModelView> disjoint(int ranks, Random random) {
    int displacement = random.nextInt(40);
    return switch (random.nextInt(3)) {
      case 0 -> interleaved(ranks, displacement, 1 + random.nextInt(20));
      case 1 ->
          columns(
              ranks, displacement, 1 + random.nextInt(9), 2 + random.nextInt(5), random.nextInt(7));
      default -> dealt(ranks, displacement, random);
    };
  }

  private static List<ModelView> interleaved(int ranks, int displacement, int unit) {
    List<ModelView> views = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      int start = displacement + r * unit;
      View view = new View(start, Pattern.run(unit), (long) ranks * unit);
      views.add(
          new ModelView(view, start, IntStream.range(0, unit).boxed().toList(), ranks * unit));
    }
    return views;
  }

  private static List<ModelView> columns(
      int ranks, int displacement, int width, int rows, int gap) {
    int row = ranks * width;
    List<ModelView> views = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      int first = r * width;
      Pattern tile = Pattern.loop(rows, row, Pattern.run(width)).shifted(first);
      List<Integer> bytes =
          IntStream.range(0, rows * width)
              .mapToObj(k -> first + k / width * row + k % width)
              .toList();
      int extent = rows * row + gap;
      views.add(new ModelView(new View(displacement, tile, extent), displacement, bytes, extent));
    }
    return views;
  }

  /** Each byte of a tile goes to any rank or to nobody; each rank has at least one. */
  private static List<ModelView> dealt(int ranks, int displacement, Random random) {
    int extent = ranks + random.nextInt(50);
    List<List<Integer>> hands = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      hands.add(new ArrayList<>(List.of(r)));
    }
    for (int b = ranks; b < extent; b++) {
      int to = random.nextInt(ranks + 1);
      if (to < ranks) {
        hands.get(to).add(b);
      }
    }
    boolean backwards = random.nextInt(4) == 0;
    List<ModelView> views = new ArrayList<>();
    for (List<Integer> hand : hands) {
      List<Integer> bytes = backwards ? hand.reversed() : hand;
      long[] offsets = bytes.stream().mapToLong(Integer::longValue).toArray();
      long[] lengths = bytes.stream().mapToLong(_ -> 1).toArray();
      View view = new View(displacement, Pattern.indexed(offsets, lengths), extent);
      views.add(new ModelView(view, displacement, List.copyOf(bytes), extent));
    }
    return views;
  }
}
