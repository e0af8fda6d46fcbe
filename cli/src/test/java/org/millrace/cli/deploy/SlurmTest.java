package org.millrace.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.Processes;

/**
 * The batch script for Slurm, on one host that has two names, with scripts in the place of Slurm's
 * own {@code srun} and {@code scontrol}.
 */
@Tag("long")
final class SlurmTest {

  @TempDir private Path folder;

  @BeforeEach
  void makeStandIns() throws IOException {
    Files.createDirectory(folder.resolve("bin"));
    Files.createDirectory(folder.resolve("disk"));
    String millrace =
        Processes.millrace().stream()
            .map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
    script("millrace", "exec " + millrace + " \"$@\"");
    script("scontrol", "printf 'localhost\\n127.0.0.1\\n'");
    script(
        "srun",
        """
        tasks=1 step=$$
        while [[ $1 == --* ]]; do
          case $1 in --ntasks=*) tasks=${1#*=} ;; esac
          shift
        done
        pids=()
        trap 'kill -TERM "${pids[@]}"' TERM
        for ((i = 0; i < tasks; i++)); do
          SLURM_PROCID=$i SLURM_STEP_NUM_TASKS=$tasks SLURM_STEP_ID=$step "$@" &
          pids+=($!)
        done
        status=0
        for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
        exit "$status"
        """);
  }

  private void script(String name, String text) throws IOException {
    Path file = folder.resolve("bin").resolve(name);
    Files.writeString(file, "#!/usr/bin/env bash\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private CommandLineRun submit(Map<String, String> variables, String... program) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of("bash", Repository.file("deploy/slurm/millrace.sbatch").toString()));
    line.addAll(List.of(program));
    Map<String, String> all = new HashMap<>(variables);
    all.put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    all.put("SLURM_JOB_ID", "77");
    all.put("SLURM_JOB_NODELIST", "two");
    all.put("SLURM_NTASKS", "2");
    all.put("MILLRACE_LOCAL", folder.resolve("disk").toString());
    all.put("MILLRACE_SHARED", folder.toString());
    all.put("MILLRACE_PORT", "" + freePorts());
    try (Processes processes = new Processes(folder)) {
      return processes.start(all, line).await();
    }
  }

  /** The first of three ports that nobody has at the moment. */
  private static int freePorts() throws IOException {
    try (ServerSocket first = new ServerSocket(0)) {
      return Math.min(first.getLocalPort(), 65_000);
    }
  }

  @Test
  void dataAreStagedInTheProgramRunsAndResultsAreStagedOut() throws Exception {
    Path in = Files.createDirectories(folder.resolve("in/deep"));
    Files.writeString(in.resolve("input.txt"), "water");
    CommandLineRun run =
        submit(
            Map.of(
                "STAGE_IN", folder.resolve("in").toString(),
                "STAGE_OUT", folder.resolve("out").toString()),
            "heat",
            "--size",
            "64",
            "--steps",
            "10",
            "--out",
            folder.resolve("heat.png").toString());
    assertThat(run.err()).contains("cluster of 2 nodes is up", "staged in", "staged out");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("checksum").contains("2 ranks over 2 nodes");
    assertThat(folder.resolve("out/deep/input.txt")).hasContent("water");
    assertThat(folder.resolve("disk/millrace-77/localhost")).doesNotExist();
    assertThat(folder.resolve(".millrace-77")).doesNotExist();
  }

  @Test
  void aProgramThatFailsLeavesItsExitCodeAndItsFiles() throws Exception {
    Path in = Files.createDirectories(folder.resolve("in"));
    Files.writeString(in.resolve("input.txt"), "water");
    CommandLineRun run =
        submit(
            Map.of("STAGE_IN", in.toString(), "STAGE_OUT", folder.resolve("out").toString()),
            "NoSuchProgram");
    assertThat(run.exitCode()).as(run.err()).isNotZero();
    assertThat(folder.resolve("out/input.txt")).hasContent("water");
    assertThat(folder.resolve(".millrace-77")).doesNotExist();
  }
}
