package org.millrace.sim.history;

/**
 * A call and what came of it.
 *
 * @param client who called
 * @param called when
 * @param answered when it was answered; {@link #NEVER} if it was not, or only as unknown: then it
 *     may have happened at any time since, may happen later, or never
 * @param call what was asked
 * @param answer what was answered; of no meaning if it was not
 */
public record Operation(int client, long called, long answered, Call call, long answer) {

  /** No answer. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Checks that the answer does not come before the call. */
  public Operation {
    if (answered < called) {
      throw new IllegalArgumentException("answered at " + answered + ", called at " + called);
    }
  }

  /** Whether nobody knows what came of it. */
  public boolean isUnknown() {
    return answered == NEVER;
  }

  @Override
  public String toString() {
    return "client %s: %s -> %s, %s to %s"
        .formatted(
            client,
            call,
            isUnknown() ? "unknown" : "" + answer,
            called,
            isUnknown() ? "?" : "" + answered);
  }
}
