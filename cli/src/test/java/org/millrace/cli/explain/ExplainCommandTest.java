package org.millrace.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.terminal.ExitCode;

/** The words of {@code explain}; what it computes is tested where it is. */
class ExplainCommandTest {

  @TempDir Path dir;

  private static CommandLineRun explain(String... words) {
    List<String> all = new ArrayList<>(List.of("explain", "--shape=64x64", "--ranks=4"));
    all.addAll(List.of(words));
    return CommandLineRun.of(all.toArray(String[]::new));
  }

  private static String ok(String... words) {
    CommandLineRun run = explain(words);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
    return run.out();
  }

  @Test
  void requestsOfAllThreeKindsAreExplained() {
    assertThat(ok("--dist=block,none")).contains("read by 4 ranks", "32 KiB in 256 runs", "taken");
    assertThat(ok("--dist=cyclic(2),block", "--grid=2x2", "--order=C")).contains("32 KiB");
    assertThat(ok("--section=0:15,0:63:2")).contains("16 KiB in 128 runs, 128 B");
    assertThat(ok("--overlap=0:9,0:9+10*p", "--write")).contains("no two ranks write the same");
    assertThat(ok("--overlap=0:9,0:9+9*p", "--write")).contains("may write the same bytes");
  }

  @Test
  void strategyAndHintsAreObeyed() {
    assertThat(ok("--dist=block,none", "--strategy=two-phase", "--hint=cb_nodes=2"))
        .contains("* two-phase", "the hints name it", "rank 2");
    CommandLineRun run = explain("--dist=block,none", "--hint", "cb_node=2");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.err()).contains("hint cb_node is unknown and ignored");
  }

  @Test
  void answerGoesToFilesToo() {
    Path json = dir.resolve("plan.json");
    Path svg = dir.resolve("plan.svg");
    ok("--dist=block,none", "--json=" + json, "--svg=" + svg);
    assertThat(json).content().contains("\"strategies\": [");
    assertThat(svg).content().startsWith("<svg ").endsWith("</svg>\n");
  }

  @Test
  void wrongWordsAreOneLineThatSaysWhatIsRight() {
    wrong("64 by 64", "--dist=block,none", "--shape=64 by 64");
    wrong("specify one of these");
    wrong("is none of block", "--dist=blok,none");
    wrong("2 dimensions", "--dist=block");
    wrong("has 6 places for 4 ranks", "--dist=block,block", "--grid=2x3");
    wrong("as 4x4", "--dist=block,block", "--grid=2by3");
    wrong("deals nothing out", "--dist=none,none");
    wrong("--grid is for --dist", "--section=0:1,0:1", "--grid=2x2");
    wrong("beyond its size 64", "--section=0:64,0:1");
    wrong("not l:u:s", "--section=0:a,0:1");
    wrong("l:u:s+v*p", "--overlap=0:1+x*p,0:1");
    wrong("stride 0", "--section=0:5:0,0:1");
    wrong("cb_nodes=x", "--dist=block,none", "--hint=cb_nodes=x");
    wrong("disk-directed", "--dist=block,none", "--strategy=fastest");
    wrong("as 65536, 64K", "--dist=block,none", "--stripe=0");
    wrong("as 65536, 64K", "--dist=block,none", "--element=x");
    wrong("use F (columns) or C (rows)", "--dist=block,none", "--order=X");
    wrong("both must be at least 1", "--dist=block,none", "--nodes=0");
    wrong("two dimensions", "--shape=4x4x4", "--dist=block,none,none", "--svg=x.svg");
  }

  private static void wrong(String right, String... words) {
    List<String> all = new ArrayList<>(List.of("explain", "--ranks=4"));
    if (List.of(words).stream().noneMatch(word -> word.startsWith("--shape"))) {
      all.add("--shape=64x64");
    }
    all.addAll(List.of(words));
    CommandLineRun run = CommandLineRun.of(all.toArray(String[]::new));
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err().lines()).as(run.err()).hasSize(1);
    assertThat(run.err()).startsWith("millrace: ").contains(right);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void helpShowsExamples() {
    CommandLineRun run = CommandLineRun.of("explain", "--help");
    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).contains("--dist", "cyclic,none", "docs/collective.md");
  }
}
