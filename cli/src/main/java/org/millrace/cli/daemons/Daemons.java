package org.millrace.cli.daemons;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.disk.DirectoryLock;
import org.millrace.disk.RunFolder;

/**
 * The daemons of a cluster's directory, as processes of this host: which of them live, and how to
 * start one. Immutable; used by one thread.
 *
 * @param directory of the cluster
 */
public record Daemons(Path directory) {

  /** The coordinator's name among them. */
  public static final String COORDINATOR = "coordinator";

  private static final Path SETSID = Path.of("/usr/bin/setsid");
  private static final int TAIL_LINES = 5;

  /** The name of a node among them. */
  public static String node(int number) {
    return "node-" + number;
  }

  private RunFolder folder() {
    return RunFolder.of(directory);
  }

  /** The process of a daemon, if it lives. */
  public Optional<ProcessHandle> process(String daemon) throws IOException {
    return new PidFile(folder(), daemon).process();
  }

  /** Takes away what a daemon left that was killed. */
  void forget(String daemon) throws IOException {
    new PidFile(folder(), daemon).delete();
  }

  /** The nodes of which there is a pid file, dead or alive. */
  public List<String> nodes() throws IOException {
    return withPidFiles("node-[0-9]{1,9}");
  }

  /** The coordinators of which there is a pid file, dead or alive: one alone, or several. */
  public List<String> coordinators() throws IOException {
    return withPidFiles("coordinator(-[0-9]{1,9})?");
  }

  private List<String> withPidFiles(String names) throws IOException {
    if (!Files.isDirectory(folder().path())) {
      return List.of();
    }
    try (var files = Files.list(folder().path())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches(names + "\\.pid"))
          .map(name -> name.substring(0, name.length() - ".pid".length()))
          .sorted((a, b) -> Integer.compare(number(a), number(b)))
          .toList();
    }
  }

  /** Parts of the directory that a process has locked, with who that is, if it is known. */
  Map<String, String> held() throws IOException {
    List<String> parts = new ArrayList<>(List.of(COORDINATOR));
    if (!Files.isDirectory(directory)) {
      return Map.of();
    }
    try (var files = Files.list(directory)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("(node|coordinator)-[0-9]{1,9}"))
          .forEach(parts::add);
    }
    Map<String, String> held = new TreeMap<>();
    for (String part : parts) {
      DirectoryLock.holderOfPart(directory, part).ifPresent(who -> held.put(part, who));
    }
    return held;
  }

  /** Whether a daemon has left its pid file: it lives, or has not ended in order. */
  boolean hasPidFile(String daemon) throws IOException {
    return new PidFile(folder(), daemon).isThere();
  }

  private static int number(String daemon) {
    return Integer.parseInt("0" + daemon.replaceAll("[^0-9]", ""));
  }

  /** How many nodes the cluster in the directory has; empty if there is no cluster. */
  public Optional<Integer> nodesOfCluster() throws IOException {
    List<Path> identities = new ArrayList<>(List.of(identity(COORDINATOR)));
    CoordinatorGroup.read(directory)
        .ifPresent(group -> group.members().forEach(one -> identities.add(identity(one.name()))));
    int most = 0;
    for (Path identity : identities) {
      most = Math.max(most, nodesOf(identity));
    }
    return most == 0 ? Optional.empty() : Optional.of(most);
  }

  private Path identity(String part) {
    return directory.resolve(part).resolve("identity");
  }

  private static int nodesOf(Path identity) throws IOException {
    return !Files.isRegularFile(identity)
        ? 0
        : Files.readAllLines(identity).stream()
            .filter(line -> line.matches("coordinator of [1-9][0-9]{0,8}"))
            .map(line -> Integer.parseInt(line.substring("coordinator of ".length())))
            .findFirst()
            .orElse(0);
  }

  /** Starts a daemon that outlives this process and its terminal. */
  Process start(String daemon, List<String> args) throws IOException {
    List<String> line = new ArrayList<>();
    if (Files.isExecutable(SETSID)) { // or closing the terminal would end it
      line.add(SETSID.toString());
    }
    line.addAll(JavaCommand.of(args));
    File log = log(daemon).toFile();
    DaemonLog.make(log.toPath()); // or it would be made for all to read
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
            .redirectErrorStream(true);
    builder.environment().keySet().removeIf(Launching::isLaunchers);
    return builder.start();
  }

  /** The last lines of a daemon's log. */
  List<String> tail(String daemon) throws IOException {
    Path log = folder().file(daemon + ".log");
    if (!Files.exists(log)) {
      return List.of();
    }
    List<String> lines = Files.readAllLines(log);
    return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
  }

  Path log(String daemon) {
    return folder().file(daemon + ".log");
  }
}
