package org.millrace.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.Processes;
import org.millrace.cli.campaign.Shell;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.client.Program;
import org.millrace.client.Rank;

/** Programs whose ranks are processes, each a part of the cluster. */
final class RankProcessesTest {

  private static final Pattern CHECKSUM = Pattern.compile("checksum ([0-9a-f]{8})");

  @TempDir private Path folder;

  private Processes processes;

  @BeforeEach
  void prepare() {
    processes = new Processes(folder);
  }

  @AfterEach
  void end() {
    processes.close();
  }

  private List<String> heat(String... more) {
    List<String> args = new ArrayList<>(List.of("run", "heat", "--size", "60", "--steps", "20"));
    args.addAll(List.of("--dir", folder.resolve("d").toString()));
    args.addAll(List.of("--out", folder.resolve("heat.png").toString()));
    args.addAll(List.of(more));
    return args;
  }

  private static String checksum(CommandLineRun run) {
    assertThat(run.exitCode()).as(run.err()).isZero();
    Matcher matcher = CHECKSUM.matcher(run.out());
    assertThat(matcher.find()).as(run.out()).isTrue();
    String found = matcher.group(1);
    assertThat(matcher.find()).as("one rank alone speaks").isFalse();
    return found;
  }

  private String inOneJvm() {
    List<String> args = heat("--nodes", "3");
    args.set(args.indexOf("--dir") + 1, folder.resolve("one").toString());
    return checksum(CommandLineRun.of(args.toArray(String[]::new)));
  }

  @Test
  void heatHasTheSameChecksumAsInOneJvmAndTheClusterCanBeOpenedAgain() {
    CommandLineRun run = CommandLineRun.of(heat("--procs", "--ranks", "3").toArray(String[]::new));
    assertThat(checksum(run)).isEqualTo(inOneJvm());
    assertThat(run.out()).contains("[0] heat: 20 steps by 3 ranks over 3 nodes");
    CommandLineRun again = CommandLineRun.of(heat("--resume").toArray(String[]::new));
    assertThat(checksum(again)).isEqualTo(checksum(run));
    CommandLineRun fewer =
        CommandLineRun.of(heat("--procs", "--ranks", "2", "--resume").toArray(String[]::new));
    assertThat(checksum(fewer)).isEqualTo(checksum(run));
    assertThat(fewer.out()).contains("by 2 ranks over 3 nodes");
  }

  @Test
  void theFiniteElementProgramRunsAsProcessesWithItsArguments() {
    for (String[] last : new String[][] {{"1"}, {"0", "nx"}}) {
      List<String> args = new ArrayList<>(List.of("run", "heritage/edonio", "--procs"));
      args.addAll(List.of("--ranks", "2", "--dir", folder.resolve("fem").toString()));
      args.addAll(List.of("--", "6,5,4", "64,128"));
      args.addAll(List.of(last));
      CommandLineRun run = CommandLineRun.of(args.toArray(String[]::new));
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out())
          .contains("[0] nproc, nex,ney,nez 2 6 5 4")
          .contains("[0] edonio: all is as it should be, 1 checks")
          .doesNotContain("[1]");
    }
  }

  @Tag("long")
  @Test
  void aRunOfWhichARankWasKilledSaysHowItIsContinued() throws Exception {
    List<String> args = heat("--procs", "--ranks", "2", "--grace", "1");
    args.set(args.indexOf("--steps") + 1, "100000000");
    Processes.Started run = processes.start(Map.of(), JavaCommand.of(args));
    run.awaitOutput("[0] heat: 60 x 60 cells");
    run.children().getLast().destroyForcibly();
    CommandLineRun ended = run.await();
    assertThat(ended.exitCode()).isEqualTo(137);
    assertThat(ended.err()).contains("continue with: millrace run heat --resume --procs --dir ");
  }

  @Test
  @Tag("long")
  void openMpiStartsHeat() throws Exception {
    assumeTrue(Shell.has("mpirun.openmpi"), "Open MPI is not installed");
    List<String> line =
        new ArrayList<>(
            List.of("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "3"));
    assertThat(checksum(under(line))).isEqualTo(inOneJvm());
  }

  @Test
  @Tag("long")
  void mpichStartsHeat() throws Exception {
    assumeTrue(Shell.has("mpiexec.mpich"), "MPICH is not installed");
    assertThat(checksum(under(new ArrayList<>(List.of("mpiexec.mpich", "-n", "3")))))
        .isEqualTo(inOneJvm());
  }

  private CommandLineRun under(List<String> launcher) throws Exception {
    launcher.addAll(JavaCommand.of(heat()));
    return processes.start(Map.of(), launcher).await();
  }

  @Test
  void aRankThatDiesIsNamedByTheOthersAndItsExitCodeCounts() {
    CommandLineRun run =
        CommandLineRun.of(
            "run",
            "--procs",
            "--ranks",
            "3",
            "--grace",
            "1",
            "--dir",
            folder.resolve("d").toString(),
            Dies.class.getName());
    assertThat(run.exitCode()).isEqualTo(9);
    assertThat(run.err())
        .contains("millrace: rank 1 ended with exit code 9")
        .containsPattern("\\[0\\] millrace: rank 1 of group \\d+ has ended")
        .containsPattern("\\[2\\] millrace: rank 1 of group \\d+ has ended");
  }

  /** Rank 1 vanishes, the others wait for it. */
  static final class Dies implements Program {

    @Override
    public void run(Rank rank) throws IOException {
      rank.barrier();
      if (rank.number() == 1) {
        Runtime.getRuntime().halt(9);
      }
      rank.barrier();
    }
  }

  @Test
  void aHalfFormedGroupNamesTheMissing() throws Exception {
    List<String> line = JavaCommand.of(heat("--start-timeout", "4"));
    List<Processes.Started> started = new ArrayList<>();
    for (String rank : List.of("0", "2")) {
      Map<String, String> variables =
          Map.of("MILLRACE_RANK", rank, "MILLRACE_RANKS", "4", "MILLRACE_JOB", "half");
      started.add(processes.start(variables, line));
    }
    for (Processes.Started one : started) {
      CommandLineRun run = one.await();
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err()).contains("ranks 1, 3 of 4 did not arrive within 4 s");
    }
  }

  @Test
  void aProcessThatWasHalfLaunchedSaysWhatIsMissing() throws Exception {
    CommandLineRun run =
        processes.start(Map.of("MILLRACE_RANK", "0"), JavaCommand.of(heat())).await();
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("millrace: MILLRACE_RANKS is not set");
  }
}
