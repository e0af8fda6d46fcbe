package org.millrace.server;

/** A change of a cluster that a console can ask for. Immutable. */
public sealed interface ConsoleChange {

  /** All nodes read their disks and repair what they can. */
  record Scrub() implements ConsoleChange {}

  /** What a node holds goes to others. */
  record Drain(int node) implements ConsoleChange {}

  /** New files use a node again. */
  record Use(int node) implements ConsoleChange {}

  /** A file, or an empty directory, goes. */
  record Remove(String path) implements ConsoleChange {}
}
