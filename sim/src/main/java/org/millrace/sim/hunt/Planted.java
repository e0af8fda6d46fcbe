package org.millrace.sim.hunt;

import java.util.random.RandomGenerator;
import org.millrace.coordinator.Batch;
import org.millrace.coordinator.LeaseTimes;
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
  Planted NOTHING =
      new Planted() {
        @Override
        public int coordinators(RandomGenerator random) {
          return random.nextInt(4) == 0 ? SimGroup.MEMBERS : 1;
        }
      };

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

  /** How many coordinators the world has: one, or {@link SimGroup#MEMBERS}. */
  default int coordinators(RandomGenerator random) {
    return 1;
  }

  /** How long leaders of several coordinators answer, and wait. */
  default LeaseTimes times() {
    return LeaseTimes.DEFAULT;
  }

  /** What becomes of an entry that is in the log a second time. */
  default Batch doubled(Batch batch) {
    return batch;
  }

  /** What a new leader finds. */
  default Batch found(Batch all) {
    return all;
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
