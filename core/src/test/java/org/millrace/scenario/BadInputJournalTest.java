package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.scenario.BadInputs.assertFails;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * A journal that lost its end, at every length it can have, or that is damaged, or gone: the
 * cluster opens with what was acknowledged up to some point, or says what is wrong; and in no case
 * does it destroy what the journal would still know if it were put back.
 */
final class BadInputJournalTest {

  private static final byte[] A = BadInputs.content(1000, 10);
  private static final byte[] B = BadInputs.content(2000, 11);
  private static final byte[] C = BadInputs.content(3000, 12);

  @TempDir Path directory;

  /** What was acknowledged up to a length of the journal. */
  private record State(int length, Map<String, byte[]> files) {}

  private Path journal() {
    return directory.resolve("coordinator").resolve("journal");
  }

  private RunningCluster open() throws IOException {
    return RunningCluster.embedded(directory, 1, BadInputs.options());
  }

  interface Act {
    void run(Rank rank) throws Exception;
  }

  private final List<State> states = new ArrayList<>();

  private void step(RunningCluster cluster, Act act, Map<String, byte[]> files) throws Exception {
    cluster.run(1, act::run);
    states.add(new State((int) Files.size(journal()), new TreeMap<>(files)));
  }

  private static void store(Rank rank, String path, byte[] bytes) throws IOException {
    try (var file = rank.open(path, OpenOptions.create())) {
      assertThat(file.at(0).write(Memory.of(bytes))).isEqualTo(bytes.length);
    }
  }

  private byte[] history() throws Exception {
    try (RunningCluster cluster = open()) {
      step(cluster, _ -> {}, Map.of());
      step(cluster, r -> r.names().makeDirectory("d"), Map.of());
      step(cluster, r -> store(r, "a", A), Map.of("a", A));
      step(cluster, r -> store(r, "d/b", B), Map.of("a", A, "d/b", B));
      step(cluster, r -> r.names().rename("a", "d/a"), Map.of("d/a", A, "d/b", B));
      step(cluster, r -> store(r, "c", C), Map.of("d/a", A, "d/b", B, "c", C));
      step(cluster, r -> r.names().setPermissions("c", 0600), states.getLast().files());
      step(cluster, r -> r.names().remove("d/b"), Map.of("d/a", A, "c", C));
    }
    return Files.readAllBytes(journal());
  }

  private static List<String> files(Rank rank) throws IOException {
    List<String> names = new ArrayList<>(rank.names().list(""));
    if (names.remove("d/")) {
      rank.names().list("d").forEach(name -> names.add("d/" + name));
    }
    names.sort(null);
    return names;
  }

  /**
   * The bytes of every file that is still whole must be right; "d/b" was removed and may be told
   * missing.
   */
  private void checkBytes(Rank rank, Map<String, byte[]> expected) throws IOException {
    for (var one : expected.entrySet()) {
      if (one.getKey().equals("d/b")) {
        assertFails(
            ErrorCode.CORRUPT, () -> BadInputs.assertContent(rank, "d/b", B), ".strand", "missing");
      } else {
        BadInputs.assertContent(rank, one.getKey(), one.getValue());
      }
    }
  }

  @Test
  void aJournalCutAtEveryLengthOpensWithAPrefixOrSaysWhatIsWrong() throws Exception {
    byte[] whole = history();
    int opened = 0;
    int refused = 0;
    for (int length = 0; length < whole.length; length++) {
      Files.write(journal(), Arrays.copyOf(whole, length));
      State before = states.getFirst();
      State after = states.getFirst();
      for (State state : states) {
        before = state.length <= length ? state : before;
      }
      after = states.get(Math.min(states.indexOf(before) + 1, states.size() - 1));
      List<Map<String, byte[]>> possible = List.of(before.files, after.files);
      try (RunningCluster cluster = open()) {
        int cut = length;
        cluster.run(
            1,
            rank -> {
              List<String> found = files(rank);
              Map<String, byte[]> expected =
                  possible.stream()
                      .filter(files -> List.copyOf(files.keySet()).equals(found))
                      .findFirst()
                      .orElseThrow(() -> new AssertionError("cut at " + cut + ": " + found));
              checkBytes(rank, expected);
            });
        opened++;
      } catch (MillraceException e) {
        assertThat(e.code()).as(e.toString()).isEqualTo(ErrorCode.CORRUPT);
        assertThat(e.getMessage()).contains("journal", "coordinator", "node-0", "strand");
        refused++;
      }
    }
    assertThat(opened).isPositive();
    assertThat(refused).isPositive();
    Files.write(journal(), whole);
    try (RunningCluster cluster = open()) {
      cluster.run(
          1,
          rank -> {
            assertThat(files(rank)).containsExactly("c", "d/a");
            checkBytes(rank, states.getLast().files());
            store(rank, "next", A);
          });
      BadInputs.assertContent(cluster, "next", A);
    }
  }

  @Test
  void aJournalWithAFlippedBitOpensWithAPrefixOrSaysWhatIsWrong() throws Exception {
    byte[] whole = history();
    for (int at = 0; at < whole.length; at += 3) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 1;
      Files.write(journal(), flipped);
      try (RunningCluster cluster = open()) {
        // only the last frame can be taken for a torn end
        assertThat(at).isGreaterThanOrEqualTo(states.get(states.size() - 2).length);
        cluster.run(
            1,
            rank -> {
              // the last frame but one is that of the removal; the last only says that it is done
              boolean removed = !files(rank).contains("d/b");
              checkBytes(rank, states.get(states.size() - (removed ? 1 : 2)).files());
            });
      } catch (MillraceException e) {
        assertThat(e.code()).as(e.toString()).isEqualTo(ErrorCode.CORRUPT);
        assertThat(e.getMessage()).contains("journal", "offset");
      }
    }
    Files.write(journal(), whole);
    try (RunningCluster cluster = open()) {
      cluster.run(1, rank -> checkBytes(rank, states.getLast().files()));
    }
  }

  @Test
  void aJournalThatIsGoneIsAnErrorAndDestroysNothing() throws Exception {
    byte[] whole = history();
    Files.delete(journal());
    for (int again = 0; again < 2; again++) {
      assertFails(ErrorCode.CORRUPT, this::open, "journal", "node-0");
    }
    Files.write(journal(), whole);
    try (RunningCluster cluster = open()) {
      cluster.run(1, rank -> checkBytes(rank, states.getLast().files()));
    }
  }
}
