package org.millrace.heritage.vesta;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.millrace.client.Agreement;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * Vesta for one process: opens subfiles. A file's structure, the size of its BSUs and the number of
 * its cells, is fixed when it is made: by {@code stripeUnit} and {@code strands} of the options, or
 * {@link #structure}. For a file that exists they mean nothing; whatever interface made it, its
 * stripe units are the BSUs and its strands the cells. If there are fewer nodes than cells, cells
 * go round the nodes.
 *
 * <p>Belongs to the rank's thread. Needs no closing; its subfiles do.
 */
public final class Vesta {

  private final Rank rank;

  /** Vesta for the processes of a group. */
  public Vesta(Rank rank) {
    this.rank = rank;
  }

  /** Options that make a file of this structure if there is none, for reading and writing. */
  public static OpenOptions structure(long bsuBytes, int cells) {
    return OpenOptions.create().withStripeUnit(bsuBytes).withStrands(cells);
  }

  /**
   * {@code open()}: a subfile with an offset of its own. Not synchronizing. A process may have
   * several open, of the same file, too.
   *
   * @throws VestaException if the numbers of the partition are too large to compute with
   */
  public Subfile open(String name, OpenOptions options, Partition partition) throws IOException {
    Rank lone = rank.alone();
    try {
      return subfile(lone, name, options, partition, SpmdMode.B).endingItsGroup();
    } catch (IOException | RuntimeException e) {
      try {
        lone.leave("");
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }

  /**
   * {@code open_shared()}: a subfile with one offset for all processes of the group, which each
   * access fetches and adds to. Synchronizing: the processes agree here on what they share.
   *
   * @throws VestaException on all if they give different partitions
   */
  public Subfile openShared(String name, OpenOptions options, Partition partition)
      throws IOException {
    return open(name, options, partition, SpmdMode.C);
  }

  /**
   * Opens by the SPMD library. Synchronizing. The text lets processes share "partitions" in modes C
   * to F; here all of a group share one. Those who want several groups of sharers split theirs.
   *
   * @throws VestaException on all processes, if in mode A subfiles overlap or belong to different
   *     schemes, if in modes C to F they are not the same, if modes differ, or if the numbers of
   *     any partition are too large to compute with
   */
  public Subfile open(String name, OpenOptions options, Partition partition, SpmdMode mode)
      throws IOException {
    agree(partition, mode);
    return subfile(rank, name, options, partition, mode);
  }

  private static Subfile subfile(
      Rank group, String name, OpenOptions options, Partition partition, SpmdMode mode)
      throws IOException {
    SharedFile file = group.open(name, options, Mode.INDEPENDENT);
    if (!partition.trySetView(group, file)) {
      throw new VestaException(
          "%s, or another process's partition, reaches too far for %s".formatted(partition, name));
    }
    if (mode.mode() != Mode.INDEPENDENT) {
      file.setMode(mode.mode());
    }
    return new Subfile(group, file, mode);
  }

  /** All processes look at what all have said, so all come to the same end. */
  private void agree(Partition mine, SpmdMode mode) throws IOException {
    rank.agree(Agreement.on("open", mode).giving("mode", mode).giving("partition", mine))
        .orElseThrow(VestaException::new);
    List<Partition> partitions = Partition.allGather(rank, mine);
    Optional<String> wrong =
        switch (mode) {
          case A -> Partition.overlap(partitions);
          case B -> Optional.empty();
          case C, D, E, F -> Partition.difference(partitions);
        };
    if (wrong.isPresent()) {
      throw new VestaException("mode " + mode + ": " + wrong.get());
    }
  }
}
