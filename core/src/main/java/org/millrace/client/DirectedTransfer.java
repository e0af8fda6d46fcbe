package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.access.Places;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Pending;
import org.millrace.plan.Plan;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.NodeRequest;

/**
 * Disk-directed I/O, seen from a rank: it tells every node that has something for anybody what it
 * wants and where its memory is, and waits until all have served all. Every rank hears every node's
 * outcome, so all ranks end alike without meeting again.
 *
 * <p>Safe for use by several threads; holds no state.
 */
final class DirectedTransfer {

  // constant after construction
  private final Session session;
  private final Strands strands;
  private final int rank;

  DirectedTransfer(Session session, Strands strands, int rank) {
    this.session = session;
    this.strands = strands;
    this.rank = rank;
  }

  /** A part of the memory and the positions that belong to it. */
  private record Share(Access access, Places places, MemorySegment segment) {}

  void run(Plan.DiskDirected plan, CollectiveId collective, Memory memory) throws IOException {
    List<Share> shares = shares(plan.request().accesses().get(rank), memory);
    List<Integer> wanted = plan.strands();
    Pending[][] pending = new Pending[wanted.size()][shares.size()];
    for (int i = 0; i < pending.length; i++) {
      int turn = (i + rank) % pending.length; // not all ranks to the first node first
      for (int part = 0; part < shares.size(); part++) {
        Share share = shares.get(part);
        var request =
            new NodeRequest.Direct(
                strands.id(wanted.get(turn)),
                collective,
                plan.request().write(),
                rank,
                plan.request().ranks(),
                part,
                shares.size(),
                plan.depth(),
                strands.layout(),
                share.access,
                share.places);
        pending[turn][part] = strands.startDirect(request, share.segment);
      }
    }
    MillraceException failure = null;
    for (int i = 0; i < pending.length; i++) {
      for (Pending one : pending[i]) {
        MillraceException its = outcome(wanted.get(i), collective, one);
        failure = failure == null ? its : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private @Nullable MillraceException outcome(
      int strand, CollectiveId collective, Pending pending) {
    try {
      await(strand, collective, pending);
      return null;
    } catch (IOException e) {
      return MillraceException.wrap(ErrorCode.DISK, e);
    }
  }

  private void await(int strand, CollectiveId collective, Pending pending) throws IOException {
    try {
      pending.await(session.meetingDeadline());
    } catch (DeadlineException e) {
      if (pending.isDone()) {
        throw e;
      }
      strands.withdraw(strand, collective);
      pending.await(session.deadline());
    }
  }

  private static List<Share> shares(Access access, Memory memory) {
    List<Share> shares = new ArrayList<>(memory.parts().size());
    long from = access.from();
    for (Memory.Part part : memory.parts()) {
      long to = Math.min(access.to(), from + part.size());
      if (from < to) {
        shares.add(new Share(new Access(access.view(), from, to), part.places(0), part.segment()));
      }
      from = to;
    }
    if (shares.isEmpty()) {
      shares.add(new Share(Access.NOTHING, Places.packed(0), Session.NOTHING));
    }
    return shares;
  }
}
