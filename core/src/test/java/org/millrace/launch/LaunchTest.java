package org.millrace.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LaunchTest {

  private static Optional<Launch> recognize(String... namesAndValues) {
    Map<String, String> environment = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      environment.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return Launch.recognize(environment, () -> "hydra host:1");
  }

  @Test
  void aProcessThatNobodyLaunchedIsNoRank() {
    assertThat(recognize("PATH", "/bin", "HOME", "/root")).isEmpty();
  }

  @Test
  void millracesOwnVariablesGoFirst() {
    assertThat(
            recognize(
                "MILLRACE_RANK",
                "2",
                "MILLRACE_RANKS",
                "3",
                "MILLRACE_JOB",
                "j",
                "OMPI_COMM_WORLD_RANK",
                "0",
                "OMPI_COMM_WORLD_SIZE",
                "9",
                "PMIX_NAMESPACE",
                "x"))
        .contains(new Launch("MILLRACE_RANK", "j", 2, 3));
  }

  @Test
  void openMpiIsRecognizedByItsNamespace() {
    assertThat(
            recognize(
                "OMPI_COMM_WORLD_RANK",
                "1",
                "OMPI_COMM_WORLD_SIZE",
                "4",
                "PMIX_NAMESPACE",
                "136",
                "OMPI_MCA_ess_base_jobid",
                "999"))
        .contains(new Launch("Open MPI", "136", 1, 4));
  }

  @Test
  void openMpiWithoutANamespaceHasAJobNumber() {
    assertThat(
            recognize(
                "OMPI_COMM_WORLD_RANK",
                "1",
                "OMPI_COMM_WORLD_SIZE",
                "4",
                "OMPI_MCA_ess_base_jobid",
                "999"))
        .contains(new Launch("Open MPI", "999", 1, 4));
  }

  @Test
  void mpichIsRecognizedAndItsJobIsThatOfItsProxy() {
    assertThat(recognize("PMI_RANK", "0", "PMI_SIZE", "2"))
        .contains(new Launch("MPICH", "hydra host:1", 0, 2));
    assertThat(recognize("PMI_RANK", "0", "PMI_SIZE", "2", "PMI_JOBID", "7.0"))
        .contains(new Launch("MPICH", "7.0", 0, 2));
  }

  @Test
  void theProxysJobIsThePortOfItsMaster() {
    assertThat(Ancestors.hydraJob(List.of("--control-port", "vm:35061", "--rmk", "user")))
        .contains("hydra vm:35061");
    assertThat(Ancestors.hydraJob(List.of("--control-port"))).isEmpty();
    assertThat(Ancestors.hydraJob(List.of())).isEmpty();
  }

  @Test
  void srunIsRecognized() {
    assertThat(
            recognize(
                "SLURM_PROCID",
                "5",
                "SLURM_NTASKS",
                "16",
                "SLURM_STEP_NUM_TASKS",
                "8",
                "SLURM_JOB_ID",
                "77",
                "SLURM_STEP_ID",
                "2"))
        .contains(new Launch("Slurm", "77.2", 5, 8));
    assertThat(
            recognize(
                "SLURM_PROCID",
                "5",
                "SLURM_NTASKS",
                "16",
                "SLURM_JOB_ID",
                "77",
                "SLURM_STEP_ID",
                "0"))
        .contains(new Launch("Slurm", "77.0", 5, 16));
  }

  @Test
  void aBatchScriptOfSlurmIsNoRank() {
    assertThat(recognize("SLURM_PROCID", "0", "SLURM_NTASKS", "16", "SLURM_JOB_ID", "77"))
        .isEmpty();
    assertThat(recognize("SLURM_PROCID", "0", "SLURM_NTASKS", "16", "SLURM_STEP_ID", "4294967291"))
        .isEmpty();
  }

  private static String[] and(String[] some, String... more) {
    return Stream.of(some, more).flatMap(Stream::of).toArray(String[]::new);
  }

  private static final String[] TORCH = {
    "RANK",
    "3",
    "WORLD_SIZE",
    "4",
    "TORCHELASTIC_RUN_ID",
    "none",
    "MASTER_ADDR",
    "mill-a",
    "MASTER_PORT",
    "29500"
  };

  private static final String[] FLUX = {
    "FLUX_TASK_RANK", "1", "FLUX_JOB_SIZE", "2", "FLUX_JOB_ID", "f3ETxsR9H"
  };

  private static final String[] POD = {
    "JOB_COMPLETION_INDEX", "2", "MILLRACE_RANKS", "4", "MILLRACE_JOB", "uid-1"
  };

  @Test
  void torchrunIsRecognizedByItsRunAndWhereItsRanksMeet() {
    assertThat(recognize(TORCH)).contains(new Launch("torchrun", "none at mill-a:29500", 3, 4));
    assertThat(recognize(and(TORCH, "MILLRACE_JOB", "mine")))
        .contains(new Launch("torchrun", "mine", 3, 4));
  }

  @Test
  void torchrunGoesBeforeWhateverStartedIt() {
    String[] slurm = {"SLURM_PROCID", "0", "SLURM_NTASKS", "2", "SLURM_JOB_ID", "7"};
    String[] step = and(slurm, "SLURM_STEP_ID", "0", "JOB_COMPLETION_INDEX", "1");
    String[] mpi = {"OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2"};
    assertThat(recognize(and(TORCH, and(step, mpi))))
        .contains(new Launch("torchrun", "none at mill-a:29500", 3, 4));
  }

  @Test
  void wordsThatTorchrunSharesWithOthersMakeNoRank() {
    assertThat(recognize("RANK", "3", "WORLD_SIZE", "4", "MASTER_ADDR", "x", "MASTER_PORT", "1"))
        .isEmpty();
  }

  @Test
  void whatTorchrunLeavesOutIsNamed() {
    for (String name : List.of("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> recognize(and(TORCH, name, "")))
          .withMessage(name + " is not set");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize(and(TORCH, "MASTER_PORT", "70000")))
        .withMessage("MASTER_PORT is 70000, not a port");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize(and(TORCH, "RANK", "4")))
        .withMessage("torchrun says that this is rank 4 of 4");
  }

  @Test
  void fluxIsRecognizedAlsoWithTheVariablesThatItSetsForMpich() {
    Launch expected = new Launch("Flux", "f3ETxsR9H", 1, 2);
    assertThat(recognize(FLUX)).contains(expected);
    assertThat(recognize(and(FLUX, "PMI_RANK", "1", "PMI_SIZE", "2"))).contains(expected);
    assertThat(recognize(and(FLUX, "SLURM_PROCID", "0", "SLURM_STEP_ID", "0"))).contains(expected);
  }

  @Test
  void allLocalesReadTheSameIdOfFlux() {
    assertThat(recognize(and(FLUX, "FLUX_JOB_ID", "\u01923ETxsR9H")))
        .isEqualTo(recognize(and(FLUX, "FLUX_JOB_ID", "\ufffd\ufffd3ETxsR9H")))
        .contains(new Launch("Flux", "3ETxsR9H", 1, 2));
  }

  @Test
  void launchersInsideATaskOfFluxGoFirst() {
    assertThat(recognize(and(FLUX, "PMI_RANK", "3", "PMI_SIZE", "4")))
        .contains(new Launch("MPICH", "hydra host:1", 3, 4));
    assertThat(
            recognize(
                and(
                    FLUX,
                    "OMPI_COMM_WORLD_RANK",
                    "3",
                    "OMPI_COMM_WORLD_SIZE",
                    "4",
                    "PMIX_NAMESPACE",
                    "136")))
        .contains(new Launch("Open MPI", "136", 3, 4));
  }

  @Test
  void whatFluxLeavesOutIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize(and(FLUX, "FLUX_JOB_SIZE", "")))
        .withMessage("FLUX_JOB_SIZE is not set");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize(and(FLUX, "FLUX_JOB_ID", "")))
        .withMessageContaining("Flux does not name the job; set MILLRACE_JOB");
  }

  @Test
  void aPodOfAnIndexedJobIsARank() {
    assertThat(recognize(POD)).contains(new Launch("Kubernetes", "uid-1", 2, 4));
  }

  @Test
  void aPodIsToldWhatToSet() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize(and(POD, "MILLRACE_RANKS", "")))
        .withMessageContaining("pod of an Indexed Job, but MILLRACE_RANKS is not set");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize(and(POD, "MILLRACE_JOB", "")))
        .withMessageContaining("Kubernetes does not name the job; set MILLRACE_JOB");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize(and(POD, "JOB_COMPLETION_INDEX", "4")))
        .withMessage("Kubernetes says that this is rank 4 of 4");
    assertThat(recognize("JOB_COMPLETION_INDEX", "")).isEmpty();
  }

  @Test
  void launchersInsideAPodGoFirst() {
    assertThat(recognize("JOB_COMPLETION_INDEX", "1", "PMI_RANK", "0", "PMI_SIZE", "2"))
        .contains(new Launch("MPICH", "hydra host:1", 0, 2));
    assertThat(recognize(and(POD, "MILLRACE_RANK", "0")))
        .contains(new Launch("MILLRACE_RANK", "uid-1", 0, 4));
  }

  @Test
  void theUsersNameOfTheJobCounts() {
    assertThat(recognize("PMI_RANK", "0", "PMI_SIZE", "2", "MILLRACE_JOB", "mine"))
        .contains(new Launch("MPICH", "mine", 0, 2));
  }

  @Test
  void whatIsMissingOrWrongIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize("MILLRACE_RANK", "1", "MILLRACE_JOB", "j"))
        .withMessage("MILLRACE_RANKS is not set");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> recognize("MILLRACE_RANK", "1", "MILLRACE_RANKS", "2"))
        .withMessageContaining("MILLRACE_JOB");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> recognize("MILLRACE_RANK", "x", "MILLRACE_RANKS", "2", "MILLRACE_JOB", "j"))
        .withMessage("MILLRACE_RANK is 'x', not a whole number");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> recognize("MILLRACE_RANK", "2", "MILLRACE_RANKS", "2", "MILLRACE_JOB", "j"))
        .withMessageContaining("rank 2 of 2");
  }
}
