package org.millrace.heritage.edonio;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Agreement.Agreed;
import org.millrace.client.Agreement.Different;
import org.millrace.client.Agreement.Outcome;
import org.millrace.client.Agreement.Refused;
import org.millrace.client.Rank;
import org.millrace.heritage.edonio.EdonioException.Reason;

/**
 * The implicit global synchronization of collective calls: all ranks come with what they call and
 * with what is wrong with it, and go on together or fail together.
 *
 * <p>Belongs to the rank's thread; holds no state.
 */
@SuppressWarnings("EnumOrdinal") // numbers for a moment, between ranks of one program
record Agreement(Rank rank) {

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
    var mine = org.millrace.client.Agreement.on(call.toString(), arguments);
    Outcome outcome;
    try {
      outcome =
          rank.agree(
              wrong == null
                  ? mine
                  : mine.refusing(wrong.reason().ordinal(), String.valueOf(wrong.getMessage())));
    } catch (IOException e) {
      throw EdonioException.of(call.toString(), e);
    }
    switch (outcome) {
      case Agreed _ -> {}
      case Different different ->
          throw new EdonioException(Reason.MIXED_CALL, call + ": " + different.message());
      case Refused refused -> { // the lowest rank's reason is everybody's
        Reason reason = Reason.values()[refused.refusal().reason()];
        throw wrong != null && wrong.reason() == reason
            ? wrong
            : new EdonioException(reason, call + " failed: " + refused.problem().orElseThrow());
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
}
