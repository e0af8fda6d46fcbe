package org.millrace.sim.hunt;

import org.millrace.disk.Disk;
import org.millrace.env.SeededEnv;
import org.millrace.message.Endpoint;
import org.millrace.node.NodeOptions;
import org.millrace.wire.HostMemory;

/**
 * A bug planted in a world, or none. Bugs are wrappers around disks, endpoints and environments;
 * the code itself has no flags for them.
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

  /** How nodes work. */
  default NodeOptions node(NodeOptions options) {
    return options;
  }

  /** What stands in front of a daemon's endpoint. */
  default Endpoint front(Daemon daemon, Endpoint endpoint) {
    return endpoint;
  }
}
