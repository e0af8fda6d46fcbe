package org.millrace.node;

import java.io.IOException;
import java.util.List;
import org.millrace.cache.Lease;
import org.millrace.disk.Placement;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The lease of a strand that may be closed meanwhile to make room for other strands: then it is
 * opened and asked again. For one thread.
 */
final class Lender {

  /** Something to be asked of a lease. */
  interface Question<T> {
    /** Asks; must have lent nothing if it fails. */
    T ask(Lease lease) throws IOException;
  }

  private final OpenStrands strands;
  private final long key;
  private OpenStrands.Open open;
  private Lease lease;

  Lender(OpenStrands strands, long key) throws IOException {
    this.strands = strands;
    this.key = key;
    this.open = strands.get(key);
    this.lease = open.strand.lease();
  }

  /** The lease that was asked last. */
  Lease lease() {
    return lease;
  }

  /** Where the strand lies on its disk. */
  List<Placement> placements() throws IOException {
    return ask(_ -> strands.placements(open));
  }

  <T> T ask(Question<T> question) throws IOException {
    while (true) {
      try {
        return question.ask(lease);
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.CLOSED || !open.isEvicted()) {
          throw e;
        }
        open = strands.get(key);
        lease = open.strand.lease();
      }
    }
  }
}
