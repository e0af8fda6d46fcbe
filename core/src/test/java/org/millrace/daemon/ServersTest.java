package org.millrace.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;

/** Servers and a program that connects to them, in one JVM but over sockets. */
final class ServersTest {

  private static final int NODES = 3;

  @TempDir private Path directory;

  /** A whole cluster of servers. */
  private static final class Servers implements AutoCloseable {
    final List<Server> all = new ArrayList<>();

    Servers(Path directory, int nodes) throws IOException {
      all.add(Server.coordinator(directory, nodes, ServerOptions.DEFAULT, _ -> {}));
      for (int i = 0; i < nodes; i++) {
        all.add(node(directory, i));
      }
    }

    static Server node(Path directory, int number) throws IOException {
      return Server.node(
          directory, number, new ClusterLocation.In(directory), ServerOptions.DEFAULT, _ -> {});
    }

    @Override
    public void close() throws IOException {
      Closing.closeAll(all.reversed());
    }
  }

  @Test
  void nodesElsewhereHaveNoDirectoryBesideTheCoordinators() throws IOException {
    Path head = Files.createDirectory(directory.resolve("head"));
    Path other = Files.createDirectory(directory.resolve("other"));
    ClusterLocation location = new ClusterLocation.In(head);
    try (Server _ = Server.coordinator(head, 2, ServerOptions.DEFAULT, _ -> {})) {
      assertThat(head.resolve("node-0")).doesNotExist();
      Files.copy(
          head.resolve("secret"), other.resolve("secret"), StandardCopyOption.COPY_ATTRIBUTES);
      try (Server _ = Servers.node(head, 0);
          Server _ = Server.node(other, 1, location, ServerOptions.DEFAULT, _ -> {});
          RunningCluster cluster =
              RunningCluster.connect(head.toString(), ClusterOptions.DEFAULT)) {
        assertThat(cluster.administration().nodesElsewhere()).containsExactly(1);
        cluster.run(
            1,
            rank -> {
              try (SharedFile file = rank.open("f", OpenOptions.create())) {
                file.at(0).write(Memory.of(new byte[200_000]));
              }
            });
      }
      assertThat(head.resolve("node-0")).isDirectory();
      assertThat(head.resolve("node-1")).doesNotExist();
      assertThatThrownBy(() -> Servers.node(head, 1).close())
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("node 1 had a directory before");
      assertThatThrownBy(
              () -> Server.node(other, 0, location, ServerOptions.DEFAULT, _ -> {}).close())
          .as("node 0 is here")
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("node 0 had a directory before");
    }
    assertThatThrownBy(() -> RunningCluster.open(head, ClusterOptions.DEFAULT))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("node 1 of the cluster in")
        .hasMessageContaining("elsewhere");
    assertThat(head.resolve("node-1")).doesNotExist();
    try (Server _ = Server.coordinator(head, 2, ServerOptions.DEFAULT, _ -> {});
        Server _ = Servers.node(head, 0);
        Server _ = Server.node(other, 1, location, ServerOptions.DEFAULT, _ -> {});
        RunningCluster cluster = RunningCluster.connect(head.toString(), ClusterOptions.DEFAULT)) {
      cluster.run(1, rank -> assertThat(rank.names().size("f")).isEqualTo(200_000));
    }
  }

  @Test
  void whatNobodyEverServedIsMadeWhenTheClusterIsOpened() throws IOException {
    try (Server _ = Server.coordinator(directory, 2, ServerOptions.DEFAULT, _ -> {});
        Server _ = Servers.node(directory, 0)) {
      assertThat(directory.resolve("node-1")).doesNotExist();
    }
    RunningCluster.open(directory, ClusterOptions.DEFAULT).close();
    assertThat(directory.resolve("node-1")).isDirectory();
    assertThat(Files.readString(directory.resolve("coordinator/identity"))).contains("places hh");
  }

  @Test
  void aProgramOfAnotherProcessWritesAndReads() throws IOException {
    try (Servers _ = new Servers(directory, NODES);
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      assertThat(cluster.nodes()).isEqualTo(NODES);
      cluster.run(
          4,
          rank -> {
            byte[] mine = new byte[100_000];
            Arrays.fill(mine, (byte) (rank.number() + 1));
            try (SharedFile file = rank.open("f", OpenOptions.create())) {
              file.at(100_000L * rank.number()).write(Memory.of(mine));
              rank.barrier();
              byte[] all = new byte[400_000];
              assertThat(file.at(0).read(Memory.of(all))).isEqualTo(400_000);
              for (int i = 0; i < all.length; i++) {
                assertThat(all[i]).isEqualTo((byte) (i / 100_000 + 1));
              }
            }
            assertThat(rank.names().size("f")).isEqualTo(400_000);
            assertThat(rank.names().list("")).containsExactly("f");
          });
    }
    try (RunningCluster cluster = RunningCluster.open(directory, ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              byte[] all = new byte[400_000];
              assertThat(file.at(0).read(Memory.of(all))).isEqualTo(400_000);
              assertThat(all[399_999]).isEqualTo((byte) 4);
            }
          });
    }
  }

  @Test
  void aDirectoryThatServersUseIsNoOtherClusters() throws IOException {
    try (Servers _ = new Servers(directory, 1)) {
      assertThatThrownBy(() -> RunningCluster.open(directory, ClusterOptions.DEFAULT))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
      assertThatThrownBy(() -> Servers.node(directory, 0))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
    }
    try (RunningCluster cluster = RunningCluster.open(directory, ClusterOptions.DEFAULT)) {
      assertThat(cluster.nodes()).isEqualTo(1);
    }
  }

  @Test
  void aFileThatWasResetIsNeitherReadNorWrittenByWhoHadItOpen() throws IOException {
    try (Servers _ = new Servers(directory, 1);
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            SharedFile file = rank.open("f", OpenOptions.create());
            file.at(0).write(Memory.of(new byte[] {1, 2, 3}));
            assertThat(cluster.administration().reset(List.of("f"))).isEqualTo(1);
            Eventually.holds(
                "the node, which asks every second, refuses to read", () -> isRefused(file));
            assertThatThrownBy(() -> file.at(0).write(Memory.of(new byte[3])))
                .isInstanceOfSatisfying(
                    MillraceException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
            try (SharedFile again = rank.open("f", OpenOptions.read())) {
              byte[] read = new byte[3];
              assertThat(again.at(0).read(Memory.of(read))).isEqualTo(3);
              assertThat(read).containsExactly(1, 2, 3);
            }
          });
    }
  }

  private static boolean isRefused(SharedFile file) throws IOException {
    try {
      file.at(0).read(Memory.of(new byte[3]));
      return false;
    } catch (MillraceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED);
      return true;
    }
  }

  @Test
  void aNodeThatWasRestartedIsUsedAgainByTheNextOpen() throws IOException {
    try (Servers servers = new Servers(directory, 1);
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.create())) {
              file.at(0).write(Memory.of(new byte[] {1, 2, 3}));
              file.flush();
            }
            servers.all.remove(1).close();
            servers.all.add(Servers.node(directory, 0));
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              byte[] read = new byte[3];
              assertThat(file.at(0).read(Memory.of(read))).isEqualTo(3);
              assertThat(read).containsExactly(1, 2, 3);
            }
          });
    }
  }

  @Test
  void aNodeThatIsNotThereIsNamed() throws IOException {
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      assertThatThrownBy(() -> cluster.run(1, rank -> rank.open("f", OpenOptions.create()).close()))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("node 0");
    }
  }

  @Test
  void whereNobodyRunsNobodyIsFound() {
    assertThatThrownBy(() -> RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no coordinator runs in");
  }

  @Test
  void whoWaitsForOthersIsToldThatTheCoordinatorIsLost() throws IOException {
    try (Servers servers = new Servers(directory, 1);
        RunningCluster cluster =
            RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT)) {
      ErrorCode[] codes = new ErrorCode[3];
      String[] messages = new String[3];
      assertThatThrownBy(
              () ->
                  cluster.run(
                      3,
                      rank -> {
                        try {
                          rank.barrier(); // ranks that have not passed it when it ends are told,
                          // too
                          if (rank.number() == 0) {
                            servers.all.getFirst().close();
                          }
                          if (rank.number() == 1) {
                            rank.barrier();
                          } else {
                            rank.receive(1, 5);
                          }
                        } catch (MillraceException e) {
                          codes[rank.number()] = e.code();
                          messages[rank.number()] = String.valueOf(e.getMessage());
                          throw e;
                        }
                      }))
          .isInstanceOf(IOException.class);
      assertThat(codes).doesNotContain(ErrorCode.DEADLINE, (ErrorCode) null);
      assertThat(messages).allSatisfy(one -> assertThat(one).contains("coordinator"));
    }
  }
}
