package org.millrace.sim.kotz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.Runs;

/** The 36 patterns. */
final class AccessPatternTest {

  private static final int PROCESSES = 16;

  private static long runs(AccessPattern pattern, int process) {
    Pattern part = pattern.part(process, PROCESSES, AccessPattern.FILE_BYTES);
    Runs runs = new Runs();
    runs.reset(part, 0, part.size());
    long count = 0;
    while (runs.next()) {
      count += runs.count();
    }
    return count;
  }

  @Test
  void thereAreThirtySixAndTheirNamesDiffer() {
    assertThat(AccessPattern.all()).hasSize(36);
    var names = new HashSet<String>();
    AccessPattern.all().forEach(one -> names.add(one.name()));
    assertThat(names).hasSize(36).contains("rc 8 KB", "wbc 8 B");
    assertThat(AccessPattern.all()).containsAll(AccessPattern.representative());
  }

  @Test
  void thePartsOfAllProcessesAreTheFileOnce() {
    for (AccessPattern pattern : AccessPattern.all()) {
      long bytes = 160 << 10;
      long taken = 0;
      BitSet words = new BitSet();
      for (int p = 0; p < PROCESSES; p++) {
        Pattern part = pattern.part(p, PROCESSES, bytes);
        Runs runs = new Runs();
        runs.reset(part, 0, part.size());
        while (runs.next()) {
          for (long i = 0; i < runs.count(); i++) {
            int from = (int) ((runs.offset() + i * runs.stride()) / Long.BYTES);
            int to = from + (int) (runs.length() / Long.BYTES);
            taken += words.get(from) || words.get(to - 1) ? 1 : 0;
            words.set(from, to);
          }
        }
      }
      assertThat(taken).as("words of several parts of " + pattern).isZero();
      assertThat(words.cardinality()).as(pattern.name()).isEqualTo(bytes / Long.BYTES);
    }
  }

  @Test
  void theFileAndTheMachineHaveThePapersSizes() {
    assertThat(AccessPattern.FILE_BYTES).isEqualTo(10 << 20);
    assertThat(AccessPattern.BLOCK).isEqualTo(8 << 10);
    assertThat(AccessPattern.FILE_BYTES / AccessPattern.BLOCK).isEqualTo(1280);
    assertThat(Experiment.PROCESSES).as("of the I/O application, and so many nodes").isEqualTo(16);
    Outcome read =
        Experiment.run(
            Hardware.TABLE_1,
            new AccessPattern(false, "c", AccessPattern.BLOCK),
            FileSystem.TRADITIONAL,
            16 * AccessPattern.BLOCK,
            1);
    assertThat(read.reads()).as("a block on each of 16 disks").isEqualTo(16);
    assertThat(read.shares().disks()).as("which all work at once").isGreaterThan(0.5);
  }

  @Test
  void sixPatternsAreHardAndAskForEachElementAlone() {
    List<AccessPattern> hard = AccessPattern.all().stream().filter(AccessPattern::isHard).toList();
    assertThat(hard).hasSize(6);
    long each = AccessPattern.FILE_BYTES / Long.BYTES / PROCESSES;
    assertThat(hard).allSatisfy(one -> assertThat(runs(one, 5)).isEqualTo(each));
  }

  @Test
  void blocksOfSmallElementsAreOneRun() {
    assertThat(runs(new AccessPattern(false, "b", AccessPattern.SMALL), 3)).isEqualTo(1);
    assertThat(runs(new AccessPattern(false, "n", AccessPattern.SMALL), 0)).isEqualTo(1);
    assertThat(runs(new AccessPattern(false, "n", AccessPattern.SMALL), 1)).isZero();
  }

  @Test
  void otherLettersAreRefused() {
    assertThatThrownBy(() -> new AccessPattern(true, "xx", 8)).hasMessageContaining("xx");
  }
}
