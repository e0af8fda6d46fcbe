package org.millrace.sim.scale;

import java.util.Locale;
import org.millrace.access.Grid;
import org.millrace.access.Pattern;
import org.millrace.access.View;

/**
 * How the ranks share the file. All ranks have the same number of bytes, for any number of ranks.
 */
public enum Sharing {
  /** One contiguous part for each rank. */
  BLOCKS,
  /** Records dealt to the ranks in turn. */
  RECORDS,
  /** A matrix of rows, dealt in rectangular tiles, one for each rank. */
  TILES;

  /** What a rank has of the file. */
  public static final int RANK_BYTES = 512 << 10;

  /** Bytes of a record. */
  public static final int RECORD_BYTES = 4 << 10;

  /** Bytes of a row of a tile. */
  public static final int TILE_ROW_BYTES = 2 << 10;

  /** As it is written in tables. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** How many runs a rank has. */
  public int runs() {
    return switch (this) {
      case BLOCKS -> 1;
      case RECORDS -> RANK_BYTES / RECORD_BYTES;
      case TILES -> RANK_BYTES / TILE_ROW_BYTES;
    };
  }

  /** What a rank sees of the file. */
  View view(int rank, int ranks) {
    long file = (long) RANK_BYTES * ranks;
    return switch (this) {
      case BLOCKS -> new View((long) RANK_BYTES * rank, Pattern.run(RANK_BYTES), RANK_BYTES);
      case RECORDS -> {
        Pattern run = Pattern.run(RECORD_BYTES);
        Pattern part = Pattern.loop(runs(), (long) RECORD_BYTES * ranks, run);
        yield new View((long) RECORD_BYTES * rank, part, file);
      }
      case TILES -> {
        Grid grid = Grid.balanced(ranks, 2);
        int columns = grid.dimension(1);
        long row = (long) TILE_ROW_BYTES * columns;
        Pattern part = Pattern.loop(runs(), row, Pattern.run(TILE_ROW_BYTES));
        long start = (long) rank / columns * runs() * row + (long) rank % columns * TILE_ROW_BYTES;
        yield new View(start, part, file);
      }
    };
  }
}
