package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.millrace.coordinator.ReplicatedLog;

/**
 * A membership whose leases the group watches: no two may be valid at once. For threads of the
 * world's environment.
 *
 * @param real the membership
 * @param group that watches
 */
record WatchedLog(ReplicatedLog real, SimGroup group) implements ReplicatedLog {

  @Override
  public Optional<Office> awaitOffice() throws IOException {
    Optional<Office> office = real.awaitOffice();
    office.ifPresent(one -> group.watch(one.lease()));
    return office;
  }

  @Override
  public void resign() {
    real.resign();
  }

  @Override
  public List<MemberState> members() {
    return real.members();
  }

  @Override
  public void close() throws IOException {
    real.close();
  }
}
