package org.millrace.client;

/** What each rank of a parallel program does. */
@FunctionalInterface
public interface Program {

  /**
   * Runs as the given rank. When it returns or throws the rank has ended; ranks that still need it
   * fail.
   *
   * @throws Exception anything: it ends the whole run
   */
  void run(Rank rank) throws Exception;
}
