package org.millrace.heritage.elfs;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.array.ElementType;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.client.Agreement;
import org.millrace.client.Rank;

/**
 * A matrix file dealt out to the ranks: the additional class for parallel I/O that the survey
 * misses in ELFS. Each rank has a part; parts are moved by all ranks together.
 *
 * <p>Belongs to the rank's thread. Closing waits for what is under way; it is idempotent.
 */
public final class DistributedMatrixFile extends MatrixFile {

  /** How the matrix is dealt out. */
  public enum Decomposition {
    /** Blocks of rows. */
    ROWS,
    /** Blocks of columns. */
    COLUMNS,
    /** Blocks in both dimensions, on as square a grid of ranks as there is. */
    BLOCKS;

    /** A matrix, dealt out. */
    public Distribution of(long rows, long columns, int ranks) {
      Shape shape = Shape.rowMajor(rows, columns);
      return switch (this) {
        case ROWS -> Distribution.of(shape, Grid.of(ranks, 1), Spread.block(), Spread.none());
        case COLUMNS -> Distribution.of(shape, Grid.of(1, ranks), Spread.none(), Spread.block());
        case BLOCKS ->
            Distribution.of(shape, Grid.balanced(ranks, 2), Spread.block(), Spread.block());
      };
    }
  }

  private final Distribution distribution;

  private DistributedMatrixFile(GlobalArray array, Decomposition decomposition) throws IOException {
    super(array);
    this.distribution = decomposition.of(rows(), columns(), rank().size());
  }

  /** Makes a file for a matrix of zeros; one of this name is replaced. Collective. */
  public static DistributedMatrixFile create(
      Rank rank,
      String path,
      long rows,
      long columns,
      ElementType type,
      Decomposition decomposition)
      throws IOException {
    agree(rank, decomposition);
    return new DistributedMatrixFile(made(rank, path, rows, columns, type), decomposition);
  }

  /** Opens a matrix file, by any number of ranks and dealt out in any way. Collective. */
  public static DistributedMatrixFile open(Rank rank, String path, Decomposition decomposition)
      throws IOException {
    agree(rank, decomposition);
    return new DistributedMatrixFile(found(rank, path), decomposition);
  }

  private static void agree(Rank rank, Decomposition decomposition) throws IOException {
    rank.agree(Agreement.on("decomposition", decomposition).giving("decomposition", decomposition))
        .orThrow();
  }

  /** How it is dealt out. */
  public Distribution distribution() {
    return distribution;
  }

  /** The shape of this rank's part. */
  public Shape part() {
    return distribution.localShape(rank().number());
  }

  /** Reads this rank's part, all ranks together. Returns how many bytes. */
  public long readPart(Local into) throws IOException {
    return array().readDistributed(distribution, into);
  }

  /** As {@link #readPart}, while the program goes on. */
  public CompletableFuture<Long> readPartAsync(Local into) throws IOException {
    return array().readDistributedAsync(distribution, into);
  }

  /** As {@link #writePart}, while the program goes on. */
  public CompletableFuture<Long> writePartAsync(Local from) throws IOException {
    return array().writeDistributedAsync(distribution, from);
  }

  /** Writes this rank's part, all ranks together. Returns how many bytes. */
  public long writePart(Local from) throws IOException {
    return array().writeDistributed(distribution, from);
  }
}
