package org.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.testing.ChildJava;

/**
 * A second user, for real: a process of user nobody at a cluster that is open to all users of the
 * host. Only root can start one; where the tests run as somebody else this is skipped.
 */
final class SecondUserTest {

  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

  @TempDir private Path directory;

  @Test
  void aSecondUserReadsOnlyWhatModesAllowAndNothingFromTheDisks() throws Exception {
    assumeThat(System.getProperty("user.name"))
        .as("only root can be another user: not tried")
        .isEqualTo("root");
    assumeThat(Files.isExecutable(SETPRIV)).as("%s is not there: not tried", SETPRIV).isTrue();
    open(directory);
    Path cluster = Files.createDirectory(directory.resolve("cluster"));
    open(cluster);
    Path classes = copiedClasses();
    ServerOptions shared = ServerOptions.DEFAULT.withShared(true);
    try (Server _ = Server.coordinator(cluster, 1, shared, _ -> {});
        Server _ = Server.node(cluster, 0, new ClusterLocation.In(cluster), shared, _ -> {})) {
      makeFiles(cluster);
      List<String> command = asNobody(classes);
      command.add(ClusterLocation.parse(cluster.toString()).coordinator().toString());
      List<String> onDisk = filesOf(cluster);
      assertThat(onDisk).anyMatch(name -> name.contains("/node-0/"));
      assertThat(onDisk).anyMatch(name -> name.contains("/coordinator/"));
      command.addAll(onDisk);
      List<String> said = output(command);
      assumeThat(said).as("nobody cannot run this JVM: not tried").contains("user nobody");
      assertThat(said.stream().filter(line -> line.startsWith("disk ")))
          .hasSameSizeAs(onDisk)
          .containsOnly("disk AccessDeniedException");
      assertThat(said)
          .contains("private NOT_PERMITTED")
          .contains("writing public NOT_PERMITTED")
          .contains("public read [4, 5, 6]"); // the control: it does reach the cluster
    }
  }

  @Test
  void partsMadeBeforeTheyWereClosedToOthersAreClosedWhenTheyAreOpened() throws IOException {
    Cluster.embedded(directory, 2).close();
    try (Stream<Path> parts = Files.list(directory)) {
      parts.filter(Files::isDirectory).forEach(SecondUserTest::open);
    }
    try (Cluster cluster = Cluster.open(directory, ClusterOptions.DEFAULT)) {
      for (int i = 0; i < cluster.nodes(); i++) {
        assertThat(mode(directory.resolve("node-" + i))).isEqualTo("rwx------");
        assertThat(mode(directory.resolve(".node-" + i + ".lock"))).isEqualTo("rw-------");
      }
      assertThat(mode(directory.resolve("coordinator"))).isEqualTo("rwx------");
      assertThat(mode(directory.resolve(".coordinator.lock"))).isEqualTo("rw-------");
    }
  }

  private static void makeFiles(Path cluster) throws IOException {
    try (Cluster mine = Cluster.connect(cluster.toString(), ClusterOptions.DEFAULT)) {
      mine.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("private", OpenOptions.create())) {
              file.at(0).write(Memory.of(new byte[] {1, 2, 3}));
              file.flush();
            }
            try (SharedFile file = rank.open("public", OpenOptions.create())) {
              file.at(0).write(Memory.of(new byte[] {4, 5, 6}));
              file.flush();
            }
            rank.names().setPermissions("private", 0600);
            rank.names().setPermissions("public", 0644);
          });
    }
  }

  /** All files of the parts, and their locks. */
  private static List<String> filesOf(Path cluster) throws IOException {
    try (Stream<Path> all = Files.walk(cluster)) {
      return all.filter(Files::isRegularFile)
          .filter(path -> !path.startsWith(cluster.resolve("run"))) // sockets and their address
          .map(Path::toString)
          .toList();
    }
  }

  private static List<String> asNobody(Path classes) {
    List<String> line =
        new ArrayList<>(
            List.of(SETPRIV.toString(), "--reuid=nobody", "--regid=65534", "--clear-groups"));
    line.addAll(
        ChildJava.command(
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classes.toString(),
            SecondUser.class.getName()));
    return line;
  }

  private List<String> output(List<String> command) throws Exception {
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return Files.readAllLines(log, StandardCharsets.UTF_8);
  }

  /** Where the tests lie nobody may be allowed to look: a copy of what the other process needs. */
  private Path copiedClasses() throws IOException, URISyntaxException {
    Path to = Files.createDirectory(directory.resolve("classes"));
    open(to);
    for (Class<?> one : List.of(Cluster.class, SecondUser.class)) {
      Path from = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
      try (Stream<Path> all = Files.walk(from.resolve("org/millrace"))) {
        for (Path path : (Iterable<Path>) all::iterator) {
          Path target = to.resolve(from.relativize(path).toString());
          if (Files.isDirectory(path)) {
            Files.createDirectories(target);
          } else {
            Files.copy(path, target, StandardCopyOption.REPLACE_EXISTING);
          }
        }
      }
    }
    return to;
  }

  private static void open(Path path) {
    try {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
