package org.millrace.server;

import java.io.IOException;

/**
 * What a console shows of a cluster, as values for {@link org.millrace.output.Json}. Safe for use
 * by several threads. Pages ask every second, each for itself: an implementation keeps what it
 * knows for a moment, so that many pages cost a cluster no more than one.
 */
public interface ConsoleSource {

  /** Nodes, groups, waits, scrubs and what is wrong. A cluster that is silent is no failure. */
  Object state();

  /**
   * A page of the names in a directory.
   *
   * @param directory its path from the root
   * @param after the name behind which the page begins; empty for the first
   */
  Object files(String directory, String after) throws IOException;

  /** All about one file: size, layout, copies. */
  Object file(String path) throws IOException;

  /** Numbers in the text format of Prometheus. */
  String metrics();

  /** Whether programs can use the cluster: the coordinator answers, and all nodes are up. */
  boolean isReady();

  /** Makes a change; returns what to tell the user. */
  String change(ConsoleChange change) throws IOException;
}
