package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That worlds depend on their seeds alone, and that there is nothing to find in the first ones. */
final class HuntTest {

  private static final int SEEDS = 12 * Integer.getInteger("millrace.campaign", 1);
  private static final int NEW_PROCESS_SEEDS = 4;

  /** Of each seed run by itself. */
  private static Map<Long, Long> hashes(int seeds) {
    Map<Long, Long> hashes = new TreeMap<>();
    for (long seed = 1; seed <= seeds; seed++) {
      hashes.put(seed, Hunt.run(seed).traceHash());
    }
    return hashes;
  }

  @Test
  void seedsHaveTheSameTracesBesideOthersAsAloneAndAreClean() {
    Map<Long, Long> beside = new ConcurrentHashMap<>();
    List<Verdict> failures =
        new Campaign(
                1,
                SEEDS,
                Optional.empty(),
                3,
                v -> beside.put(v.seed(), v.traceHash()),
                Optional.empty())
            .run(4);
    assertThat(failures).as("replay: millrace sim hunt --seed S").isEmpty();
    assertThat(new TreeMap<>(beside)).isEqualTo(hashes(SEEDS));
  }

  /**
   * Worlds that run side by side from the first moment of a JVM load the same classes and make the
   * same tables of the JDK. {@code -Dmillrace.hunts=40} hunts in so many new JVMs.
   */
  @Tag("long")
  @Test
  void seedsThatRunSideBySideHaveTheSameTracesInEveryNewProcess()
      throws IOException, InterruptedException {
    List<String> here =
        hashes(NEW_PROCESS_SEEDS).entrySet().stream()
            .map(each -> each.getKey() + " " + each.getValue() + " clean")
            .toList();
    for (int i = 0; i < Integer.getInteger("millrace.hunts", 1); i++) {
      assertThat(inNewProcess()).as("hunt " + i).isEqualTo(here);
    }
  }

  private static List<String> inNewProcess() throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-XX:-UsePerfData", // see pom.xml
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                HuntChild.class.getName(),
                Integer.toString(NEW_PROCESS_SEEDS),
                Integer.toString(NEW_PROCESS_SEEDS))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).isZero();
    return printed.lines().toList();
  }

  @Test
  void theCoursesOfASeedAreTheSameLineByLine(@TempDir Path folder) throws IOException {
    for (String name : List.of("one", "other")) {
      new Campaign(2, 1, Optional.empty(), 1, _ -> {}, Optional.of(folder.resolve(name))).run(1);
    }
    Path one = folder.resolve("one").resolve("seed-2.schedule");
    assertThat(folder.resolve("other").resolve("seed-2.schedule")).hasSameTextualContentAs(one);
    assertThat(java.nio.file.Files.readString(one))
        .contains("made ready by a timer")
        .contains("'main' < ");
  }

  @Test
  void otherSeedsHaveOtherTraces() {
    Map<Long, Long> hashes = hashes(4);
    assertThat(new TreeSet<>(hashes.values())).hasSameSizeAs(hashes.keySet());
  }

  @Test
  void aFailingSeedTellsTheSameStoryTwice() {
    Verdict first = Hunt.run(6, Plant.DROPPED_DIRTY_BLOCK);
    assertThat(first.failure()).isPresent();
    assertThat(first.story()).anyMatch(line -> line.contains("checker"));
    assertThat(Hunt.run(6, Plant.DROPPED_DIRTY_BLOCK)).isEqualTo(first);
  }
}
