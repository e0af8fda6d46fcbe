package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.BlockFile;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;

/**
 * A file that is deleted when it is closed leaves neither name nor strands, however it is closed.
 */
final class DeleteOnCloseTest {

  private static final OpenOptions TEMPORARY = OpenOptions.create().withDeleteOnClose();

  private final Disk node = new MemoryDisk("n");
  private RunningCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster =
        RunningCluster.over(Env.real(), new MemoryDisk("c"), List.of(node), BadInputs.options());
  }

  @AfterEach
  void leavesNothing() throws IOException {
    cluster.run(1, rank -> assertThat(rank.names().list("")).isEmpty());
    assertThat(BlockFile.listStrands(node)).isEmpty();
    cluster.close();
  }

  @Test
  void closedByItsGroup() throws IOException {
    cluster.run(
        3,
        rank -> {
          try (SharedFile file = rank.open("f", TEMPORARY)) {
            file.at(rank.number()).write(Memory.of(new byte[] {1}));
          }
          rank.barrier();
          assertThat(BlockFile.listStrands(node)).isEmpty();
        });
  }

  @Test
  void closedLastByAGroupThatDidNotAskForIt() throws IOException {
    cluster.run(
        1,
        rank -> {
          SharedFile first = rank.open("f", TEMPORARY);
          SharedFile second = rank.alone().open("f", OpenOptions.readWrite());
          first.close();
          assertThat(second.at(0).write(Memory.of(new byte[9]))).isEqualTo(9);
          second.close();
        });
  }

  @Test
  void notClosedByARunThatReturned() throws IOException {
    cluster.run(2, rank -> rank.open("f", TEMPORARY).write(Memory.of(new byte[9])));
  }

  @Test
  void notClosedByARunThatFailed() {
    assertThatThrownBy(
            () ->
                cluster.run(
                    2,
                    rank -> {
                      rank.open("f", TEMPORARY).write(Memory.of(new byte[9]));
                      throw new IllegalStateException("boom");
                    }))
        .hasMessage("boom");
  }
}
