package org.millrace.cli.daemons;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.millrace.cli.keys.KeyMaker;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.daemon.Replication;
import org.millrace.disk.RunFolder;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

/** The coordinators of a cluster that has several, as files of its directory. Stateless. */
public final class Members {

  /** Where they are if they are all on one host. */
  static final String LOCAL = "127.0.0.1";

  private static final String KEYS = "coordinator-keys";

  /** Below those that systems give to connections: Linux from 32,768 on. */
  private static final int FIRST_PORT = 20_000;

  private static final int LAST_PORT = 32_000;
  private static final int PORT_TRIES = 1000;

  private Members() {}

  /** The folder of the keys with which they recognize each other. */
  static Path keys(DaemonOptions.Settings settings, Path directory) {
    return settings.text("keys").map(Path::of).orElseGet(() -> localKeys(directory));
  }

  /** The keys of those that are all on this host. */
  public static Path localKeys(Path directory) {
    return directory.resolve(KEYS).resolve(LOCAL);
  }

  /**
   * The coordinators of the cluster in {@code directory}; empty if it has one alone. A new cluster
   * gets as many as are wanted, all on this host.
   */
  static Optional<CoordinatorGroup> find(Path directory, int wanted) throws IOException {
    Optional<CoordinatorGroup> there = CoordinatorGroup.read(directory);
    if (there.isPresent()) {
      Replication.require();
      if (wanted > 0 && wanted != there.get().members().size()) {
        throw new MillraceException(
            ErrorCode.INVALID,
            "the cluster in %s has %s coordinators; millrace coordinators changes that one by one"
                .formatted(directory, there.get().members().size()));
      }
      return there;
    }
    if (wanted <= 1) {
      return Optional.empty();
    }
    if (wanted % 2 == 0) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "--coordinators %s survives no more losses than %s: give an odd number"
              .formatted(wanted, wanted - 1));
    }
    Replication.require(); // before anything is made
    if (ClusterDirectory.isThere(directory)) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "the cluster in %s has one coordinator alone; begin one with several in another directory"
              .formatted(directory));
    }
    Files.createDirectories(directory);
    KeyMaker.forThisHost(directory.resolve(KEYS), LOCAL);
    List<CoordinatorGroup.Member> members = new ArrayList<>();
    for (int i = 0; i < wanted; i++) {
      members.add(local(directory, i));
    }
    CoordinatorGroup group = new CoordinatorGroup(members);
    group.write(directory);
    return Optional.of(group);
  }

  /** A coordinator on this host. */
  static CoordinatorGroup.Member local(Path directory, int number) throws IOException {
    Path socket =
        RunFolder.of(directory)
            .socket(CoordinatorGroup.nameOf(number) + ".socket", Address.MAX_PATH_BYTES);
    return new CoordinatorGroup.Member(
        number, LOCAL + ":" + freePort(), new Address.Unix(socket.toString()));
  }

  /**
   * A port that nobody uses, and that no connection of this host is given by chance: while a
   * coordinator is down the others try to reach it again and again, and one of these attempts would
   * take the port for its own end.
   */
  private static int freePort() throws IOException {
    RandomGenerator random = Env.real().random("port of a coordinator");
    IOException used = new BindException("none was tried");
    for (int i = 0; i < PORT_TRIES; i++) {
      int port = random.nextInt(FIRST_PORT, LAST_PORT);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException e) {
        used = e;
      }
    }
    throw new MillraceException(
        ErrorCode.NODE,
        "found no free port between %s and %s".formatted(FIRST_PORT, LAST_PORT),
        used);
  }

  /** Whether all members can be started on this host. */
  static boolean isHere(CoordinatorGroup.Member member) {
    return member.host().equals(LOCAL);
  }
}
