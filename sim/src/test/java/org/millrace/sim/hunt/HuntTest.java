package org.millrace.sim.hunt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** That worlds depend on their seeds alone, and that there is nothing to find in the first ones. */
final class HuntTest {

  private static final int SEEDS = 24;

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
        new Campaign(1, SEEDS, Optional.empty(), 3, v -> beside.put(v.seed(), v.traceHash()))
            .run(4);
    assertThat(failures).as("replay: millrace sim hunt --seed S").isEmpty();
    assertThat(new TreeMap<>(beside)).isEqualTo(hashes(SEEDS));
  }

  @Test
  void seedsHaveTheSameTracesInAnotherProcess() throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                HuntChild.class.getName()));
    Map<Long, Long> here = hashes(4);
    here.keySet().forEach(seed -> command.add(Long.toString(seed)));
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).isZero();
    assertThat(printed.lines().map(Long::valueOf))
        .containsExactlyElementsOf(List.copyOf(here.values()));
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
