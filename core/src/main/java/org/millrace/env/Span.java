package org.millrace.env;

/**
 * A stretch of time in what a rank does, for people who look at a run afterwards. It begins with
 * {@link Env#span} and ends with {@link #end}, at most once; one that is never ended was never
 * there. If nobody watches, it is {@link #NONE}: callers ask {@link #isWatched} before they collect
 * facts, so that a run that nobody watches pays for a question alone.
 *
 * <p>Begun and ended by any thread, one after the other.
 */
public interface Span {

  /** Watches nothing. */
  Span NONE = _ -> {};

  /** What a rank does. */
  enum Kind {
    /** A collective read or write, from its begin to its end. */
    COLLECTIVE,
    /** It waits for other ranks. */
    MEETING,
    /** It moves bytes. */
    TRANSFER
  }

  /**
   * What there is to say of a span at its end.
   *
   * @param group number of the rank's group
   * @param rank its number there
   * @param call what it had called
   * @param file the path of the file; empty if it is not about one
   * @param strategy of a transfer: how it was carried out; else empty
   * @param plan of a transfer: the plan's numbers, for people; else empty
   * @param bytes that this rank wanted or moved
   */
  record Facts(
      long group, int rank, String call, String file, String strategy, String plan, long bytes) {}

  /** It ends now. */
  void end(Facts facts);

  /** Whether anybody will see it. */
  default boolean isWatched() {
    return this != NONE;
  }
}
