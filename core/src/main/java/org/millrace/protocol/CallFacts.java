package org.millrace.protocol;

/**
 * What one rank says of a collective call that it has made, for people who look at the cluster.
 *
 * <pre>
 *   begin ---- waits for the others ---- moving ---- moves bytes ---- moved ---- waits ---- end
 * </pre>
 *
 * @param open the open file, by which with {@code number} people find what other ranks say of the
 *     same call
 * @param number how many collective calls of this file the rank had made before
 * @param call what was called
 * @param file the path as the rank opened it, or its end
 * @param strategy how it was carried out; empty if it failed before that was known
 * @param plan the plan's numbers, in words
 * @param bytes that this rank wanted
 * @param beginNanos when it began, on the sender's clock; in a reply how long ago that was
 * @param movingNanos how long after that it began to move bytes
 * @param movedNanos how long after its begin it had moved them
 * @param endNanos how long after its begin it ended
 * @param failed whether it failed
 */
public record CallFacts(
    long open,
    long number,
    String call,
    String file,
    String strategy,
    String plan,
    long bytes,
    long beginNanos,
    long movingNanos,
    long movedNanos,
    long endNanos,
    boolean failed) {

  /** The ranks of a group that tell of their calls are those with lower numbers. */
  public static final int MAX_RANKS = 16;

  /** How many calls a report has at most, and how many are kept of a rank. */
  public static final int MAX_CALLS = 12;

  /** How long each text is at most. */
  public static final int MAX_CHARS = 120;

  /** The same with another begin. */
  public CallFacts begunAt(long nanos) {
    return new CallFacts(
        open,
        number,
        call,
        file,
        strategy,
        plan,
        bytes,
        nanos,
        movingNanos,
        movedNanos,
        endNanos,
        failed);
  }

  /** The same for those who may not know the file. */
  public CallFacts withoutFile() {
    return new CallFacts(
        open,
        number,
        call,
        "",
        strategy,
        plan,
        bytes,
        beginNanos,
        movingNanos,
        movedNanos,
        endNanos,
        failed);
  }
}
