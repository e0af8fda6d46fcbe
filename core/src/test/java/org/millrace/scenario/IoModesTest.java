package org.millrace.scenario;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.access.View;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * The table in {@code docs/io-modes.md}, the enum, and what calls really do: three tellings of one
 * thing.
 */
final class IoModesTest {

  private static final Worlds.Build BUILD = new Worlds.Build(3, 100);

  /** A call on an open file. */
  private interface Call {
    void make(Rank rank, SharedFile file) throws Exception;
  }

  private static MemorySegment bytes(int count) {
    return MemorySegment.ofArray(new byte[count]);
  }

  /** Calls that wait in every mode, by name. */
  private static Map<String, Call> waiting() {
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put("open", (rank, _) -> rank.open("second", OpenOptions.create()).close());
    calls.put("setMode", (_, file) -> file.setMode(file.mode()));
    calls.put("setView", (_, file) -> file.setView(View.WHOLE));
    calls.put("setAtomic", (_, file) -> file.setAtomic(false));
    calls.put("seekShared", (_, file) -> file.seekShared(0));
    calls.put("resize", (_, file) -> file.resize(100));
    calls.put("preallocate", (_, file) -> file.preallocate(10));
    calls.put("preload", (_, file) -> file.preload());
    return calls;
  }

  /** Verbs that end in All, which wait wherever they are allowed. */
  private static Map<String, Call> collective(Mode mode) {
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put("readAtAll", (_, file) -> file.at(0).all().read(bytes(8)));
    calls.put("writeAtAll", (_, file) -> file.at(0).all().write(bytes(8)));
    if (hasOwnPointer(mode)) {
      calls.put("readAll", (_, file) -> file.all().read(bytes(8)));
      calls.put("writeAll", (_, file) -> file.all().write(bytes(8)));
      calls.put("read", (_, file) -> file.ordered().read(bytes(8)));
      calls.put("write", (_, file) -> file.ordered().write(bytes(8)));
    }
    return calls;
  }

  private static Map<String, Call> neverWaiting() {
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put("flush", (_, file) -> file.flush());
    calls.put("extend", (_, file) -> file.extend(10));
    calls.put("size", (_, file) -> file.size());
    calls.put("position", (_, file) -> file.position());
    calls.put("readAt", (_, file) -> file.at(0).read(bytes(8)));
    calls.put("writeAt", (_, file) -> file.at(0).write(bytes(8)));
    return calls;
  }

  private static boolean hasOwnPointer(Mode mode) {
    return mode == Mode.ATOMIC || mode == Mode.INDEPENDENT;
  }

  @Test
  void tableSaysWhatTheEnumSays() throws IOException {
    Map<String, List<String>> table = table();
    assertThat(table.keySet())
        .containsExactlyElementsOf(Arrays.stream(Mode.values()).map(Mode::name).toList());
    for (Mode mode : Mode.values()) {
      List<String> row = requireNonNull(table.get(mode.name()));
      assertThat(row).as(mode.name()).hasSize(7);
      assertThat(row.get(0)).isEqualTo(mode.sharesPointer() ? "one for all" : "one for each rank");
      assertThat(row.get(3))
          .as("read, write")
          .isEqualTo(mode.transferSynchronizes() ? "wait" : "-");
      assertThat(row.get(4)).as("seek").isEqualTo(mode.seekSynchronizes() ? "waits" : "-");
      assertThat(row.get(5)).as("close").isEqualTo(mode.closeSynchronizes() ? "waits" : "-");
      assertThat(row.get(6)).as("atomic").isEqualTo(mode.isAtomic() ? "yes" : "no");
    }
  }

  @Test
  void textNamesTheCallsThatAreTriedHere() throws IOException {
    String text = document();
    assertThat(namesBefore(text, "wait in every mode")).containsAll(waiting().keySet());
    assertThat(waiting().keySet())
        .containsAll(
            namesBefore(text, "wait in every mode").stream()
                .filter(n -> !n.equals("all"))
                .toList());
    assertThat(namesBefore(text, "never wait"))
        .containsExactlyInAnyOrder("flush", "extend", "size", "endPosition", "at");
  }

  @Test
  void callsThatMustWaitDoAndOthersDoNotWithRealThreads() throws Exception {
    tryAll(new MemoryWorlds(), 20);
  }

  @Test
  void callsThatMustWaitDoAndOthersDoNotUnderTheSeededScheduler() throws Exception {
    tryAll(new SeededWorlds(4), 20);
  }

  @Test
  @Tag("long")
  void callsThatMustWaitDoAndOthersDoNotAcrossProcesses(@TempDir Path directory) throws Exception {
    try (var hosts = new ServerHosts()) {
      tryAll(new ProcessWorlds(hosts, directory, ServerHost.Talk.SHARED_MEMORY), 5); // slow ones
    }
  }

  private static void tryAll(Worlds worlds, int looks) throws Exception {
    Map<String, List<String>> table = table();
    for (Mode mode : Mode.values()) {
      List<String> row = requireNonNull(table.get(mode.name()));
      worlds.in(
          BUILD,
          world ->
              world.run(
                  2,
                  rank -> {
                    SharedFile file = rank.open("tried", OpenOptions.create().withMode(mode));
                    Trial trial = new Trial(world, rank, file, looks);
                    file.resize(100);
                    boolean transferWaits = row.get(3).equals("wait");
                    trial.make("read", transferWaits, (_, f) -> f.read(bytes(8)));
                    trial.make("write", transferWaits, (_, f) -> f.write(bytes(8)));
                    boolean seekWaits = row.get(4).equals("waits");
                    trial.make("seek", seekWaits, (_, f) -> f.seek(0));
                    for (var entry : waiting().entrySet()) {
                      trial.make(entry.getKey(), true, entry.getValue());
                    }
                    for (var entry : collective(mode).entrySet()) {
                      trial.make(entry.getKey(), true, entry.getValue());
                    }
                    for (var entry : neverWaiting().entrySet()) {
                      trial.make(entry.getKey(), false, entry.getValue());
                    }
                    boolean closeWaits = row.get(5).equals("waits");
                    trial.make("close", closeWaits, (_, f) -> f.close());
                    file.close();
                  }));
    }
  }

  /** Calls of a rank, and how often it looks whether the other stays in one. */
  private record Trial(World world, Rank rank, SharedFile file, int looks) {

    /**
     * Rank 0 makes the call. If it must wait, rank 1 sees it wait and then makes it, too. If not,
     * rank 1 makes none: a call that waits all the same is a circle with the barrier behind it, and
     * fails.
     */
    void make(String name, boolean waits, Call call) throws Exception {
      try {
        if (rank.number() == 0) {
          call.make(rank, file);
        } else if (waits) {
          Waiting.until(rank, world, name, 0);
          Waiting.checkStays(rank, world, name, 0, looks);
          call.make(rank, file);
        }
        rank.barrier();
      } catch (IOException e) {
        throw new AssertionError(
            name + (waits ? " waits" : " does not wait") + " in " + file.mode(), e);
      }
    }
  }

  private static String document() throws IOException {
    for (Path at = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        at != null;
        at = at.getParent()) {
      Path file = at.resolve("docs/io-modes.md");
      if (Files.exists(file)) {
        return Files.readString(file);
      }
    }
    throw new IllegalStateException("no docs/io-modes.md above " + System.getProperty("basedir"));
  }

  /** The cells of each row behind the first, by mode. */
  private static Map<String, List<String>> table() throws IOException {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (String line : document().lines().filter(l -> l.startsWith("| `")).toList()) {
      List<String> cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
      rows.put(cells.get(1).replace("`", ""), cells.subList(2, cells.size() - 1));
    }
    return rows;
  }

  /** The names in code marks of the sentence that ends so. */
  private static Set<String> namesBefore(String text, String words) {
    int end = text.indexOf(words);
    assertThat(end).as(words).isPositive();
    int start = text.lastIndexOf(". ", end);
    Set<String> names = new TreeSet<>();
    Pattern.compile("`(\\w+)`")
        .matcher(text.substring(start, end))
        .results()
        .map((MatchResult found) -> found.group(1))
        .forEach(names::add);
    return names;
  }
}
