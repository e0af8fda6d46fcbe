package org.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.Cluster;
import org.millrace.cli.CommandLineRun;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.Rank;

/** Classes of users that implement {@link Program}, each run by ranks. */
final class RankProgramTest {

  @TempDir private Path folder;

  @Test
  void programIsRunByAllRanksWithItsArguments() throws IOException {
    CommandLineRun run =
        run("--ranks", "3", "--nodes", "2", Notes.class.getName(), "ab", "--ranks");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(read("notes")).isEqualTo("0/3 ab --ranks\n1/3 ab --ranks\n2/3 ab --ranks\n");
  }

  @Test
  void everyRankHasAnInstanceOfItsOwn() {
    CommandLineRun run = run("--ranks", "4", CountsItself.class.getName());
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  @ParameterizedTest
  @ValueSource(classes = {RankTwoFails.class, RankTwoFailsWhileOthersWaitForIt.class})
  void failureIsOneLineThatNamesTheRank(Class<?> program) {
    CommandLineRun run = run("--ranks", "4", program.getName());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .matches("millrace: rank 2: IllegalStateException: no water \\(--trace shows where\\)\\R");
  }

  @Test
  void failureComesWithTraceIfAsked() {
    CommandLineRun run = run("--trace", "--ranks", "4", RankTwoFails.class.getName());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("millrace: rank 2: IllegalStateException: no water")
        .contains("\tat " + RankTwoFails.class.getName() + ".run");
  }

  @ParameterizedTest
  @ValueSource(classes = {NeedsMore.class, IsAbstract.class, IsNoProgram.class})
  void classThatCannotBeRunIsNamedWithTheReason(Class<?> type) {
    CommandLineRun run = run(type.getName());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("millrace: " + type.getName() + " cannot be run: ")
        .containsAnyOf("no instance of it", "does not implement org.millrace.client.Program")
        .hasLineCount(1);
  }

  @Test
  void classOptionNeedsAJar() {
    CommandLineRun run = run("--class", "X", Notes.class.getName());
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--class goes with a jar").hasLineCount(1);
  }

  private CommandLineRun run(String... options) {
    List<String> args = new ArrayList<>(List.of("run", "--dir", folder.toString()));
    args.addAll(List.of(options));
    return CommandLineRun.of(args.toArray(String[]::new));
  }

  private String read(String name) throws IOException {
    AtomicReference<String> text = new AtomicReference<>("");
    try (Cluster cluster = Cluster.embedded(folder, 1)) {
      cluster.run(
          1,
          rank -> {
            try (var file = rank.open(name, OpenOptions.read())) {
              byte[] all = new byte[(int) file.size()];
              file.at(0).read(Memory.of(all));
              text.set(new String(all, StandardCharsets.UTF_8));
            }
          });
    }
    return text.get();
  }

  /** Each rank writes a line, in order. */
  public static final class Notes implements Program {

    private final String[] args;

    public Notes(String[] args) {
      this.args = args;
    }

    @Override
    public void run(Rank rank) throws Exception {
      String line = rank.number() + "/" + rank.size() + " " + String.join(" ", args) + "\n";
      try (var file = rank.open("notes", OpenOptions.create())) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        file.ordered().write(java.lang.foreign.MemorySegment.ofArray(bytes));
      }
    }
  }

  /** Fails where an instance is used twice. */
  public static final class CountsItself implements Program {

    private int runs;

    @Override
    public void run(Rank rank) throws Exception {
      runs++;
      rank.barrier();
      if (runs != 1) {
        throw new IllegalStateException(runs + " runs");
      }
    }
  }

  /** One rank throws while the others are in a synchronizing call. */
  public static final class RankTwoFails implements Program {

    @Override
    public void run(Rank rank) throws Exception {
      if (rank.number() == 2) {
        throw new IllegalStateException("no water");
      }
      rank.barrier();
    }
  }

  /** One rank throws while the others wait for its message, or send to it. */
  public static final class RankTwoFailsWhileOthersWaitForIt implements Program {

    @Override
    public void run(Rank rank) throws Exception {
      if (rank.number() == 2) {
        throw new IllegalStateException("no water");
      }
      if (rank.number() == 0) {
        while (true) {
          rank.send(2, 1, new byte[] {1});
        }
      }
      rank.receive(2, 1);
    }
  }

  /** Its constructor takes what nobody gives. */
  public static final class NeedsMore implements Program {

    public NeedsMore(int more) {
      assertThat(more).isNotNegative();
    }

    @Override
    public void run(Rank rank) {}
  }

  /** Cannot be made. */
  public abstract static class IsAbstract implements Program {}

  /** Neither form. */
  public static final class IsNoProgram {}
}
