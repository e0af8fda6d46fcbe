package org.millrace.scenario;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.millrace.client.Program;
import org.millrace.protocol.CoordinatorReply;

/**
 * A cluster that a scenario runs on, wherever its nodes and ranks may live. What is stored outlives
 * {@link #reopen}. Belongs to the thread that was given it; {@link #waits} may be asked by ranks,
 * too. Its maker closes it.
 */
interface World {

  /** How many nodes there are. */
  int nodes();

  /** Runs a program and throws what its ranks throw. */
  void run(int ranks, Program program) throws IOException;

  /** Ends the cluster in order and starts it again over the same disks. */
  void reopen() throws IOException;

  /** Who waits for whom. */
  List<CoordinatorReply.Wait> waits() throws IOException;

  /** Lets others run, and time pass where it passes only when nobody runs. */
  default void pause() {
    Thread.yield();
  }

  /** Each node's counters. */
  List<Map<String, Long>> report() throws IOException;

  /**
   * Ends the cluster, looks at the disks, and starts it again: the bytes that node n keeps of its
   * strand of a file, which must be the only one there is.
   */
  List<Long> strandSizes() throws IOException;
}
