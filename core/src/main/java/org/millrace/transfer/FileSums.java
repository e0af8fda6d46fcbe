package org.millrace.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.millrace.access.copy.Crc32cJoin;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * Checksums of a file's bytes without transferring them: each node sums its stripe units, all nodes
 * at the same time, and this side combines the sums in file order.
 *
 * <p>Holds no state but the file's identity.
 */
final class FileSums {

  /** How much is requested at a time, so that no node is busy for long. */
  private static final long MAX_BYTES = 32L << 20;

  /** How many sums are requested at a time. */
  private static final long MAX_SUMS = 1 << 15;

  // constant after construction
  private final TransferContext carrier;
  private final Layout layout;
  private final long file;
  private final StrandLinks links;

  FileSums(TransferContext carrier, Layout layout, long file, StrandLinks links) {
    this.carrier = carrier;
    this.layout = layout;
    this.file = file;
    this.links = links;
  }

  /** The checksum of the bytes from one to before another. */
  int of(long from, long to) throws IOException {
    long unit = layout.stripeUnitBytes();
    long max = unit >= MAX_BYTES ? MAX_BYTES : Math.min(MAX_BYTES, unit * MAX_SUMS);
    int sum = 0;
    for (long at = from; at < to; ) {
      long end = to - at > max ? at + max : to;
      sum = add(sum, at, end, ask(at, end));
      at = end;
    }
    return sum;
  }

  /** The sums of each strand's units. */
  private List<List<Integer>> ask(long from, long to) throws IOException {
    List<Pending> pending = new ArrayList<>();
    for (int s = 0; s < links.count(); s++) {
      StrandId id = new StrandId(file, s);
      long begin = layout.strandSize(s, from);
      long end = layout.strandSize(s, to);
      var wanted = new NodeRequest.Sum(id, begin, end, layout.stripeUnitBytes());
      if (begin < end) {
        pending.add(links.get(s).start(wanted, MemorySegment.NULL));
      }
    }
    AwaitAll.all(pending, carrier::deadline);
    List<List<Integer>> sums = new ArrayList<>();
    int next = 0;
    for (int s = 0; s < links.count(); s++) {
      boolean touched = layout.strandSize(s, from) < layout.strandSize(s, to);
      sums.add(touched ? sums(pending.get(next++)) : List.of());
    }
    return sums;
  }

  private List<Integer> sums(Pending answered) throws IOException {
    return ((NodeReply.Sums) answered.await(carrier.deadline())).sums();
  }

  private int add(int before, long from, long to, List<List<Integer>> sums)
      throws MillraceException {
    long unit = layout.stripeUnitBytes();
    int[] taken = new int[sums.size()];
    int sum = before;
    for (long at = from; at < to; ) {
      long end = Math.min(to, at + (unit - at % unit));
      int s = layout.strandOf(at);
      if (taken[s] == sums.get(s).size()) {
        throw new MillraceException(
            ErrorCode.PROTOCOL, "strand %s has too few checksums: %s".formatted(s, sums.get(s)));
      }
      sum = Crc32cJoin.join(sum, sums.get(s).get(taken[s]++), end - at);
      at = end;
    }
    return sum;
  }
}
