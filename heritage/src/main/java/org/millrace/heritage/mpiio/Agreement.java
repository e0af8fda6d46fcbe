package org.millrace.heritage.mpiio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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

  /** The class's number of a rank that can. */
  private static final int WILLING = 0;

  private Agreement() {}

  /**
   * What a rank says: the call with the arguments that must be the same, or why it cannot.
   *
   * @param refused number of the error class, or WILLING
   */
  private record Said(int refused, String text) {

    byte[] bytes() {
      byte[] words = text.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(Integer.BYTES + words.length).putInt(refused).put(words).array();
    }

    static Said of(byte[] bytes) {
      ByteBuffer from = ByteBuffer.wrap(bytes);
      int refused = from.getInt();
      return new Said(refused, StandardCharsets.UTF_8.decode(from).toString());
    }
  }

  /**
   * Compares what all ranks say. Synchronizing.
   *
   * @param call with those arguments that must be the same
   * @param refusal why this rank cannot
   */
  static void reach(Rank rank, String call, @Nullable MpiFileException refusal) throws IOException {
    Said mine =
        refusal == null
            ? new Said(WILLING, call)
            : new Said(refusal.getErrorClass().number(), String.valueOf(refusal.getMessage()));
    List<Said> all = rank.allGather(mine.bytes()).stream().map(Said::of).toList();
    if (refusal != null) {
      throw refusal;
    }
    for (int r = 0; r < all.size(); r++) {
      Said said = all.get(r);
      if (said.refused != WILLING) {
        throw new MpiFileException(
            ErrorClass.of(said.refused).orElse(ErrorClass.OTHER), "rank " + r + ": " + said.text);
      }
    }
    for (int r = 1; r < all.size(); r++) {
      if (!all.get(r).equals(all.getFirst())) {
        throw new MpiFileException(
            ErrorClass.NOT_SAME,
            "rank 0 calls %s, rank %d %s".formatted(all.getFirst().text, r, all.get(r).text));
      }
    }
  }
}
