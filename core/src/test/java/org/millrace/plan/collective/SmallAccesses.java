package org.millrace.plan.collective;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.millrace.access.Access;
import org.millrace.access.Distribution;
import org.millrace.access.Flat;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.Pattern;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.access.View;
import org.millrace.access.Worlds;
import org.millrace.layout.Layout;

/** Accesses small enough to look at each byte, complete within bounds or drawn from a seed. */
final class SmallAccesses {

  private SmallAccesses() {}

  /** A few dozen of all kinds: empty, contiguous, strided, nested, ragged, turning back. */
  static List<Access> all() {
    List<Access> all = new ArrayList<>();
    all.add(Access.NOTHING);
    List<Flat> tiles = new ArrayList<>(Worlds.kinds());
    tiles.add(Flat.loop(3, 4, Flat.run(2)));
    tiles.add(Flat.loop(2, 9, Flat.loop(2, 3, Flat.run(1))));
    tiles.add(Flat.sequence(0, Flat.loop(2, 4, Flat.run(1)), 9, Flat.run(2)));
    for (Flat tile : tiles) {
      long size = tile.pattern().size();
      long span = Math.max(1, tile.end() - tile.first());
      for (long displacement : new long[] {2, 3, 5, 11}) {
        for (long extent : new long[] {span, span + 3}) {
          View view = new View(displacement, tile.pattern(), extent);
          all.add(new Access(view, 0, size));
          if (size > 1) {
            all.add(new Access(view, 1, 2 * size - 1));
          }
        }
      }
    }
    return all;
  }

  /** The parts of all ranks of a small distributed array, some perhaps left out. */
  static List<Access> distributed(Random random) {
    int dims = 1 + random.nextInt(3);
    long[] shape = new long[dims];
    int[] grid = new int[dims];
    Spread[] spreads = new Spread[dims];
    for (int i = 0; i < dims; i++) {
      shape[i] = 1L + random.nextInt(7);
      grid[i] = 1 + random.nextInt(3);
      spreads[i] =
          switch (random.nextInt(3)) {
            case 0 -> Spread.block();
            case 1 -> Spread.cyclic();
            default -> Spread.blockCyclic(1 + random.nextInt(3));
          };
    }
    Order order = random.nextBoolean() ? Order.ROW_MAJOR : Order.COLUMN_MAJOR;
    Distribution all = Distribution.of(Shape.of(order, shape), Grid.of(grid), spreads);
    int element = 1 + random.nextInt(3);
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < all.grid().ranks(); rank++) {
      Pattern part = all.part(rank, element);
      View view = new View(16, part, all.shape().bytes(element));
      accesses.add(new Access(view, 0, part.size() * (1 + random.nextInt(2))));
    }
    return accesses;
  }

  /** Any accesses at all. */
  static List<Access> any(Random random) {
    List<Access> all = all();
    List<Access> some = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      some.add(all.get(random.nextInt(all.size())));
    }
    return some;
  }

  static Request request(boolean write, Access... accesses) {
    return request(write, Arrays.asList(accesses));
  }

  static Request request(boolean write, List<Access> accesses) {
    return new Request(write, Layout.striped(4, 2), accesses);
  }

  /** The file offset of each position. */
  static long[] offsets(Access access) {
    return LongStream.range(access.from(), access.to()).map(access.view()::offsetOf).toArray();
  }

  /** How often each byte is wanted by each rank: the oracle. */
  static SortedMap<Long, int[]> wanted(Request request) {
    SortedMap<Long, int[]> bytes = new TreeMap<>();
    for (int rank = 0; rank < request.ranks(); rank++) {
      for (long offset : offsets(request.accesses().get(rank))) {
        bytes.computeIfAbsent(offset, _ -> new int[request.ranks()])[rank]++;
      }
    }
    return bytes;
  }

  /** Whether a byte is wanted by two ranks. */
  static boolean overlap(Request request) {
    return wanted(request).values().stream()
        .anyMatch(counts -> Arrays.stream(counts).filter(count -> count > 0).count() > 1);
  }
}
