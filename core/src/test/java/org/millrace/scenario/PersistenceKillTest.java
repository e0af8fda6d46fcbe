package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.scenario.BadInputs.assertFails;
import static org.millrace.scenario.PersistenceChild.RANKS;
import static org.millrace.scenario.PersistenceChild.RECORD;
import static org.millrace.scenario.PersistenceChild.RECORDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.testing.Seeds;

/**
 * A JVM killed in the middle of writing: what it had acknowledged is there, whole, for any ranks.
 */
final class PersistenceKillTest {

  private static final int KILLS = 4;

  @TempDir Path directory;

  private static RunningCluster open(Path place) throws IOException {
    return RunningCluster.embedded(place, 2, BadInputs.options());
  }

  @Test
  void everyAcknowledgedFlushSurvivesAKill() throws Exception {
    for (long seed : Seeds.of(1)) {
      RandomGenerator random = SeededEnv.of(seed).random("kills");
      Path place = Files.createTempDirectory(directory, "killed");
      try {
        int[] flushed = new int[RANKS];
        int made = 0;
        for (int kill = 0; kill < KILLS; kill++) {
          flushed = new int[RANKS]; // each child begins again with version 1
          made = Math.max(made, killSomewhere(place, random, flushed));
          check(place, flushed, made);
        }
      } catch (Exception | AssertionError e) {
        throw new AssertionError(Seeds.replay(seed) + ": " + e, e);
      }
    }
  }

  /**
   * Lets a child write until it has said a random number of things, kills it, and notes all that it
   * said.
   */
  private static int killSomewhere(Path place, RandomGenerator random, int[] flushed)
      throws Exception {
    int made = 0;
    try (var child = PersistenceChild.start(place, "write")) {
      List<String> lines = new ArrayList<>();
      // at least every rank's first flush, else versions of the child before are in the way
      int enough = RANKS + 1 + random.nextInt(40);
      while (lines.size() < enough || !everyRankFlushed(lines)) {
        String line = child.output().readLine();
        assertThat(line).as("the child ended by itself after %s", lines).isNotNull();
        lines.add(line);
      }
      lines.addAll(child.kill());
      for (String line : lines) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("flushed") && words.length == 3) {
          flushed[Integer.parseInt(words[1])] = Integer.parseInt(words[2]);
        } else if (words[0].equals("made") && words.length == 2) {
          made = Integer.parseInt(words[1]);
        }
      }
    }
    return made;
  }

  private static boolean everyRankFlushed(List<String> lines) {
    return lines.stream().filter(l -> l.startsWith("flushed") && l.endsWith(" 1")).count() >= RANKS;
  }

  private static void check(Path place, int[] flushed, int made) throws IOException {
    try (RunningCluster cluster = open(place)) {
      cluster.run(
          2,
          rank -> {
            try (var file = rank.open("records", OpenOptions.read())) {
              for (int r = rank.number(); r < RANKS; r += rank.size()) {
                for (int i = 0; i < RECORDS; i++) {
                  byte[] found = new byte[RECORD];
                  assertThat(file.at(PersistenceChild.offset(r, i)).read(Memory.of(found)))
                      .isEqualTo(RECORD);
                  checkRecord(r, i, flushed[r], found);
                }
              }
            }
            for (int version = 1; version <= made && rank.number() == 0; version++) {
              BadInputs.assertContent(
                  rank, "small-" + version, PersistenceChild.record(0, 0, version));
            }
          });
      BadInputs.store(cluster, "next", new byte[] {1, 2, 3});
      BadInputs.assertContent(cluster, "next", new byte[] {1, 2, 3});
    }
  }

  /**
   * Each byte is that of the flushed version or of the one that was being written when the kill
   * came.
   */
  private static void checkRecord(int rank, int record, int version, byte[] found) {
    byte[] sure = PersistenceChild.record(rank, record, version);
    byte[] next = PersistenceChild.record(rank, record, version + 1);
    // the line about a flush may have been lost with the child: one more version may be there
    byte[] last = PersistenceChild.record(rank, record, version + 2);
    for (int i = 0; i < found.length; i++) {
      if (found[i] != sure[i] && found[i] != next[i] && found[i] != last[i]) {
        throw new AssertionError(
            "byte %d of record %d of rank %d, flushed in version %d, is %d, not %d or %d"
                .formatted(i, record, rank, version, found[i], sure[i], next[i]));
      }
    }
  }

  @Test
  void aClusterOfAnotherProcessIsRefusedUntilThatIsGone() throws Exception {
    Path place = Files.createDirectory(directory.resolve("held"));
    try (RunningCluster cluster = open(place)) {
      BadInputs.store(cluster, "file", new byte[] {4, 5, 6});
    }
    try (var child = PersistenceChild.start(place, "hold")) {
      assertThat(child.output().readLine()).isEqualTo("open");
      for (int again = 0; again < 2; again++) {
        assertFails(
            ErrorCode.IN_USE,
            () -> open(place),
            place.getFileName().toString(),
            "pid " + child.process().pid());
      }
      child.kill();
    }
    try (RunningCluster cluster = open(place)) {
      BadInputs.assertContent(cluster, "file", new byte[] {4, 5, 6});
    }
  }
}
