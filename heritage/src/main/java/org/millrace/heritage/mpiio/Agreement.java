package org.millrace.heritage.mpiio;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Agreement.Agreed;
import org.millrace.client.Agreement.Different;
import org.millrace.client.Agreement.Refused;
import org.millrace.client.Rank;

/**
 * How ranks find out, before anything happens, whether all of them make the same call and can: if
 * one cannot, it fails on all.
 *
 * <p>Stateless.
 */
final class Agreement {

  private Agreement() {}

  /**
   * Compares what all ranks say. Synchronizing.
   *
   * @param call with those arguments that must be the same
   * @param refusal why this rank cannot
   */
  static void reach(Rank rank, String call, @Nullable MpiFileException refusal) throws IOException {
    var mine = org.millrace.client.Agreement.on("MPI", call); // a refusal goes before a difference
    var outcome =
        rank.agree(
            refusal == null
                ? mine
                : mine.refusing(
                    refusal.getErrorClass().number(), String.valueOf(refusal.getMessage())));
    switch (outcome) {
      case Agreed _ -> {}
      case Different different ->
          throw new MpiFileException(ErrorClass.NOT_SAME, different.message());
      case Refused refused -> {
        String said = refused.problem().orElseThrow();
        throw refusal != null
            ? refusal
            : new MpiFileException(
                ErrorClass.of(refused.refusal().reason()).orElse(ErrorClass.OTHER), said);
      }
    }
  }
}
