package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.Faults;
import org.millrace.disk.FaultyDisk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** What one rank cannot do fails on all that meet with it, promptly. */
final class FailTogetherTest {

  @Test
  void aGlobalWriteThatIsWrongUseFailsOnAllRanks() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(2)) {
      cluster.run(
          3,
          rank -> {
            try (var file = rank.open("f", OpenOptions.create().withMode(Mode.GLOBAL))) {
              file.setView(new View(Long.MAX_VALUE - 100, Pattern.run(1), 16));
              Throwable e = catchThrowable(() -> file.write(Memory.of(new byte[200])));
              assertThat(e).isInstanceOf(MillraceException.class);
              assertThat(((MillraceException) e).code()).isEqualTo(ErrorCode.INVALID);
            }
          });
    }
  }

  @Test
  void whoCannotSeeTheEndOfTheFileFailsAllThatMeet() throws Exception {
    for (Mode mode : List.of(Mode.ORDERED, Mode.GLOBAL)) {
      Faults faults = Faults.seeded(1);
      MemoryDisk coordinator = new MemoryDisk("c");
      Disk node = new FaultyDisk(new MemoryDisk("n"), faults);
      try (RunningCluster cluster =
          RunningCluster.over(Env.real(), coordinator, List.of(node), BadInputs.options())) {
        BadInputs.store(cluster, "f", BadInputs.content(10_000, 1)); // too large for the log
      }
      try (RunningCluster cluster =
          RunningCluster.over(Env.real(), coordinator, List.of(node), BadInputs.options())) {
        faults.fail(Faults.Operation.OPEN, _ -> true, 0, 1);
        cluster.run(
            3,
            rank -> {
              try (var file = rank.open("f", OpenOptions.read().withMode(mode))) {
                BadInputs.assertFails(ErrorCode.DISK, () -> file.read(Memory.of(new byte[10])));
                assertThat(file.read(Memory.of(new byte[10]))).isEqualTo(10);
                assertThat(file.position()).isEqualTo(mode == Mode.ORDERED ? 30 : 10);
              }
            });
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // wrong on purpose
  void openingNullFailsOnAllRanks() throws Exception {
    try (RunningCluster cluster = BadInputs.inMemory(1)) {
      cluster.run(
          2,
          rank -> {
            assertThat(catchThrowable(() -> rank.open(null, OpenOptions.create())))
                .isInstanceOf(NullPointerException.class);
          });
    }
  }
}
