package org.millrace.bench.peers;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.bench.grid.Cell;
import org.millrace.bench.grid.Workload;
import org.millrace.bench.grid.Workloads;
import org.millrace.env.Env;

/** The driver of a peer, with shell scripts in place of one. */
class PeerRunnerTest {

  private static final List<Workload> WORKLOADS = Workloads.iorHard(1, 1);
  private static final PeerCase FIRST = new PeerCase(0, false, false, 1, 1, 1_000);
  private static final PeerCase SECOND = new PeerCase(0, false, true, 1, 1, 1_000);
  private static final PeerCase THIRD = new PeerCase(0, true, false, 1, 1, 1_000);
  private static final List<PeerCase> CASES = List.of(FIRST, SECOND, THIRD);

  @TempDir Path dir;

  /** Runs one script for each start. */
  private Map<PeerCase, PeerTimes> run(String... starts) throws IOException {
    StringBuilder script = new StringBuilder("echo x >> '" + dir.resolve("starts") + "'\n");
    script.append("case $(wc -l < '").append(dir.resolve("starts")).append("') in\n");
    for (int i = 0; i < starts.length; i++) {
      script.append("*%d) %s;;%n".formatted(i + 1, starts[i]));
    }
    Path program = Files.writeString(dir.resolve("script"), script.append("esac\n"));
    Peer peer =
        new Peer("fake", Path.of("/bin/sh"), List.of(program.toString()), program, List.of());
    PeerRunner runner = new PeerRunner(Env.real(), dir, 47_008, false);
    return runner.run(peer, 1, WORKLOADS, CASES, () -> {});
  }

  private static String begin(PeerCase one) {
    return "echo mpiio begin " + one.key();
  }

  private static String sample(PeerCase one, int nanos) {
    return begin(one) + "; echo mpiio sample " + one.key() + " " + nanos;
  }

  @Test
  void lapsAreKeptByCase() throws Exception {
    Map<PeerCase, PeerTimes> times =
        run(
            String.join(
                ";",
                "echo noise",
                sample(FIRST, 10),
                sample(SECOND, 20),
                "echo mpiio sample " + SECOND.key() + " 30",
                sample(THIRD, 40),
                "echo mpiio done"));
    assertThat(times.keySet()).containsExactly(FIRST, SECOND, THIRD);
    assertThat(times.get(SECOND))
        .isEqualTo(new PeerTimes("fake, collective", List.of(20.0, 30.0), 0, ""));
  }

  @Test
  void programIsStartedAgainBehindACaseThatWasCutOff() throws Exception {
    Map<PeerCase, PeerTimes> times =
        run(
            sample(FIRST, 10)
                + ";"
                + begin(SECOND)
                + "; echo mpiio cut "
                + SECOND.key()
                + " 999; exit 5",
            sample(THIRD, 40) + "; echo mpiio done");
    assertThat(requireNonNull(times.get(SECOND)).cell())
        .contains(new Cell("fake, collective", 999, Cell.How.CUT, List.of()));
    assertThat(requireNonNull(times.get(THIRD)).laps()).containsExactly(40.0);
  }

  @Test
  void crashAndWrongBytesAreFailuresOfTheirCaseOnly() throws Exception {
    Map<PeerCase, PeerTimes> times =
        run(
            begin(FIRST) + "; echo oh dear >&2; exit 139",
            sample(SECOND, 20) + "; echo mpiio wrong " + SECOND.key() + " 8 7 1; exit 4",
            sample(THIRD, 40) + "; echo mpiio done");
    assertThat(requireNonNull(times.get(FIRST)).failure()).contains("139", "oh dear");
    assertThat(requireNonNull(times.get(SECOND)).failure())
        .contains("wrong bytes", "byte 8 is 7 instead of 1");
    assertThat(requireNonNull(times.get(SECOND)).cell()).as("its time counts nothing").isEmpty();
    assertThat(requireNonNull(times.get(THIRD)).laps()).containsExactly(40.0);
  }

  @Test
  void dataFileIsMadeAnewWhenItMayHaveBeenLeftHalfWritten() throws Exception {
    Path data = dir.resolve("data");
    Path seen = dir.resolve("seen"); // what the second start finds
    run(
        String.join(";", begin(FIRST), "printf x > '" + data + "'", "exit 1"),
        String.join(
            ";",
            "cp '" + data + "' '" + seen + "'",
            sample(SECOND, 1),
            sample(THIRD, 1),
            "echo mpiio done"));
    assertThat(seen).hasSize(47_008);
  }

  @Test
  void peerThatCannotEvenBeginIsAnError() {
    assertThatThrownBy(() -> run("echo not installed >&2; exit 1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not installed");
  }
}
