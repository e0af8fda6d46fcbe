package org.millrace.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Address;

/**
 * A process that is a coordinator or a node, of one cluster after the other: starting a JVM for
 * each would take longer than most scenarios. Told what to be line by line; says {@code ok}, or
 * what went wrong, to each line; ends with its input.
 *
 * <pre>
 *   serve NUMBER NODES UNIT CACHE TALK SILENCE GRACE DIRECTORY    NUMBER -1: the coordinator
 *   close                                                         in order
 * </pre>
 */
final class ServerHost {

  /** How the processes of a cluster talk. */
  enum Talk {
    SHARED_MEMORY,
    SOCKETS,
    TCP
  }

  /** The number of the coordinator. */
  static final int COORDINATOR = -1;

  /**
   * Which server, of which cluster.
   *
   * @param number of the node, or {@link #COORDINATOR}
   * @param nodes how many the cluster has
   * @param unit stripe unit of its files
   * @param cache bytes of a node's cache
   * @param talk how it is talked to
   * @param silenceMillis after which a connection counts as lost
   * @param graceMillis after which a session without a connection does
   * @param directory of the cluster
   */
  record Role(
      int number,
      int nodes,
      long unit,
      long cache,
      Talk talk,
      long silenceMillis,
      long graceMillis,
      Path directory) {

    /** With as much grace as silence. */
    Role(
        int number,
        int nodes,
        long unit,
        long cache,
        Talk talk,
        long timeoutMillis,
        Path directory) {
      this(number, nodes, unit, cache, talk, timeoutMillis, timeoutMillis, directory);
    }

    static Role parse(String line) {
      List<String> words = List.of(line.split(" ", 9));
      return new Role(
          Integer.parseInt(words.get(1)),
          Integer.parseInt(words.get(2)),
          Long.parseLong(words.get(3)),
          Long.parseLong(words.get(4)),
          Talk.valueOf(words.get(5)),
          Long.parseLong(words.get(6)),
          Long.parseLong(words.get(7)),
          Path.of(words.get(8)));
    }

    @Override
    public String toString() {
      return "serve %d %d %d %d %s %d %d %s"
          .formatted(number, nodes, unit, cache, talk, silenceMillis, graceMillis, directory);
    }

    Role as(int other) {
      return new Role(other, nodes, unit, cache, talk, silenceMillis, graceMillis, directory);
    }

    /** How this server and its clients talk. */
    TransportOptions transport() {
      return TransportOptions.DEFAULT
          .withSharedMemory(talk == Talk.SHARED_MEMORY)
          .withTimeouts(1_000_000L * silenceMillis, 1_000_000L * graceMillis);
    }

    ServerOptions server() {
      ServerOptions options =
          ServerOptions.of(
              ClusterOptions.DEFAULT.withCacheBytesPerNode(cache).withStripeUnitBytes(unit),
              transport());
      return talk == Talk.TCP
          ? options.withAddress(new Address.Tcp("127.0.0.1", 0, false))
          : options;
    }

    Server start() throws IOException {
      return number == COORDINATOR
          ? Server.coordinator(directory, nodes, server(), _ -> {})
          : Server.node(directory, number, new ClusterLocation.In(directory), server(), _ -> {});
    }
  }

  private ServerHost() {}

  /** Serves until the input ends. */
  public static void main(String[] arguments) throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Server server = null;
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      try {
        closeIfOpen(server);
        server = line.equals("close") ? null : Role.parse(line).start();
        say("ok");
      } catch (IOException | RuntimeException e) {
        server = null;
        say(e.toString().replace('\n', ' '));
      }
    }
    closeIfOpen(server);
  }

  private static void closeIfOpen(@Nullable Server server) throws IOException {
    if (server != null) {
      server.close();
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
