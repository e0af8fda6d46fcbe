package org.millrace.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;

/** The workload of the campaigns, on a cluster that nothing happens to, and on one that lies. */
final class WorkloadTest {

  private static final int WRITERS = 2;

  @TempDir private Path folder;

  private interface Harm {
    void toDo(Rank rank) throws IOException;
  }

  /** Writes for a while, does harm, and returns what the check finds. */
  private List<String> found(Harm harm) throws IOException {
    List<String> findings = new ArrayList<>();
    Workload workload = new Workload(WRITERS);
    try (RunningCluster cluster = RunningCluster.embedded(folder, 2)) {
      cluster.run(1, workload::begin);
      cluster.run(
          WRITERS,
          rank -> {
            assertThat(write(workload, rank)).isNull();
          });
      assertThat(workload.acknowledged()).isPositive();
      assertThat(workload.changes()).isPositive();
      cluster.run(1, rank -> findings.addAll(workload.check(rank)));
      assertThat(findings).isEmpty();
      cluster.run(1, harm::toDo);
      cluster.run(1, rank -> findings.addAll(workload.check(rank)));
    }
    return findings;
  }

  /** Ends when there is something of everything. */
  private static @Nullable String write(Workload workload, Rank rank) {
    return workload.writeUntil(
        rank, rank.number(), 17, () -> workload.acknowledged() > 20 && workload.changes() > 5);
  }

  @Test
  void nothingIsFoundWhereNothingIsWrong() throws IOException {
    assertThat(found(_ -> {})).isEmpty();
  }

  @Test
  void bytesThatAreGoneAreFound() throws IOException {
    assertThat(
            found(
                rank -> {
                  try (SharedFile file = rank.open("small", OpenOptions.readWrite())) {
                    file.resize(0);
                  }
                }))
        .anyMatch(one -> one.startsWith("small: sector"));
  }

  @Test
  void halfATransactionIsFound() throws IOException {
    assertThat(
            found(
                rank -> {
                  try (Arena arena = Arena.ofConfined();
                      SharedFile file = rank.open("left", OpenOptions.readWrite())) {
                    file.at(0).write(arena.allocate((long) WRITERS * Sector.BYTES));
                  }
                }))
        .anyMatch(one -> one.contains("in one of two files"));
  }

  @Test
  void aNameThatIsGoneIsFound() throws IOException {
    assertThat(found(rank -> rank.names().makeDirectory("names-1/nobody-made-this")))
        .anyMatch(one -> one.startsWith("names of names-1"));
  }
}
