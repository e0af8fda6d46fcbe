package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;

/**
 * Processes that append to one log by its shared pointer, while one of them is killed or stopped,
 * or cannot map the nodes' memory: every record is there once and whole, and none is between them.
 */
final class AppendingProcessesTest {

  private static final int RANKS = 3;
  private static final int NODES = 2;
  private static final int RECORDS = 3_000;
  private static final int LOST = RANKS - 1;
  private static final int RECORD = AppendChild.RECORD;

  @TempDir private Path directory;

  private interface Disturbing {
    void disturb(List<Jvm> ranks) throws IOException;
  }

  private final ServerHosts servers = new ServerHosts();

  private Role role() {
    return new Role(-1, NODES, 64 << 10, 8 << 20, Talk.SHARED_MEMORY, 20_000, 5_000, directory);
  }

  private void restartCoordinator() throws IOException {
    Jvm old = servers.jvm(ServerHost.COORDINATOR);
    old.kill();
    old.await();
    Jvm fresh = servers.jvm(ServerHost.COORDINATOR);
    fresh.send(role().as(ServerHost.COORDINATOR).toString());
    fresh.expect("ok");
  }

  private byte[] log(String lastRank, Disturbing disturbing) throws IOException {
    Role role = role();
    List<Jvm> ranks = new ArrayList<>();
    try (var hosts = servers) {
      hosts.serve(role);
      for (int r = 0; r < RANKS; r++) {
        String how = r == LOST ? lastRank : "near";
        ranks.add(
            Jvm.start(
                AppendChild.class,
                Map.of(),
                Integer.toString(r),
                Integer.toString(RANKS),
                how,
                Integer.toString(RECORDS),
                directory.toString()));
      }
      for (Jvm one : ranks) {
        one.expect("half");
      }
      disturbing.disturb(ranks);
      byte[][] found = new byte[1][];
      try (RunningCluster cluster =
          RunningCluster.connect(
              new ClusterLocation.In(directory), BadInputs.options(), role.transport())) {
        cluster.run(1, rank -> found[0] = Bytes.ofFile(rank, "log"));
      }
      return found[0];
    } finally {
      for (Jvm one : ranks) {
        one.close();
      }
    }
  }

  private static void goOn(List<Jvm> ranks) throws IOException {
    for (Jvm one : ranks) {
      one.send("go on");
    }
    for (Jvm one : ranks) {
      one.expect("on");
    }
  }

  private static void finish(List<Jvm> ranks) throws IOException {
    for (Jvm one : ranks) {
      one.expect("done");
    }
  }

  /** Checks a log of which a lost rank's last record may be missing, and what it was doing. */
  private static void check(byte[] log, int holes) {
    assertThat(log.length % RECORD).as("a part of a record").isZero();
    BitSet[] seen = new BitSet[RANKS];
    Arrays.setAll(seen, _ -> new BitSet());
    int empty = 0;
    for (int at = 0; at < log.length; at += RECORD) {
      byte[] one = Arrays.copyOfRange(log, at, at + RECORD);
      ByteBuffer head = ByteBuffer.wrap(one).order(ByteOrder.LITTLE_ENDIAN);
      int rank = head.getInt() - 1;
      int number = head.getInt();
      if (rank < 0 || !Arrays.equals(one, AppendChild.record(rank, number))) {
        empty++;
      } else {
        assertThat(seen[rank].get(number)).as("record %d of rank %d twice", number, rank).isFalse();
        seen[rank].set(number);
      }
    }
    assertThat(empty).as("places without a record").isLessThanOrEqualTo(holes);
    for (int r = 0; r < RANKS; r++) {
      int whole = seen[r].nextClearBit(0);
      assertThat(seen[r].cardinality() - whole).as("behind a lost one").isLessThanOrEqualTo(holes);
      if (holes == 0 || r != LOST) {
        assertThat(whole).as("records of rank %d", r).isEqualTo(RECORDS);
      }
    }
  }

  @Tag("long")
  @Test
  void everyRecordIsThereOnce() throws IOException {
    byte[] log =
        log(
            "near",
            ranks -> {
              goOn(ranks);
              finish(ranks);
            });
    check(log, 0);
    byte[] damaged = log.clone(); // the control: what a record that is lost looks like
    Arrays.fill(damaged, 5 * RECORD, 6 * RECORD, (byte) 0);
    assertThatThrownBy(() -> check(damaged, 0)).isInstanceOf(AssertionError.class);
  }

  @Tag("long")
  @Test
  void aRankThatCannotMapTheMemoryAppendsBesideThoseThatCan() throws IOException {
    check(
        log(
            "far",
            ranks -> {
              goOn(ranks);
              finish(ranks);
            }),
        0);
  }

  @Test
  void aRankThatIsStoppedHoldsUpNobodyAndLosesNothing() throws IOException {
    check(
        log(
            "near",
            ranks -> {
              goOn(ranks);
              ranks.get(LOST).stop();
              finish(ranks.subList(0, LOST));
              ranks.get(LOST).resume();
              finish(ranks.subList(LOST, RANKS));
            }),
        0);
  }

  @Test
  void aRankThatIsKilledLeavesWhatItHadAppended() throws IOException {
    check(
        log(
            "near",
            ranks -> {
              goOn(ranks);
              ranks.get(LOST).kill();
              finish(ranks.subList(0, LOST));
            }),
        2); // a record, and one that was written asynchronously beside it
  }

  @Test
  void aCoordinatorThatIsKilledAndStartedAgainLosesNoRecordAndGivesNoPlaceTwice()
      throws IOException {
    check(
        log(
            "near",
            ranks -> {
              goOn(ranks);
              restartCoordinator();
              finish(ranks);
            }),
        0);
  }
}
