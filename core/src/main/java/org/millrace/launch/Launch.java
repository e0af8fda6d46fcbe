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
 *   Open MPI, PRRTE     OMPI_COMM_WORLD_RANK    OMPI_COMM_WORLD_SIZE   PMIX_NAMESPACE, OMPI_MCA_...jobid
 *   MPICH (Hydra)       PMI_RANK                PMI_SIZE               PMI_JOBID, or what its proxy was told
 *   Slurm's srun        SLURM_PROCID            SLURM_STEP_NUM_TASKS   SLURM_JOB_ID and SLURM_STEP_ID
 * </pre>
 *
 * The first row that applies counts; MILLRACE_JOB goes before the job of any. MILLRACE_LISTEN may
 * say where a rank listens. Immutable.
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

  private static final long FIRST_PSEUDO_STEP = 0xffff_fff0L; // Slurm's batch and interactive steps

  /** Checks the bounds. */
  public Launch {
    if (size < 1 || rank < 0 || rank >= size) {
      throw new IllegalArgumentException(
          "%s says that this is rank %d of %d".formatted(launcher, rank, size));
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
    Variables said = new Variables(environment);
    if (said.has(RANK) || said.has(RANKS)) {
      return Optional.of(said.launch("MILLRACE_RANK", RANK, RANKS, said.first(JOB)));
    }
    if (said.has("OMPI_COMM_WORLD_RANK")) {
      String job =
          said.first(JOB, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid");
      return Optional.of(
          said.launch("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", job));
    }
    if (said.has("PMI_RANK") && said.has("PMI_SIZE")) {
      String named = said.first(JOB, "PMI_JOBID");
      String job = named.isEmpty() ? hydraJob.get() : named;
      return Optional.of(said.launch("MPICH", "PMI_RANK", "PMI_SIZE", job));
    }
    return said.isSlurmStep() ? Optional.of(said.slurm()) : Optional.empty();
  }

  /** What the environment says. */
  private record Variables(Map<String, String> all) {

    boolean has(String name) {
      return !first(name).isEmpty();
    }

    /** The first of these that is set to something; empty if none is. */
    String first(String... names) {
      for (String name : names) {
        String value = all.getOrDefault(name, "").strip();
        if (!value.isEmpty()) {
          return value;
        }
      }
      return "";
    }

    Launch launch(String launcher, String rank, String size, String job) {
      return new Launch(launcher, job, number(rank), number(size));
    }

    /** A batch script runs under Slurm, too, but only what srun starts is one of several. */
    boolean isSlurmStep() {
      String step = first("SLURM_STEP_ID", "SLURM_STEPID");
      return has("SLURM_PROCID")
          && step.matches("[0-9]{1,18}")
          && Long.parseLong(step) < FIRST_PSEUDO_STEP;
    }

    Launch slurm() {
      String named = first(JOB);
      String job =
          first("SLURM_JOB_ID", "SLURM_JOBID") + "." + first("SLURM_STEP_ID", "SLURM_STEPID");
      String size = has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
      return launch("Slurm", "SLURM_PROCID", size, named.isEmpty() ? job : named);
    }

    private int number(String name) {
      String value = first(name);
      if (!value.matches("[0-9]{1,9}")) {
        throw new IllegalArgumentException(
            value.isEmpty()
                ? name + " is not set"
                : "%s is '%s', not a whole number".formatted(name, value));
      }
      return Integer.parseInt(value);
    }
  }
}
