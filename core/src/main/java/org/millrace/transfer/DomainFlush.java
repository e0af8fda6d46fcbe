package org.millrace.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.Access;
import org.millrace.message.Pending;

/**
 * How an aggregator makes durable what it has written of its file domain. Where nodes hear with
 * each write that it will be flushed, disks begin with the first chunk, and each strand is flushed
 * once, when all chunks are there. Where the aggregator writes into their memory by itself they
 * hear nothing, so each chunk is flushed when it is written.
 *
 * <p>For one transfer; used by its thread.
 */
final class DomainFlush {

  // constant after construction
  private final Strands strands;
  private final boolean wanted;
  private final boolean isTold;

  // owned by the thread of the transfer
  private final boolean[] written; // strands that are still to be flushed
  private final List<Pending> underWay = new ArrayList<>();

  /** Of a file domain of which nothing was written; {@code wanted} if anything is to be flushed. */
  DomainFlush(Strands strands, boolean wanted) {
    this.strands = strands;
    this.wanted = wanted;
    this.isTold = wanted && !strands.isMapped();
    this.written = new boolean[wanted ? strands.layout().strands() : 0];
  }

  /** Whether nodes are told with each write that it will be flushed. */
  boolean isTold() {
    return isTold;
  }

  /** A chunk was written. */
  void onWritten(Access chunk) {
    if (!wanted) {
      return;
    }
    boolean[] touched = strands.layout().touches(chunk.view(), chunk.from(), chunk.to());
    if (!isTold) {
      underWay.addAll(strands.startFlush(touched));
      return;
    }
    for (int s = 0; s < touched.length; s++) {
      written[s] |= touched[s];
    }
  }

  /** All chunks were written: returns when they are durable. */
  void finish() throws IOException {
    if (isTold) {
      underWay.addAll(strands.startFlush(written));
    }
    strands.await(underWay);
  }

  /** The transfer has failed: nobody waits for what is under way. */
  void abandon() {
    underWay.forEach(Pending::abandon);
  }
}
