package org.millrace.heritage.vesta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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
    return OpenOptions.create().stripeUnit(bsuBytes).strands(cells);
  }

  /**
   * {@code open()}: a subfile with an offset of its own. Not synchronizing. A process may have
   * several open, of the same file, too.
   */
  public Subfile open(String name, OpenOptions options, Partition partition) throws IOException {
    return subfile(rank.alone(), name, options, partition, SpmdMode.B);
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
   *     schemes, if in modes C to F they are not the same, or if modes differ
   */
  public Subfile open(String name, OpenOptions options, Partition partition, SpmdMode mode)
      throws IOException {
    agree(partition, mode);
    return subfile(rank, name, options, partition, mode);
  }

  private static Subfile subfile(
      Rank group, String name, OpenOptions options, Partition partition, SpmdMode mode)
      throws IOException {
    SharedFile file = group.open(name, options.mode(Mode.M_ASYNC));
    file.setView(partition.view(file.layout().stripeUnitBytes(), file.layout().strands()));
    if (mode.mode() != Mode.M_ASYNC) {
      file.setMode(mode.mode());
    }
    return new Subfile(group, file, mode);
  }

  /** All processes look at what all have said, so all come to the same end. */
  private void agree(Partition mine, SpmdMode mode) throws IOException {
    List<Partition> partitions = new ArrayList<>();
    byte[] said =
        ByteBuffer.allocate(6 * Long.BYTES)
            .putLong(mine.vgs())
            .putLong(mine.vi())
            .putLong(mine.hgs())
            .putLong(mine.hi())
            .putLong(mine.number())
            .putLong(mode.ordinal())
            .array();
    for (byte[] one : rank.allGather(said)) {
      ByteBuffer in = ByteBuffer.wrap(one);
      Partition partition =
          new Partition(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
      SpmdMode other = SpmdMode.values()[(int) in.getLong()];
      if (other != mode) {
        throw new VestaException("opened in mode " + mode + " and in mode " + other);
      }
      check(mode, partitions, partition);
      partitions.add(partition);
    }
  }

  private static void check(SpmdMode mode, List<Partition> before, Partition next)
      throws VestaException {
    if (before.isEmpty() || mode == SpmdMode.B) {
      return;
    }
    String who = "process " + before.size() + " opens " + next;
    if (mode != SpmdMode.A) {
      if (!next.equals(before.getFirst())) {
        throw new VestaException(
            who + " in mode " + mode + ", process 0 opens " + before.getFirst());
      }
      return;
    }
    if (!next.sameScheme(before.getFirst())) {
      throw new VestaException(who + ", another scheme than process 0's " + before.getFirst());
    }
    int same = before.indexOf(next);
    if (same >= 0) {
      throw new VestaException(who + " in mode A, and so does process " + same);
    }
  }
}
