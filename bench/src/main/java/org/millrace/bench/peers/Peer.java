package org.millrace.bench.peers;

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
public record Peer(
    String name, Path launcher, List<String> options, Path program, List<String> hints) {

  public Peer {
    options = List.copyOf(options);
    hints = List.copyOf(hints);
  }

  /** The command that carries out a workload file. */
  public List<String> command(int ranks, Path workloads, Path data, boolean cold) {
    List<String> words = new ArrayList<>(List.of("workloads=" + workloads, "data=" + data));
    if (cold) {
      words.add("cold=1");
    }
    return command(ranks, words);
  }

  /** The command that runs the program with these words, and the hints. */
  public List<String> command(int ranks, List<String> words) {
    List<String> command = new ArrayList<>();
    command.add(launcher.toString());
    command.addAll(options);
    command.addAll(List.of("-n", Integer.toString(ranks), program.toString()));
    command.addAll(words);
    hints.forEach(hint -> command.add("hint=" + hint));
    return command;
  }
}
