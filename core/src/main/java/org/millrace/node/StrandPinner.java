package org.millrace.node;

import java.io.IOException;
import java.util.List;
import org.millrace.cache.BlockPinner;
import org.millrace.disk.DiskExtent;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Pins blocks of a strand. If the strand is evicted meanwhile, it opens the strand again and
 * repeats the action. For one thread.
 */
final class StrandPinner {

  /** An action on a strand's blocks. */
  interface Action<T> {
    /** Runs the action; it must have pinned nothing if it fails. */
    T apply(BlockPinner pinner) throws IOException;
  }

  private final OpenStrands strands;
  private final long key;
  private OpenStrands.Open open;
  private BlockPinner pinner;

  StrandPinner(OpenStrands strands, long key) throws IOException {
    this.strands = strands;
    this.key = key;
    this.open = strands.get(key);
    this.pinner = open.strand.pinner();
  }

  /** The pinner that the last action used. */
  BlockPinner pinner() {
    return pinner;
  }

  /** Where the strand lies on its disk. */
  List<DiskExtent> placements() throws IOException {
    return with(_ -> strands.placements(open));
  }

  <T> T with(Action<T> action) throws IOException {
    while (true) {
      try {
        return action.apply(pinner);
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.CLOSED || !open.isEvicted()) {
          throw e;
        }
        open = strands.get(key);
        pinner = open.strand.pinner();
      }
    }
  }
}
