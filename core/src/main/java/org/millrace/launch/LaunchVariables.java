package org.millrace.launch;

import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the environment says about who launched this process: the table of {@link Launch}, as code.
 * Variables that are set to nothing count as not set. Immutable.
 *
 * @param all the environment
 */
record LaunchVariables(Map<String, String> all) {

  private static final String RANK = Launch.RANK;
  private static final String RANKS = Launch.RANKS;
  private static final String JOB = Launch.JOB;
  private static final String INDEX = "JOB_COMPLETION_INDEX";

  private static final long FIRST_PSEUDO_STEP = 0xffff_fff0L; // Slurm's batch and interactive steps
  private static final int MAX_PORT = 65_535;

  /**
   * How this process was launched; empty if it is not one of several ranks.
   *
   * @param hydraJob finds the job of MPICH's launcher, whose environment does not name it
   * @throws IllegalArgumentException if a launcher's variables are wrong or not all there
   */
  Optional<Launch> launch(Supplier<String> hydraJob) {
    if (has(RANK) || has(RANKS) && !has(INDEX)) {
      return Optional.of(launch(RANK, RANK, RANKS, first(JOB)));
    }
    if (has("TORCHELASTIC_RUN_ID")) { // mpirun, srun and pods start torchrun, not the other way
      return Optional.of(launch("torchrun", "RANK", "WORLD_SIZE", torchJob()));
    }
    if (has("OMPI_COMM_WORLD_RANK")) {
      String job =
          first(JOB, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid");
      return Optional.of(launch("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", job));
    }
    if (isFluxTask()) {
      return Optional.of(launch("Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", fluxJob()));
    }
    if (has("PMI_RANK") && has("PMI_SIZE")) {
      String named = first(JOB, "PMI_JOBID");
      String job = named.isEmpty() ? hydraJob.get() : named;
      return Optional.of(launch("MPICH", "PMI_RANK", "PMI_SIZE", job));
    }
    if (isSlurmStep()) {
      return Optional.of(slurm());
    }
    return has(INDEX) ? Optional.of(kubernetes()) : Optional.empty();
  }

  private boolean has(String name) {
    return !first(name).isEmpty();
  }

  /** The first of these that is set to something; empty if none is. */
  private String first(String... names) {
    for (String name : names) {
      String value = all.getOrDefault(name, "").strip();
      if (!value.isEmpty()) {
        return value;
      }
    }
    return "";
  }

  private Launch launch(String launcher, String rank, String size, String job) {
    return new Launch(launcher, job, number(rank), number(size));
  }

  /**
   * The run's id is the word "none" unless the user gave one, so the place where its ranks would
   * meet belongs to the name: two runs cannot have the same at one time. How often torchrun has
   * restarted its processes does not: each host counts for itself.
   */
  private String torchJob() {
    String named = first(JOB);
    if (!named.isEmpty()) {
      return named;
    }
    if (!has("MASTER_ADDR")) {
      throw new IllegalArgumentException("MASTER_ADDR is not set");
    }
    int port = number("MASTER_PORT");
    if (port > MAX_PORT) {
      throw new IllegalArgumentException("MASTER_PORT is %s, not a port".formatted(port));
    }
    return "%s at %s:%s".formatted(first("TORCHELASTIC_RUN_ID"), first("MASTER_ADDR"), port);
  }

  /**
   * Flux sets MPICH's variables, too, to the same. If they say something else, mpiexec runs inside
   * a task of Flux.
   */
  private boolean isFluxTask() {
    return has("FLUX_TASK_RANK")
        && (!has("PMI_RANK") || first("PMI_RANK").equals(first("FLUX_TASK_RANK")))
        && (!has("PMI_SIZE") || first("PMI_SIZE").equals(first("FLUX_JOB_SIZE")));
  }

  /** Flux's ids begin with a letter that is read in as many ways as there are locales. */
  private String fluxJob() {
    return first(JOB, "FLUX_JOB_ID").replaceAll("[^\\x20-\\x7e]", "");
  }

  /** A batch script runs under Slurm, too, but only what srun starts is one of several. */
  private boolean isSlurmStep() {
    String step = first("SLURM_STEP_ID", "SLURM_STEPID");
    return has("SLURM_PROCID")
        && step.matches("[0-9]{1,18}")
        && Long.parseLong(step) < FIRST_PSEUDO_STEP;
  }

  private Launch slurm() {
    String named = first(JOB);
    String job =
        first("SLURM_JOB_ID", "SLURM_JOBID") + "." + first("SLURM_STEP_ID", "SLURM_STEPID");
    String size = has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
    return launch("Slurm", "SLURM_PROCID", size, named.isEmpty() ? job : named);
  }

  /**
   * Kubernetes does not tell a pod of how many it is one. To take it for a program of its own would
   * let all pods write the same files, so this must be said.
   */
  private Launch kubernetes() {
    if (!has(RANKS)) {
      throw new IllegalArgumentException(
          ("%s is %s, so this is a pod of an Indexed Job, but %s is not set: set it to the Job's"
                  + " completions, and %s to the Job's uid; or set %s to nothing if each pod runs a"
                  + " program of its own")
              .formatted(INDEX, first(INDEX), RANKS, JOB, INDEX));
    }
    return launch("Kubernetes", INDEX, RANKS, first(JOB));
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
