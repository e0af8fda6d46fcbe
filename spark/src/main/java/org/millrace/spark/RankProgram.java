package org.millrace.spark;

import java.io.Serializable;
import org.millrace.client.Rank;

/**
 * What each rank does that is a task of Spark. It is sent to executors, so what it refers to must
 * be serializable, and so must its result.
 *
 * @param <R> what each rank returns
 */
@FunctionalInterface
public interface RankProgram<R> extends Serializable {

  /**
   * Runs as the given rank.
   *
   * @throws Exception anything: it fails the stage, which Spark tries again
   */
  R run(Rank rank) throws Exception;
}
