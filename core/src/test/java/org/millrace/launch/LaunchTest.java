package org.millrace.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
