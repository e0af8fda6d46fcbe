package org.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;

/** Starting other programs, and getting rid of them. */
class LaunchTest {

  private static final long LONG = 60_000_000_000L;

  @TempDir Path dir;

  @Test
  void linesAndStatusAndErrorsComeBack() throws Exception {
    Launch launch = new Launch(Env.real(), dir.resolve("errors"), LONG);
    List<String> lines = new ArrayList<>();
    Launch.End end =
        launch.run(List.of("sh", "-c", "echo one; echo two; echo bad >&2; exit 5"), lines::add);
    assertThat(lines).containsExactly("one", "two");
    assertThat(end).isEqualTo(new Launch.End(5, false));
    assertThat(launch.errors()).isEqualTo("bad");
  }

  @Test
  void silentProgramIsKilledWithItsChildren() throws Exception {
    Launch launch = new Launch(Env.real(), dir.resolve("errors"), 300_000_000L);
    List<String> lines = new ArrayList<>();
    String script = "trap '' TERM; sleep 1000 & echo $!; sleep 1000 & echo $!; wait; wait";
    Launch.End end = launch.run(List.of("sh", "-c", script), lines::add);
    assertThat(end.timedOut()).isTrue();
    assertThat(lines).hasSize(2);
    for (String pid : lines) {
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(child -> child.onExit().join());
    }
  }
}
