package org.millrace.cli.campaign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Hosts made of network namespaces: each has a network card of its own (one end of a veth pair),
 * and all are plugged into one switch (a bridge in one more namespace). Nothing is added to the
 * machine's own network. As on Debian, a host's own name stands for 127.0.1.1 in its /etc/hosts.
 *
 * <p>Names hold the number of this process. Closing removes everything; what a killed process has
 * left is removed when hosts are made next. Used by one thread.
 */
public final class Hosts implements AutoCloseable {

  private static final Path NETNS = Path.of("/etc/netns");
  private static final Pattern OURS = Pattern.compile("millrace-([0-9]+)-[a-z0-9]+");

  // constant after construction
  private final String prefix;
  private final int count;

  private Hosts(String prefix, int count) {
    this.prefix = prefix;
    this.count = count;
  }

  private Hosts(int count) {
    this("millrace-" + ProcessHandle.current().pid() + "-", count);
  }

  /** Hosts that another process has made, and closes. */
  static Hosts of(String prefix, int count) {
    return new Hosts(prefix, count);
  }

  /** What the names of the namespaces begin with. */
  String prefix() {
    return prefix;
  }

  /** Why no hosts can be made here; empty if they can. */
  public static Optional<String> obstacle() throws IOException, InterruptedException {
    for (String command : List.of("ip", "unshare", "hostname")) {
      if (!Shell.has(command)) {
        return Optional.of("there is no command '" + command + "'");
      }
    }
    try (Hosts trial = new Hosts(2)) {
      trial.plug();
      String said = run(trial.command(0, List.of("true")));
      return said.isEmpty() ? Optional.empty() : Optional.of(said);
    } catch (IOException e) { // not root, or a container without the right to
      return Optional.of("network namespaces cannot be made: " + e.getMessage());
    }
  }

  /** Makes {@code count} hosts that reach each other. */
  public static Hosts make(int count) throws IOException, InterruptedException {
    Hosts hosts = new Hosts(count);
    try {
      hosts.plug();
      return hosts;
    } catch (IOException | InterruptedException | RuntimeException e) {
      hosts.close();
      throw e;
    }
  }

  private void plug() throws IOException, InterruptedException {
    removeLeftovers();
    ip("netns", "add", prefix + "switch");
    inSwitch("link", "add", "bridge", "type", "bridge");
    inSwitch("link", "set", "bridge", "up");
    for (int host = 0; host < count; host++) {
      String namespace = prefix + host;
      ip("netns", "add", namespace);
      ip("-n", namespace, "link", "set", "lo", "up");
      inSwitch(
          "link", "add", port(host), "type", "veth", "peer", "name", "eth0", "netns", namespace);
      inSwitch("link", "set", port(host), "master", "bridge");
      inSwitch("link", "set", port(host), "up");
      ip("-n", namespace, "addr", "add", number(host) + "/24", "dev", "eth0");
      ip("-n", namespace, "link", "set", "eth0", "up");
      Path own = Files.createDirectories(NETNS.resolve(namespace));
      Files.writeString(own.resolve("hosts"), names(host));
    }
  }

  /** What /etc/hosts says on a host. */
  private String names(int own) {
    StringBuilder text = new StringBuilder("127.0.0.1 localhost\n127.0.1.1 " + name(own) + "\n");
    for (int host = 0; host < count; host++) {
      if (host != own) {
        text.append(number(host)).append(' ').append(name(host)).append('\n');
      }
    }
    return text.toString();
  }

  /** The name of a host. */
  public static String name(int host) {
    return "mill-" + (char) ('a' + host);
  }

  /** The number of a host. */
  public static String number(int host) {
    return "10.77.0." + (host + 1);
  }

  private static String port(int host) {
    return "port" + host;
  }

  /** A command as it is run on a host. */
  public List<String> command(int host, List<String> line) {
    List<String> there = new ArrayList<>(List.of("ip", "netns", "exec", prefix + host));
    there.addAll(List.of("unshare", "--uts", "sh", "-c", "hostname \"$0\" && exec \"$@\""));
    there.add(name(host));
    there.addAll(line);
    return there;
  }

  /** Pulls a host's plug: nothing gets in or out any more, and nobody is told. */
  public void cut(int host) throws IOException, InterruptedException {
    inSwitch("link", "set", port(host), "down");
  }

  /** Plugs a host in again. */
  void plug(int host) throws IOException, InterruptedException {
    inSwitch("link", "set", port(host), "up");
  }

  /** Lets nothing get from one host to another; the other way stays open. */
  void block(int from, int to) throws IOException, InterruptedException {
    ip("-n", prefix + from, "route", "add", "blackhole", number(to) + "/32");
  }

  /** Takes {@link #block} back. */
  void unblock(int from, int to) throws IOException, InterruptedException {
    ip("-n", prefix + from, "route", "del", "blackhole", number(to) + "/32");
  }

  /** Resets all connections of a host to others. */
  void reset(int host) throws IOException, InterruptedException {
    Shell.run("ip", "netns", "exec", prefix + host, "ss", "-K", "dst", "10.77.0.0/24");
  }

  private void inSwitch(String... args) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", prefix + "switch"));
    all.addAll(List.of(args));
    ip(all.toArray(String[]::new));
  }

  private static void ip(String... args) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(args));
    String said = run(line);
    if (!said.isEmpty()) {
      throw new IOException(String.join(" ", line) + ": " + said);
    }
  }

  /** Runs a command; returns what it complains of, or nothing. */
  private static String run(List<String> line) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? "" : said.strip() + " (exit code " + process.exitValue() + ")";
  }

  private static void removeLeftovers() throws IOException, InterruptedException {
    Path known = Path.of("/run/netns");
    if (!Files.isDirectory(known)) {
      return;
    }
    try (Stream<Path> all = Files.list(known)) {
      for (Path one : all.toList()) {
        Matcher ours = OURS.matcher(one.getFileName().toString());
        if (ours.matches() && ProcessHandle.of(Long.parseLong(ours.group(1))).isEmpty()) {
          remove(ours.group());
        }
      }
    }
  }

  private static void remove(String namespace) throws IOException, InterruptedException {
    Files.deleteIfExists(NETNS.resolve(namespace).resolve("hosts"));
    Files.deleteIfExists(NETNS.resolve(namespace));
    if (Files.exists(Path.of("/run/netns", namespace))) {
      ip("netns", "del", namespace);
    }
  }

  /** All namespaces of this process that are there. */
  public static List<String> left() throws IOException {
    List<String> left = new ArrayList<>();
    String own = "millrace-" + ProcessHandle.current().pid() + "-";
    for (Path place : List.of(Path.of("/run/netns"), NETNS)) {
      if (Files.isDirectory(place)) {
        try (Stream<Path> all = Files.list(place)) {
          all.map(Path::toString).filter(path -> path.contains(own)).forEach(left::add);
        }
      }
    }
    return left;
  }

  @Override
  public void close() throws IOException {
    try {
      for (int host = 0; host < count; host++) {
        remove(prefix + host);
      }
      remove(prefix + "switch");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while hosts were removed", e);
    }
    if (!left().isEmpty()) {
      throw new IOException("namespaces are left: " + left());
    }
  }
}
