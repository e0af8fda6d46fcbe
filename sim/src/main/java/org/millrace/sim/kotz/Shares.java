package org.millrace.sim.kotz;

import java.util.List;

/**
 * Which shares of the time the parts of a machine were busy while the I/O application ran: what
 * limits a run has a share near 1. Immutable.
 *
 * @param nodes processors of the nodes, on average
 * @param ranks processors of the I/O application, on average
 * @param disks on average
 * @param buses between disks and nodes, on average
 * @param link of the host whose link to the network was busiest
 * @param together the share of the time in which so many nodes' processors were busy: none, one,
 *     two, ...
 * @param quietAtEnd the share of the last tenth of the time in which none was
 */
public record Shares(
    double nodes,
    double ranks,
    double disks,
    double buses,
    double link,
    List<Double> together,
    double quietAtEnd) {

  /** Copies the list. */
  public Shares {
    together = List.copyOf(together);
  }

  /** The share of the time in which no node's processor had anything to do. */
  public double quiet() {
    return together.getFirst();
  }
}
