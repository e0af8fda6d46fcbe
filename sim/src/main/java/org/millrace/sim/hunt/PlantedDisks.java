package org.millrace.sim.hunt;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.millrace.disk.Disk;
import org.millrace.node.CopyVerdict;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.NodeReply;

/** Bugs at the disks. Stateless. */
final class PlantedDisks {

  private PlantedDisks() {}

  /** A block of the owner that has rotted is written to all its copies, and summed again. */
  static Planted scrubFromBadCopy() {
    return new Planted() {
      @Override
      public NodeOptions node(NodeOptions options) {
        return options.withJudge(
            (own, copies) -> {
              List<Integer> all = new ArrayList<>(List.of(CopyVerdict.OWNER));
              IntStream.range(0, copies.size()).forEach(all::add);
              return own == NodeReply.CopySums.BAD
                  ? new CopyVerdict(CopyVerdict.OWNER, all)
                  : CopyVerdict.of(own, copies);
            });
      }
    };
  }

  /** Forces of the nodes, or of the coordinator, do nothing. */
  static Planted removedFsync(boolean ofNodes) {
    return new Planted() {
      @Override
      public Disk disk(Daemon daemon, Disk disk) {
        if (ofNodes == daemon.isNode()) {
          daemon.disk().faults().dropForces(_ -> true);
        }
        return disk;
      }
    };
  }
}
