package org.millrace.cli.pfsd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What pfsd asks of Millrace, and how pfsdstat names its calls. */
final class PfsdCommandTest {

  @TempDir private Path directory;

  /** Takes down what it is asked for. */
  @Command(name = "millrace")
  private static final class Recorder implements MillraceCommands {

    private final List<String> asked = new ArrayList<>();

    @Override
    public int execute(CommandLine asking, List<String> line) {
      asked.addAll(line);
      return 0;
    }
  }

  private List<String> pfsd(String... arguments) {
    Recorder recorder = new Recorder();
    List<String> line = new ArrayList<>(List.of("pfsd", "--dir", directory.toString()));
    line.addAll(List.of(arguments));
    CommandLine command = new CommandLine(recorder).addSubcommand(new PfsdCommand());
    assertThat(command.execute(line.toArray(String[]::new))).isZero();
    return recorder.asked;
  }

  @Test
  void thereAreEightDaemonsUnlessMoreAreSaid() {
    assertThat(pfsd()).startsWith("up").contains("--nodes=8");
    assertThat(pfsd("3")).startsWith("up").contains("--nodes=3");
  }

  @Test
  void callsHaveTheNamesOfPfslib() {
    assertThat(PfsdStatus.pfsName("write #3 on open 7")).isEqualTo("cwrite/iwrite #3 on open 7");
    assertThat(PfsdStatus.pfsName("read #0 on open 7")).isEqualTo("cread/iread #0 on open 7");
    assertThat(PfsdStatus.pfsName("seek #1")).isEqualTo("lseek #1");
    assertThat(PfsdStatus.pfsName("seekToEnd #1")).isEqualTo("lseek #1");
    assertThat(PfsdStatus.pfsName("setMode: position #1")).isEqualTo("setiomode: position #1");
    assertThat(PfsdStatus.pfsName("open #1")).isEqualTo("gopen #1");
    assertThat(PfsdStatus.pfsName("close #1")).isEqualTo("close #1");
    assertThat(PfsdStatus.pfsName("an operation")).isEqualTo("iowait/iseof");
    assertThat(PfsdStatus.pfsName("readers")).isEqualTo("readers");
  }
}
