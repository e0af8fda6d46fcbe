package org.millrace.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An implementation of MPI-IO, ready to be started. Immutable.
 *
 * @param name for people
 * @param launcher its {@code mpirun}
 * @param options of the launcher
 * @param program our C program, linked with its library
 * @param hints KEY=VALUE, given to every open and view
 */
record Peer(String name, Path launcher, List<String> options, Path program, List<String> hints) {

  Peer {
    options = List.copyOf(options);
    hints = List.copyOf(hints);
  }

  /** The command that carries out a workload file. */
  List<String> command(int ranks, Path workloads, Path data, boolean cold) {
    List<String> command = new ArrayList<>();
    command.add(launcher.toString());
    command.addAll(options);
    command.addAll(List.of("-n", Integer.toString(ranks), program.toString()));
    command.add("workloads=" + workloads);
    command.add("data=" + data);
    if (cold) {
      command.add("cold=1");
    }
    hints.forEach(hint -> command.add("hint=" + hint));
    return command;
  }
}
