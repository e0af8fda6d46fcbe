package org.millrace.launch;

import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How this process was started as one rank of several: by Millrace itself or by another launcher,
 * as its environment variables say. No code of that launcher is linked or called.
 *
 * <pre>
 *   started by          rank                    of                     job
 *   millrace, by hand   MILLRACE_RANK           MILLRACE_RANKS         MILLRACE_JOB
 *   torchrun            RANK                    WORLD_SIZE             TORCHELASTIC_RUN_ID, MASTER_ADDR, MASTER_PORT
 *   Open MPI, PRRTE     OMPI_COMM_WORLD_RANK    OMPI_COMM_WORLD_SIZE   PMIX_NAMESPACE, OMPI_MCA_...jobid
 *   Flux                FLUX_TASK_RANK          FLUX_JOB_SIZE          FLUX_JOB_ID
 *   MPICH (Hydra)       PMI_RANK                PMI_SIZE               PMI_JOBID, or what its proxy was told
 *   Slurm's srun        SLURM_PROCID            SLURM_STEP_NUM_TASKS   SLURM_JOB_ID and SLURM_STEP_ID
 *   Kubernetes          JOB_COMPLETION_INDEX    MILLRACE_RANKS         MILLRACE_JOB
 * </pre>
 *
 * The first row that applies counts: launchers that others start come before those. MILLRACE_JOB
 * goes before the job of any. MILLRACE_LISTEN may say where a rank listens. Immutable.
 *
 * @param launcher who started it, for people
 * @param job the same for all ranks of one run, and for no other run
 * @param rank which rank this process is
 * @param size how many there are
 */
public record Launch(String launcher, String job, int rank, int size) {

  /** What was said where the cluster is: an address, or its directory. */
  public static final String ADDRESS = "MILLRACE_ADDRESS";

  /** At which address a rank listens for the others, if not where it can be expected. */
  public static final String LISTEN = "MILLRACE_LISTEN";

  static final String RANK = "MILLRACE_RANK";
  static final String RANKS = "MILLRACE_RANKS";
  static final String JOB = "MILLRACE_JOB";

  /** Checks the bounds. */
  public Launch {
    if (size < 1 || rank < 0 || rank >= size) {
      throw new IllegalArgumentException(
          "%s says that this is rank %s of %s".formatted(launcher, rank, size));
    }
    if (job.isBlank() || job.lines().count() != 1) {
      throw new IllegalArgumentException(
          "%s does not name the job; set %s to a word that all ranks share and no other run has"
              .formatted(launcher, JOB));
    }
  }

  /** How this process was started; empty if it is not one of several ranks. */
  public static Optional<Launch> recognize() {
    return recognize(System.getenv(), Ancestors::hydraJob);
  }

  /**
   * As {@link #recognize()}.
   *
   * @param hydraJob finds the job of MPICH's launcher, whose environment does not name it
   */
  static Optional<Launch> recognize(Map<String, String> environment, Supplier<String> hydraJob) {
    return new LaunchVariables(environment).launch(hydraJob);
  }
}
