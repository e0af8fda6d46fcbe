package org.millrace.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** A node that is away costs the bytes that it has, of files without copies, and no others. */
final class AwayNodesTest {

  private static final int NODES = 3;
  private static final int AWAY = 1;
  private static final int UNIT = 4096;
  private static final int UNITS = 10;
  private static final int BYTES = UNITS * UNIT - 100; // the last unit is on node 0

  @TempDir private Path directory;

  private final Map<Integer, Server> servers = new TreeMap<>();
  private final byte[] content = new byte[BYTES];

  @BeforeEach
  void start() throws IOException {
    new Random(1).nextBytes(content);
    servers.put(-1, Server.coordinator(directory, NODES, ServerOptions.DEFAULT, _ -> {}));
    for (int i = 0; i < NODES; i++) {
      startNode(i);
    }
  }

  private void startNode(int number) throws IOException {
    var where = new ClusterLocation.In(directory);
    servers.put(number, Server.node(directory, number, where, ServerOptions.DEFAULT, _ -> {}));
  }

  private void stopNode(int number) throws IOException {
    Objects.requireNonNull(servers.remove(number)).close();
  }

  @AfterEach
  void stopAll() throws IOException {
    Closing.closeAll(List.copyOf(servers.values()).reversed());
  }

  private RunningCluster connect() throws IOException {
    return RunningCluster.connect(directory.toString(), ClusterOptions.DEFAULT);
  }

  private void write(RunningCluster cluster) throws IOException {
    OpenOptions made =
        OpenOptions.create().withStrands(NODES).withFirstNode(0).withStripeUnit(UNIT);
    cluster.run(
        1,
        rank -> {
          try (SharedFile file = rank.open("f", made)) {
            file.at(0).write(Memory.of(content));
          }
        });
  }

  private static boolean isAway(int unit) {
    return unit % NODES == AWAY;
  }

  private byte[] unit(int unit) {
    return Arrays.copyOfRange(content, unit * UNIT, Math.min(BYTES, (unit + 1) * UNIT));
  }

  private static void assertAway(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NODE);
              assertThat(e)
                  .hasMessageContaining(" f")
                  .hasMessageContaining("bytes 4096 to 8192 and all others of strand 1")
                  .hasMessageContaining("node 1")
                  .hasMessageContaining("millrace nodes replace 1");
            });
  }

  private void assertOwnBytesOnly(SharedFile file) throws IOException {
    for (int unit = 0; unit < UNITS; unit++) {
      byte[] got = new byte[unit(unit).length];
      long at = (long) unit * UNIT;
      if (isAway(unit)) {
        assertAway(() -> file.at(at).read(Memory.of(got)));
      } else {
        assertThat(file.at(at).read(Memory.of(got))).isEqualTo(got.length);
        assertThat(got).isEqualTo(unit(unit));
      }
    }
    byte[] all = new byte[BYTES];
    assertAway(() -> file.at(0).read(Memory.of(all)));
    assertAway(file::size);
    assertThatThrownBy(file::size).hasMessageContaining("at least " + BYTES + " bytes");
    assertAway(() -> file.at(BYTES - 1).read(Memory.of(all))); // shorter than asked for, perhaps
  }

  @Test
  void aNodeThatIsAwayCostsItsOwnBytesOnly() throws IOException {
    try (RunningCluster cluster = connect()) {
      write(cluster);
      stopNode(AWAY);
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              assertOwnBytesOnly(file);
            }
          });
      startNode(AWAY);
      cluster.run(1, this::readAll);
    }
  }

  private void readAll(Rank rank) throws IOException {
    try (SharedFile file = rank.open("f", OpenOptions.read())) {
      byte[] got = new byte[BYTES + 1];
      assertThat(file.at(0).read(Memory.of(got))).isEqualTo(BYTES);
      assertThat(Arrays.copyOf(got, BYTES)).isEqualTo(content);
      assertThat(file.size()).isEqualTo(BYTES);
    }
  }

  @Test
  void allRanksOpenItAndFailTogetherWhereBytesAreMissing() throws IOException {
    try (RunningCluster cluster = connect()) {
      write(cluster);
    }
    stopNode(AWAY);
    try (RunningCluster cluster = connect()) { // one that never knew the node
      cluster.run(
          3,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              int own = List.of(0, 2, 3).get(rank.number());
              byte[] got = new byte[UNIT];
              assertThat(file.at((long) own * UNIT).all().read(Memory.of(got))).isEqualTo(UNIT);
              assertThat(got).isEqualTo(unit(own));
              int next = rank.number(); // of which one is away
              assertAway(() -> file.at((long) next * UNIT).all().read(Memory.of(got)));
              rank.barrier();
            }
          });
    }
  }

  @Test
  void aViewOfOtherNodesIsWhole() throws IOException {
    try (RunningCluster cluster = connect()) {
      write(cluster);
      stopNode(AWAY);
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", OpenOptions.read())) {
              file.setView(new View(0, Pattern.run(UNIT), (long) NODES * UNIT));
              byte[] got = new byte[2 * UNIT];
              assertThat(file.at(UNIT).read(Memory.of(got))).isEqualTo(got.length);
              assertThat(Arrays.copyOf(got, UNIT)).isEqualTo(unit(3));
            }
          });
    }
  }

  @Test
  void toWriteItAllNodesMustBeThere() throws IOException {
    try (RunningCluster cluster = connect()) {
      write(cluster);
      stopNode(AWAY);
      cluster.run(
          2,
          rank ->
              assertThatThrownBy(() -> rank.open("f", OpenOptions.readWrite()))
                  .isInstanceOfSatisfying(
                      MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NODE))
                  .hasMessageContaining("millrace nodes replace 1"));
    }
  }
}
