package org.millrace.heritage.edonio;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.EdonioException.Reason;

/**
 * The implicit global synchronization of collective calls: all ranks come with what they call and
 * with what is wrong with it, and go on together or fail together. One exchange of a number:
 *
 * <pre>
 *   call (8 bits) | reason + 1, or 0 (8 bits) | digest of the arguments (48 bits)
 * </pre>
 *
 * <p>Belongs to the rank's thread; holds no state.
 */
@SuppressWarnings("EnumOrdinal") // numbers for a moment, between ranks of one program
record Agreement(Rank rank) {

  private static final int REASON_SHIFT = 48;
  private static final int CALL_SHIFT = 56;
  private static final long DIGEST_MASK = (1L << REASON_SHIFT) - 1;

  /** The collective calls. */
  enum Call {
    DO_OPEN,
    DO_CLOSE,
    DO_FLUSH,
    DO_CSIZE,
    DO_LSIZE,
    DO_PRELOAD,
    DO_GSYNC;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What a rank does once all have come; runs on all ranks, and fails on all if on any. */
  interface Part {
    void run() throws IOException;
  }

  /**
   * Comes to a call.
   *
   * @param wrong what this rank finds wrong with its arguments
   * @param arguments that must be the same on all ranks
   * @throws EdonioException on all ranks, if something is wrong on any or they differ
   */
  void reach(Call call, @Nullable EdonioException wrong, Object... arguments) throws IOException {
    long mine =
        (long) call.ordinal() << CALL_SHIFT
            | (wrong == null ? 0L : wrong.reason().ordinal() + 1L) << REASON_SHIFT
            | digest(arguments);
    List<Long> all;
    try {
      all = rank.allGather(mine);
    } catch (IOException e) {
      throw EdonioException.of(call.toString(), e);
    }
    judge(call, wrong, mine, all);
  }

  private static void judge(Call call, @Nullable EdonioException wrong, long mine, List<Long> all)
      throws EdonioException {
    for (int r = 0; r < all.size(); r++) {
      int other = (int) (all.get(r) >>> CALL_SHIFT);
      if (other != call.ordinal()) {
        throw new EdonioException(
            Reason.MIXED_CALL, call + ": rank " + r + " called " + Call.values()[other]);
      }
    }
    for (int r = 0; r < all.size(); r++) { // the lowest rank's reason is everybody's
      int number = (int) (all.get(r) >>> REASON_SHIFT & 0xff);
      if (number > 0) {
        Reason reason = Reason.values()[number - 1];
        throw wrong != null && wrong.reason() == reason
            ? wrong
            : new EdonioException(reason, call + " failed on rank " + r + ": " + reason);
      }
    }
    for (int r = 0; r < all.size(); r++) {
      if ((all.get(r) & DIGEST_MASK) != (mine & DIGEST_MASK)) {
        throw new EdonioException(
            Reason.MIXED_CALL, call + ": rank " + r + " gave other arguments than this one");
      }
    }
  }

  /** After {@link #reach}: does something on this rank, and learns whether all could. */
  void together(Call call, Part part) throws IOException {
    EdonioException failure = null;
    try {
      part.run();
    } catch (IOException e) {
      failure = EdonioException.of(call.toString(), e);
    }
    reach(call, failure);
  }

  /**
   * Arguments that differ have different digests, but for one pair in about 2^48 if nobody chose
   * them to be alike. A path that slips through is compared whole when the ranks open it.
   */
  private static long digest(Object... arguments) {
    long digest = 17;
    for (Object one : arguments) {
      String text = String.valueOf(one);
      for (int i = 0; i < text.length(); i++) {
        digest = mixed(digest, text.charAt(i));
      }
      digest = mixed(digest, 1L << Character.SIZE); // no character: "1", "23" are not "12", "3"
    }
    return digest >>> (Long.SIZE - REASON_SHIFT);
  }

  /** One step of FNV-1a's kind, over 64 bits. */
  private static long mixed(long digest, long value) {
    long next = (digest ^ value) * 0x9e37_79b9_7f4a_7c15L;
    return next ^ (next >>> 29);
  }
}
