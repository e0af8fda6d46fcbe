package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.StrandId;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Eventually;

/**
 * Nodes that own strands with copies are killed, as processes: others take over. Each waits for
 * real leases; the hunt does the same in virtual time.
 */
@Tag("long")
final class LostOwnersTest {

  private static final int NODES = 3;
  private static final int BYTES = 300_000;
  private static final OpenOptions TWO =
      OpenOptions.create().withCopies(2).withStrands(1).withFirstNode(0);

  @TempDir private Path directory;

  private final ServerHosts hosts = new ServerHosts();

  private Role role() {
    return new Role(-1, NODES, 64 << 10, 8 << 20, Talk.SOCKETS, 20_000, 1_000, directory);
  }

  @BeforeEach
  void start() throws IOException {
    hosts.serve(role());
  }

  @AfterEach
  void end() throws IOException {
    hosts.close();
  }

  private RunningCluster connect() throws IOException {
    return RunningCluster.connect(
        new ClusterLocation.In(directory), ClusterOptions.DEFAULT, role().transport());
  }

  private static byte[] content(int seed) {
    byte[] bytes = new byte[BYTES];
    Arrays.fill(bytes, (byte) seed);
    bytes[seed] = 1;
    return bytes;
  }

  private static byte[] read(SharedFile file) throws IOException {
    byte[] got = new byte[BYTES];
    assertThat(file.at(0).read(Memory.of(got))).isEqualTo(BYTES);
    return got;
  }

  private static CopySet set(RunningCluster cluster, Rank rank, String name) throws IOException {
    FileEntry file = rank.names().stat(name);
    var asked = new CoordinatorRequest.AskCopies(new StrandId(file.id(), 0));
    return ((CoordinatorReply.CopiesAt) cluster.ask(asked)).set();
  }

  @Test
  void aProgramThatHasFlushedGoesOnWithoutNoticing() throws IOException {
    try (RunningCluster cluster = connect()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", TWO)) {
              file.at(0).write(Memory.of(content(3)));
              file.flush();
              CopySet before = set(cluster, rank, "f");
              hosts.jvm(0).kill();
              assertThat(read(file)).isEqualTo(content(3));
              file.at(0).write(Memory.of(content(4)));
              file.flush();
              CopySet after = set(cluster, rank, "f");
              assertThat(after.owner()).isEqualTo(before.others().getFirst());
              assertThat(after.missing()).containsExactly(0);
              assertThat(after.epoch()).isGreaterThan(before.epoch());
              assertThat(read(file)).isEqualTo(content(4));
            }
          });
    }
  }

  @Test
  void aProgramWithUnflushedWritesIsToldThatTheyAreLost() throws IOException {
    try (RunningCluster cluster = connect()) {
      cluster.run(
          1,
          rank -> {
            SharedFile file = rank.open("f", TWO);
            file.at(0).write(Memory.of(content(3)));
            file.flush();
            file.at(0).write(Memory.of(content(4)));
            hosts.jvm(0).kill();
            for (int i = 0; i < 2; i++) {
              assertThatThrownBy(file::flush)
                  .isInstanceOfSatisfying(
                      MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOST));
            }
            assertThatThrownBy(file::close).isInstanceOf(MillraceException.class);
            try (SharedFile again = rank.open("f", OpenOptions.readWrite())) {
              assertThat(read(again)).as("what was flushed is there").isEqualTo(content(3));
            }
          });
    }
  }

  @Test
  void aRankThatFlushesForOthersIsToldOfTheirLostWrites() throws IOException {
    try (RunningCluster cluster = connect()) {
      cluster.run(
          2,
          rank -> {
            SharedFile file = rank.open("f", TWO);
            if (rank.number() == 1) { // late, and the other rank has written nothing
              file.at(0).write(Memory.of(content(5)));
              hosts.jvm(0).kill();
            }
            rank.barrier();
            if (rank.number() == 0) {
              assertThatThrownBy(file::flush)
                  .isInstanceOfSatisfying(
                      MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOST));
            }
            rank.barrier();
            assertThatThrownBy(file::close).isInstanceOf(MillraceException.class);
          });
    }
  }

  @Test
  void aNodeThatReturnsGetsItsCopiesBackAndCanTakeOver() throws IOException {
    try (RunningCluster cluster = connect()) {
      cluster.run(
          1,
          rank -> {
            try (SharedFile file = rank.open("f", TWO)) {
              file.at(0).write(Memory.of(content(3)));
              file.flush();
              hosts.jvm(0).kill();
              file.at(0).write(Memory.of(content(4)));
              file.flush();
              int second = set(cluster, rank, "f").owner();
              assertThat(second).isNotZero();
              hosts.jvm(0).send(role().as(0).toString());
              hosts.jvm(0).expect("ok");
              Eventually.holds(
                  "the copy is in sync again", () -> set(cluster, rank, "f").inSync().contains(0));
              hosts.jvm(second).kill();
              assertThat(read(file)).isEqualTo(content(4));
              assertThat(set(cluster, rank, "f").owner()).isZero();
            }
          });
    }
  }

  @Test
  void anOwnerThatWasStoppedWritesNoMoreWhenItGoesOn() throws IOException {
    try (RunningCluster cluster = connect();
        RunningCluster other = connect()) {
      cluster.run(
          1,
          rank -> {
            SharedFile file = rank.open("f", TWO);
            file.at(0).write(Memory.of(content(3)));
            file.flush();
            file.at(0).write(Memory.of(content(4))); // in the stopped node's cache
            hosts.jvm(0).stop();
            other.run(
                1,
                second -> {
                  Eventually.holds(
                      "another node owns it", () -> set(other, second, "f").owner() != 0);
                  try (SharedFile theirs = second.open("f", OpenOptions.readWrite())) {
                    assertThat(read(theirs)).isEqualTo(content(3));
                    theirs.at(0).write(Memory.of(content(6)));
                    theirs.flush();
                  }
                });
            hosts.jvm(0).resume();
            assertThatThrownBy(file::flush).isInstanceOf(MillraceException.class);
            assertThatThrownBy(file::close).isInstanceOf(MillraceException.class);
            try (SharedFile again = rank.open("f", OpenOptions.read())) {
              assertThat(read(again)).isEqualTo(content(6));
            }
          });
    }
  }
}
