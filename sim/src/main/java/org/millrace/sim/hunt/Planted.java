package org.millrace.sim.hunt;

import org.millrace.disk.Disk;
import org.millrace.env.SeededEnv;
import org.millrace.message.Endpoint;
import org.millrace.wire.HostMemory;

/**
 * What a world has instead of the real thing: nothing, or a bug that the hunt must find. Bugs are
 * put where the seams are, around disks, endpoints and environments; the code itself has none.
 */
interface Planted {

  /** Nothing. */
  Planted NOTHING = new Planted() {};

  /** The environment of a process. */
  default ProcessEnv env(SeededEnv world, String name) {
    return new ProcessEnv(world, name);
  }

  /** Memory that a process shares with others. */
  default HostMemory memory(ProcessEnv process, HostMemory memory) {
    return memory;
  }

  /** The disk of a daemon. */
  default Disk disk(Daemon daemon, Disk disk) {
    return disk;
  }

  /** What stands in front of a daemon's endpoint. */
  default Endpoint front(Daemon daemon, Endpoint endpoint) {
    return endpoint;
  }
}
