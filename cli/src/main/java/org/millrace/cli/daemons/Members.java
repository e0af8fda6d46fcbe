package org.millrace.cli.daemons;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.cli.keys.KeyMaker;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.CoordinatorGroup;
import org.millrace.daemon.Replication;
import org.millrace.disk.RunFolder;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;

/** The coordinators of a cluster that has several, as files of its directory. Stateless. */
public final class Members {

  /** Where they are if they are all on one host. */
  static final String LOCAL = "127.0.0.1";

  private static final String KEYS = "coordinator-keys";

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
            "the cluster in %s has %d coordinators; millrace coordinators changes that one by one"
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
          "--coordinators %d survives no more losses than %d: give an odd number"
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
    try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new CoordinatorGroup.Member(
          number, LOCAL + ":" + port.getLocalPort(), new Address.Unix(socket.toString()));
    }
  }

  /** Whether all members can be started on this host. */
  static boolean isHere(CoordinatorGroup.Member member) {
    return member.host().equals(LOCAL);
  }
}
