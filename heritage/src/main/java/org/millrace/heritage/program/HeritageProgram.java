package org.millrace.heritage.program;

import java.io.IOException;
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

  /** Runs as one rank. What {@link Stage#check} finds wrong ends the program on all ranks. */
  void run(Rank rank, Stage stage) throws IOException;
}
