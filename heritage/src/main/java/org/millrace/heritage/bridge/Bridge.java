package org.millrace.heritage.bridge;

import java.io.IOException;
import java.util.Objects;
import org.millrace.client.Agreement;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * The Bridge server's interface for one process, with its three ways to a file.
 *
 * <pre>
 *   block    0   1   2   3        row by row; column c is strand c
 *            4   5   6   7
 *            8   9  ...
 * </pre>
 *
 * The size of a block and the number of columns are fixed when a file is made, by {@code
 * stripeUnit} and {@code strands} of the options.
 *
 * <p>Belongs to the rank's thread. Needs no closing; what it opens does.
 */
public final class Bridge {

  private final Rank rank;

  /** For the processes of a group. */
  public Bridge(Rank rank) {
    this.rank = rank;
  }

  /** The sequential view: an ordinary file with a pointer of its own. Not synchronizing. */
  public SequentialFile open(String name, OpenOptions options) throws IOException {
    return new SequentialFile(LoneFile.open(rank, name, options.withMode(Mode.ATOMIC)));
  }

  /**
   * Parallel open: groups all processes to a job on the file. Synchronizing. The first to open is
   * the job controller; since the open is one meeting of all, here the first is rank 0.
   */
  public Job openParallel(String name, OpenOptions options) throws IOException {
    return openParallel(name, options, 0);
  }

  /**
   * As {@link #openParallel(String, OpenOptions)}, with a job controller that the program chooses.
   *
   * @throws BridgeException on all processes, if they choose differently or one that there is not
   */
  public Job openParallel(String name, OpenOptions options, int controller) throws IOException {
    rank.agree(
            Agreement.on("openParallel", name, controller)
                .giving("name", name)
                .giving("options", options)
                .checking(() -> Objects.checkIndex(controller, rank.size())))
        .orElseThrow(BridgeException::new);
    SharedFile file = rank.open(name, options, Mode.ORDERED);
    return new Job(rank, file, controller);
  }

  /** Direct access to the columns, each on its own. Not synchronizing. */
  public Columns openColumns(String name, OpenOptions options) throws IOException {
    return new Columns(LoneFile.open(rank, name, options.withMode(Mode.INDEPENDENT)));
  }
}
