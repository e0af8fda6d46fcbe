package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
    String mine = refusal == null ? "=" + call : "!" + refusal.getMessage();
    List<String> all = new ArrayList<>();
    for (byte[] one : rank.allGather(mine.getBytes(StandardCharsets.UTF_8))) {
      all.add(new String(one, StandardCharsets.UTF_8));
    }
    if (refusal != null) {
      throw refusal;
    }
    for (int r = 0; r < all.size(); r++) {
      String said = all.get(r);
      if (said.startsWith("!")) {
        throw new MpiFileException(
            ErrorClass.in(said).orElse(ErrorClass.OTHER), "rank " + r + ": " + said.substring(1));
      }
      if (!said.equals(all.getFirst())) {
        throw new MpiFileException(
            ErrorClass.NOT_SAME,
            "rank 0 calls %s, rank %d %s"
                .formatted(all.getFirst().substring(1), r, said.substring(1)));
      }
    }
  }
}
