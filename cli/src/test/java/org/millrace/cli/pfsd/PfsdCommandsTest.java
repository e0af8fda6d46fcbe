package org.millrace.cli.pfsd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.Cluster;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.ClusterOptions;
import org.millrace.heritage.pfs.Epfsl;
import org.millrace.heritage.pfs.IoMode;
import org.millrace.heritage.pfs.Pfs;

/** PFSLib as a service: its commands over daemons that are processes. */
final class PfsdCommandsTest {

  @TempDir private Path folder;
  private final List<Path> started = new ArrayList<>();

  @AfterEach
  void stop() {
    started.forEach(directory -> CommandLineRun.of("stop", "--dir", directory.toString()));
  }

  private static String well(String... args) {
    CommandLineRun run = CommandLineRun.of(args);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  private String pfsd(String name, String... args) {
    Path directory = folder.resolve(name);
    started.add(directory);
    List<String> line = new ArrayList<>(List.of("pfsd", "--dir", directory.toString()));
    line.addAll(List.of(args));
    assertThat(well(line.toArray(String[]::new))).contains("is up");
    return directory.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pfsd", "iod", "pfsdstat", "pfsdreset", "pfsdexit"})
  void everyCommandHasHelp(String command) {
    assertThat(well(command, "--help")).contains(command.equals("iod") ? "node" : command);
  }

  @Test
  void twoServersOnOneMachineAreToldApart() throws IOException {
    String one = pfsd("one", "2");
    String two = pfsd("two", "1");
    assertThat(well("pfsdstat", one, "-i").lines().filter(line -> line.contains("node-")))
        .hasSize(2);
    assertThat(well("pfsdstat", two, "-i").lines().filter(line -> line.contains("node-")))
        .hasSize(1);
    assertThat(well("pfsdexit", one)).contains("Ended 3 processes", "everything is durable");
    assertThat(CommandLineRun.of("pfsdstat", one).exitCode()).isEqualTo(ExitCode.UNREACHABLE);
    String address = Files.readAllLines(Path.of(two, "run", "coordinator.address")).getFirst();
    assertThat(well("pfsdstat", address)).startsWith("pfsd of cluster ");
    assertThat(well("pfsdexit", address)).contains("Ended 2 processes");
  }

  @Test
  void whatAFileIsUpToIsShownHereAndResetMakesItsHandleBad() throws Exception {
    String pfsd = pfsd("one", "2");
    CompletableFuture<Boolean> open = new CompletableFuture<>();
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    CompletableFuture<Epfsl> code = new CompletableFuture<>();
    Thread program = Thread.ofPlatform().start(() -> run(pfsd, open, over, code));
    try {
      open.get();
      String all = well("pfsdstat", pfsd);
      while (!all.contains(" cwrite/iwrite ")) { // until rank 0 waits there
        all = well("pfsdstat", pfsd);
      }
      assertThat(all).contains("2 open files", "pfs.a", "pfs.b").doesNotContain("I/O daemons");
      assertThat(all)
          .contains("M_SYNC, pointer shared, ids -, client 0, ")
          .contains("M_UNIX, pointer 7, ids -, client 1, ")
          .contains(" pid " + ProcessHandle.current().pid());
      String file = well("pfsdstat", pfsd, "-f", "pfs.a", "-i");
      assertThat(file).contains("1 open files", "pfs.a", "I/O daemons").doesNotContain("pfs.b");
      assertThat(well("pfsdstat", pfsd, "-f", "pfs.none")).contains("0 open files");
      assertThat(well("pfsdstat", pfsd, "-v")).contains("locks", "counters", "hits");
      assertThat(well("pfsdreset", pfsd, "pfs.a")).isEqualTo("1 open file reset\n");
      assertThat(code.get()).isEqualTo(Epfsl.EPFSLBADFH);
      assertThat(well("pfsdreset", pfsd)).isEqualTo("1 open file reset\n");
    } finally {
      over.complete(true);
      program.join();
    }
  }

  /** Rank 0 waits in M_SYNC for rank 1, which does not come. */
  private static void run(
      String pfsd,
      CompletableFuture<Boolean> open,
      CompletableFuture<Boolean> over,
      CompletableFuture<Epfsl> code) {
    try (Cluster cluster = Cluster.connect(pfsd, ClusterOptions.DEFAULT)) {
      cluster.run(
          2,
          rank -> {
            Pfs pfs = Pfs.pfslib_init(rank, pfsd, 2, rank.number());
            int flags = Pfs.O_RDWR | Pfs.O_CREAT;
            int fd = pfs.gopen("pfs.a", flags, IoMode.M_SYNC, 0644);
            int other = pfs.gopen("pfs.b", flags, IoMode.M_UNIX, 0644);
            pfs.lseek(other, 7, Pfs.SEEK_SET);
            pfs.setiomode(other, IoMode.M_UNIX); // says where its pointer stands
            open.complete(true);
            if (rank.number() == 0) {
              assertThat(pfs._cwrite(fd, new byte[10], 10)).isEqualTo(-1);
              code.complete(pfs.errno());
            }
            over.get();
          });
    } catch (IOException e) {
      code.completeExceptionally(e);
      open.completeExceptionally(e);
    }
  }

  @Test
  void wrongUseIsTold() {
    assertThat(CommandLineRun.of("pfsdstat").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(CommandLineRun.of("pfsd", "-3").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(CommandLineRun.of("pfsd", "many").exitCode()).isEqualTo(ExitCode.USAGE);
    CommandLineRun nobody = CommandLineRun.of("pfsdreset", folder.toString(), "x");
    assertThat(nobody.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(nobody.err()).contains("no processes run in");
    CommandLineRun exit = CommandLineRun.of("pfsdexit", folder.toString());
    assertThat(exit.out()).contains("Nothing runs in");
  }
}
