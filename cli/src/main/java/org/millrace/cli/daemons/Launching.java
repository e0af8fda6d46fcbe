package org.millrace.cli.daemons;

/** The variables by which ranks are told who they are. Stateless. */
public final class Launching {

  private Launching() {}

  /** Whether a variable speaks to one rank of a run, and not to daemons that it might start. */
  public static boolean isLaunchers(String variable) {
    return variable.matches(
        "MILLRACE_(RANK|RANKS|JOB|ADDRESS)|(OMPI|PMI|PMIX|HYDI|SLURM|FLUX|TORCHELASTIC)_.*"
            + "|JOB_COMPLETION_INDEX");
  }
}
