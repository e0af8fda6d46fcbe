package org.millrace.heritage.piofs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.millrace.client.Agreement;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.heritage.vesta.Partition;

/**
 * PIOFS for one task of a group. Partitioning is Vesta's, and so is a file's structure: its BSUs
 * and cells are the stripe units and strands of its maker, which the options give for a file that
 * is made. Opens without the library are Vesta's, too.
 *
 * <p>Belongs to the rank's thread. Needs no closing; its files do.
 */
public final class Piofs {

  private final Rank rank;

  /** PIOFS for the tasks of a group. */
  public Piofs(Rank rank) {
    this.rank = rank;
  }

  /**
   * Opens for all tasks of the group. Synchronizing.
   *
   * @param partition the task's own subfile in the modes private and coordinated, else the one that
   *     all share
   * @throws PiofsException on all tasks, if modes differ, if subfiles that must be disjoint are
   *     not, if those that must be the same are not, or if the numbers of any are too large to
   *     compute with
   */
  public PiofsFile open(String name, OpenOptions options, Partition partition, PiofsMode mode)
      throws IOException {
    agree(partition, mode);
    SharedFile file = rank.open(name, options, Mode.INDEPENDENT);
    if (!partition.trySetView(rank, file)) {
      throw new PiofsException(
          "%s, or another task's partition, reaches too far for %s".formatted(partition, name));
    }
    if (mode == PiofsMode.SHARED) {
      file.setMode(Mode.SHARED);
    } else if (mode == PiofsMode.COLLECTIVE) {
      file.setMode(Mode.ORDERED);
    }
    return new PiofsFile(rank, file, mode);
  }

  private void agree(Partition mine, PiofsMode mode) throws IOException {
    rank.agree(Agreement.on("open", mode).giving("mode", mode).giving("partition", mine))
        .orElseThrow(PiofsException::new);
    List<Partition> partitions = Partition.allGather(rank, mine);
    Optional<String> wrong =
        switch (mode) {
          case PRIVATE, COORDINATED -> Partition.overlap(partitions);
          case SHARED, COLLECTIVE -> Partition.difference(partitions);
        };
    if (wrong.isPresent()) {
      throw new PiofsException(mode + ": " + wrong.get());
    }
  }
}
