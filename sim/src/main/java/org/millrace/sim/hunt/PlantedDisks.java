package org.millrace.sim.hunt;

import org.millrace.disk.Disk;

/** Bugs at the disks. Stateless. */
final class PlantedDisks {

  private PlantedDisks() {}

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
