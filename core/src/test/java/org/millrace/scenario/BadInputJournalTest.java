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
 * A journal that was cut, that lost its end, that is damaged, or gone: the cluster opens with what
 * was acknowledged, or says what is wrong; and in no case does it destroy what the journal would
 * still know if it were put back.
 */
final class BadInputJournalTest {

  private static final byte[] A = BadInputs.content(1000, 10);
  private static final byte[] B = BadInputs.content(2000, 11);
  private static final byte[] C = BadInputs.content(3000, 12);

  /** What the two copies of a frame take here, and those of the header. */
  private static final int FRAME = 2 * 4096;

  @TempDir Path directory;

  /** What was acknowledged up to a length of what the journal holds. */
  private record State(int length, Map<String, byte[]> files) {}

  private final List<State> states = new ArrayList<>();
  private final Map<Path, byte[]> stored = new TreeMap<>();

  private Path journal() {
    return directory.resolve("coordinator").resolve("journal");
  }

  private Path mark() {
    return directory.resolve("coordinator").resolve("journal.mark");
  }

  private RunningCluster open() throws IOException {
    return RunningCluster.embedded(directory, 1, BadInputs.options());
  }

  interface Act {
    void run(Rank rank) throws Exception;
  }

  private void step(RunningCluster cluster, Act act, Map<String, byte[]> files) throws Exception {
    cluster.run(1, act::run);
    states.add(new State(used(Files.readAllBytes(journal())), new TreeMap<>(files)));
  }

  /** Where the last frame ends. */
  private static int used(byte[] journal) {
    int last = journal.length;
    while (last > 0 && journal[last - 1] == 0) {
      last--;
    }
    return Math.ceilDiv(last, FRAME) * FRAME;
  }

  private static void store(Rank rank, String path, byte[] bytes) throws IOException {
    try (var file = rank.open(path, OpenOptions.create())) {
      assertThat(file.at(0).write(Memory.of(bytes))).isEqualTo(bytes.length);
    }
  }

  /** Lives a while; returns the journal. */
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
    try (var files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        stored.put(file, Files.readAllBytes(file));
      }
    }
    return Files.readAllBytes(journal());
  }

  /** All files as they were, since each start of a cluster leaves its traces in several. */
  private void restore() throws IOException {
    for (var one : stored.entrySet()) {
      Files.write(one.getKey(), one.getValue());
    }
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

  private void checkWhole() throws IOException {
    try (RunningCluster cluster = open()) {
      cluster.run(
          1,
          rank -> {
            assertThat(files(rank)).containsExactly("c", "d/a");
            assertThat(rank.names().stat("c").permissions()).isEqualTo(0600);
            checkBytes(rank, states.getLast().files());
          });
    }
  }

  @Test
  void aJournalCutAtAnyLengthIsRefusedAndNothingIsDestroyed() throws Exception {
    byte[] whole = history();
    for (int length = 0; length < whole.length; length += length < 50 ? 1 : 4095) {
      Files.write(journal(), Arrays.copyOf(whole, length));
      assertFails(ErrorCode.CORRUPT, this::open, "journal", "coordinator");
    }
    Files.write(journal(), whole);
    checkWhole();
    try (RunningCluster cluster = open()) {
      BadInputs.store(cluster, "next", A);
      BadInputs.assertContent(cluster, "next", A);
    }
  }

  @Test
  void aJournalThatLostItsEndIsRefusedByItsMark() throws Exception {
    byte[] whole = history();
    for (int length = FRAME; length < used(whole); length += FRAME) {
      Files.write(journal(), Arrays.copyOf(Arrays.copyOf(whole, length), whole.length));
      assertFails(ErrorCode.CORRUPT, this::open, "journal", "coordinator", "older copy");
    }
    Files.write(journal(), whole);
    checkWhole();
  }

  @Test
  void aJournalThatLostItsEndAndItsMarkOpensWithAPrefixOrSaysWhatIsWrong() throws Exception {
    byte[] whole = history();
    int opened = 0;
    int refused = 0;
    for (int length = FRAME; length < used(whole); length += FRAME) {
      restore();
      Files.delete(mark());
      Files.write(journal(), Arrays.copyOf(Arrays.copyOf(whole, length), whole.length));
      State before = states.getFirst();
      for (State state : states) {
        before = state.length <= length ? state : before;
      }
      State after = states.get(Math.min(states.indexOf(before) + 1, states.size() - 1));
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
        assertThat(e.getMessage()).contains("coordinator", "node-0");
        refused++;
      }
    }
    assertThat(opened).isPositive();
    assertThat(refused).isPositive();
    restore();
    checkWhole();
  }

  @Test
  void aJournalWithAFlippedBitIsWhole() throws Exception {
    byte[] whole = history();
    for (int at = 0; at < used(whole); at += at % (FRAME / 2) < 100 ? 11 : 997) {
      restore();
      byte[] flipped = whole.clone();
      flipped[at] ^= 1;
      Files.write(journal(), flipped);
      checkWhole();
    }
  }

  /** Each start has its number, refused or not: soon there is one that no node has seen. */
  @Test
  void anOlderCopyOfTheCoordinatorsFilesIsRefusedHoweverOftenItIsStarted() throws Exception {
    history();
    try (RunningCluster cluster = open()) {
      cluster.run(1, rank -> rank.names().setPermissions("c", 0644));
    }
    for (var one : stored.entrySet()) {
      if (one.getKey().startsWith(directory.resolve("coordinator"))) {
        Files.write(one.getKey(), one.getValue());
      }
    }
    for (int again = 0; again < 5; again++) {
      assertFails(ErrorCode.CORRUPT, this::open, "coordinator", "older copy", "node-0");
    }
  }

  @Test
  void aJournalThatIsGoneIsAnErrorAndDestroysNothing() throws Exception {
    byte[] whole = history();
    Files.delete(journal());
    for (int again = 0; again < 2; again++) {
      assertFails(ErrorCode.CORRUPT, this::open, "journal", "coordinator", "missing");
    }
    Files.delete(mark());
    for (int again = 0; again < 3; again++) {
      assertFails(ErrorCode.CORRUPT, this::open, "coordinator", "node-0");
    }
    Files.write(journal(), whole);
    checkWhole();
  }
}
