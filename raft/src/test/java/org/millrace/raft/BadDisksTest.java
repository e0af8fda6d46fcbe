package org.millrace.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.coordinator.Batch;
import org.millrace.coordinator.LeaseTimes;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.testing.Eventually;

/** Members whose log is lost, cannot be written, or cannot be read. */
final class BadDisksTest {

  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path folder;

  /**
   * It has forgotten what it voted for; with it and one other an acknowledged name could be lost.
   */
  @Test
  void aMemberWhoseLogIsGoneDoesNotComeBack() throws Exception {
    try (TestGroup group = new TestGroup(folder, LeaseTimes.DEFAULT)) {
      int leader = group.awaitLeader();
      int follower = (leader + 1) % 3;
      group.stop(follower);
      remove(group.folderOf(follower));
      assertThatThrownBy(() -> group.start(follower))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("millrace coordinators replace " + follower);
    }
  }

  /** Ratis itself keeps a leader in office whose log has failed. */
  @Test
  void aLeaderWhoseDiskFailsLeavesAndAnotherOneLeads() throws Exception {
    try (TestGroup group = new TestGroup(folder, LeaseTimes.DEFAULT)) {
      int leader = group.awaitLeader();
      group.ask(leader, new CoordinatorRequest.MakeDirectory("before", 0755), 5 * SECOND);
      group.failLog(leader);
      Eventually.holds("another leads", () -> group.leader() >= 0 && group.leader() != leader);
      assertThat(ThreeCoordinatorsTest.names(group)).containsExactly("before");
      assertThat(group.said()).anyMatch(line -> line.contains("trouble: coordinator-" + leader));
    }
  }

  @Test
  void anEntryThatCannotBeReadIsNotSkipped() throws Exception {
    List<Throwable> failures = new ArrayList<>();
    NameStateMachine machine = new NameStateMachine(failures::add);
    byte[] later = new Batch(1, 1, List.of()).encode();
    later[0] = 2;
    var answer = machine.applyTransaction(entry(machine, 1, later));
    assertThat(answer).isCompletedExceptionally();
    assertThat(failures).singleElement().asString().contains("version 2");
    assertThat(machine.getLastAppliedTermIndex().getIndex()).isLessThan(1);
  }

  private static TransactionContext entry(NameStateMachine machine, long index, byte[] bytes) {
    return TransactionContext.newBuilder()
        .setStateMachine(machine)
        .setLogEntry(
            LogEntryProto.newBuilder()
                .setTerm(1)
                .setIndex(index)
                .setStateMachineLogEntry(
                    StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFrom(bytes)))
                .build())
        .build();
  }

  private static void remove(Path path) throws IOException {
    try (var all = Files.walk(path)) {
      all.sorted(Comparator.reverseOrder())
          .forEach(
              one -> {
                try {
                  Files.delete(one);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
