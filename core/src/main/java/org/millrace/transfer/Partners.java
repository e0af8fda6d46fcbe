package org.millrace.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.access.group.Digest;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.plan.Domains;
import org.millrace.plan.collective.DigestPlanner;
import org.millrace.plan.collective.Plan;
import org.millrace.plan.collective.Planned;
import org.millrace.plan.collective.Request;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.RankRequest;

/**
 * Two-phase calls in which no rank knows all requests: each rank sends its request to the
 * aggregators of the file domains that it touches. After a meeting says that all ranks have done
 * so, an aggregator knows its partners. Messages and memory grow with the number of pairs that have
 * bytes in common.
 *
 * <p>For one call of one rank; used by one thread.
 */
public final class Partners {

  // constant after construction
  private final TransferContext carrier;
  private final Ranks ranks;
  private final CollectiveId collective;
  private final ReceiveBuffer own;

  /** A rank's part in a call. */
  public Partners(
      TransferContext carrier, Ranks ranks, CollectiveId collective, ReceiveBuffer own) {
    this.carrier = carrier;
    this.ranks = ranks;
    this.collective = collective;
    this.own = own;
  }

  /** Tells the aggregators that have something of an access; returns when all have heard it. */
  public void tell(Plan.Exchanging plan, Access access) throws IOException {
    List<Pending> sent = new ArrayList<>();
    for (int rank : aggregators(plan.domains(), access)) {
      if (rank == ranks.own()) {
        own.want(rank, access);
      } else {
        sent.add(
            carrier
                .participants()
                .apply(ranks.participant(rank))
                .start(new RankRequest.Want(collective, ranks.own(), access), Payload.NONE));
      }
    }
    AwaitAll.all(sent, carrier::deadline);
  }

  /** The ranks whose file domains have something of an access, whose view ascends. */
  static SortedSet<Integer> aggregators(Domains domains, Access access) {
    TreeSet<Integer> found = new TreeSet<>();
    long position = access.from();
    while (position < access.to() && found.size() < domains.aggregators()) {
      long block = domains.blockOf(access.view().offsetOf(position));
      found.add(domains.rankOf((int) (block % domains.aggregators())));
      Extent domain = domains.block(block);
      position = access.from() + access.below(domain.end());
    }
    return found;
  }

  /**
   * The plan with all accesses that partners announced to this rank; valid when all ranks have sent
   * theirs.
   */
  public Planned told(Planned planned, Digest digest) {
    Request known = planned.plan().request();
    Request partners =
        DigestPlanner.request(known.write(), known.layout(), digest, own.wants(), known.array());
    return DigestPlanner.withPartners(planned, partners);
  }
}
