package org.millrace.heritage.program;

import java.io.IOException;
import java.util.List;
import org.millrace.client.Rank;

/**
 * A short program that shows one system by its own calls and checks every byte it moved. It works
 * with any number of ranks and nodes, leaves nothing behind in the cluster, and may run again.
 */
public interface HeritageProgram {

  /** The system's package, such as {@code vesta}. */
  String name();

  /** One line: what it shows. */
  String about();

  /** The arguments it can be given, for people; empty if it takes none. */
  default String usage() {
    return "";
  }

  /**
   * Runs as one rank with the arguments of the command line, which all ranks have; without any it
   * is {@link #run(Rank, Stage)}.
   */
  default void run(Rank rank, Stage stage, List<String> arguments) throws IOException {
    if (!arguments.isEmpty()) {
      throw new IllegalArgumentException(name() + " takes no arguments, but got " + arguments);
    }
    run(rank, stage);
  }

  /** Runs as one rank. What {@link Stage#check} finds wrong ends the program on all ranks. */
  void run(Rank rank, Stage stage) throws IOException;
}
