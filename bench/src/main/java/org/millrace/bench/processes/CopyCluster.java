package org.millrace.bench.processes;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A cluster of processes on this host in a folder, and the commands that use it.
 *
 * <p>Used by one thread. Closing ends the processes.
 */
final class CopyCluster implements AutoCloseable {

  private static final long TIMEOUT_SECONDS = 60;
  private static final String USER = System.getProperty("user.name");

  // constant after construction
  private final Path folder;
  private final boolean tls;
  private final Function<List<String>, List<String>> millrace;
  private final List<Process> daemons = new ArrayList<>();

  private CopyCluster(Path folder, boolean tls, Function<List<String>, List<String>> millrace) {
    this.folder = folder;
    this.tls = tls;
    this.millrace = millrace;
  }

  /**
   * Starts one.
   *
   * @param tls whether its processes listen as on another host
   * @param millrace the command line that runs {@code millrace} with some arguments
   */
  static CopyCluster start(
      Path folder, int nodes, boolean tls, Function<List<String>, List<String>> millrace)
      throws IOException {
    CopyCluster cluster = new CopyCluster(folder, tls, millrace);
    try {
      if (tls) {
        cluster.makeKeys();
      }
      cluster.daemon("coordinator", "--nodes", Integer.toString(nodes));
      for (int i = 0; i < nodes; i++) {
        cluster.daemon("node", "--node", Integer.toString(i));
      }
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void makeKeys() throws IOException {
    Path keys = ownKeys().getParent();
    String host = "--host=" + BenchKeys.HOST;
    command(millrace.apply(List.of("keys", "init", "--dir=" + keys, "--user=" + USER, host)));
  }

  /** Where this host's keys are, if it has some. */
  Path ownKeys() {
    return folder.resolve("keys").resolve(BenchKeys.HOST);
  }

  /** The line of a command that uses this cluster. */
  List<String> at(String command, String... args) {
    List<String> line = new ArrayList<>(List.of(command, "--dir=" + folder.resolve("cluster")));
    if (tls) {
      line.add("--keys=" + ownKeys());
    }
    line.addAll(List.of(args));
    return millrace.apply(line);
  }

  /** Runs a command that uses this cluster. */
  void millrace(String command, String... args) throws IOException {
    command(at(command, args));
  }

  /** Runs a command, which must succeed. */
  void command(List<String> line) throws IOException {
    Path errors = folder.resolve("errors");
    int exit =
        await(
            new ProcessBuilder(line)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile())
                .start());
    if (exit != 0) {
      throw new IOException(
          "%s ended with %s: %s".formatted(line, exit, Files.readString(errors).strip()));
    }
  }

  /** Starts a daemon; returns when it is ready. */
  private void daemon(String... args) throws IOException {
    List<String> more = new ArrayList<>(List.of(args).subList(1, args.length));
    if (tls) {
      more.add("--address=tls:" + BenchKeys.HOST + ":0");
    }
    Process daemon =
        new ProcessBuilder(at(args[0], more.toArray(String[]::new)))
            .redirectError(folder.resolve(String.join("", args) + ".err").toFile())
            .start();
    daemons.add(daemon);
    String said = daemon.inputReader().readLine();
    if (said == null || !said.contains("is ready")) {
      throw new IOException("%s did not start: %s; see %s".formatted(List.of(args), said, folder));
    }
  }

  private static int await(Process process) throws IOException {
    try {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return process.waitFor();
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw (IOException) new InterruptedIOException("while a command runs").initCause(e);
    }
  }

  @Override
  public void close() throws IOException {
    daemons.forEach(Process::destroy);
    for (Process one : daemons) {
      await(one);
    }
  }
}
