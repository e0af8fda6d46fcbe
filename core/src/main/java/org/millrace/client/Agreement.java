package org.millrace.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;

/**
 * What a rank brings to a collective call before anything happens: what it calls, the arguments
 * that all ranks must give alike, and why it cannot take part, if it cannot. {@link Rank#agree}
 * compares what all ranks bring, and all get the same {@link Outcome}. A rank that finds its own
 * part wrong comes all the same, so that nobody waits for it.
 *
 * <p>What is compared first is a digest, one number of each rank; only ranks that do not agree tell
 * each other more. Immutable.
 *
 * @param call what is called
 * @param arguments that must be the same on all ranks, as text
 * @param refusal why this rank cannot take part
 */
public record Agreement(String call, String arguments, Optional<Refusal> refusal) {

  /**
   * Why a rank cannot take part.
   *
   * @param reason a number that means something to the caller: so its own kinds of errors reach
   *     other ranks as values
   * @param message for people
   */
  public record Refusal(int reason, String message) {}

  /** What a rank looks at before it comes. */
  @FunctionalInterface
  public interface Check {
    /** Throws what is wrong. */
    void run() throws IOException;
  }

  /** What came of it: the same on all ranks. */
  public sealed interface Outcome {

    /** What is wrong, naming a rank; empty if all agree. */
    Optional<String> problem();

    /** Goes on if all agree; else throws an error of the caller's kind. */
    default <X extends Exception> void orElseThrow(Function<String, X> error) throws X {
      if (problem().isPresent()) {
        throw error.apply(problem().get());
      }
    }

    /**
     * Goes on if all agree.
     *
     * @throws MixedCallException if ranks call different things, or give different arguments
     * @throws MillraceException with INVALID if a rank cannot take part
     */
    void orThrow() throws MillraceException;
  }

  /** All ranks call the same and can. */
  public record Agreed() implements Outcome {
    @Override
    public Optional<String> problem() {
      return Optional.empty();
    }

    @Override
    public void orThrow() {}
  }

  /**
   * Ranks differ.
   *
   * @param rank the lowest that differs from rank 0
   * @param sameCall whether they call the same, with different arguments
   * @param message which rank says what
   */
  public record Different(int rank, boolean sameCall, String message) implements Outcome {
    @Override
    public Optional<String> problem() {
      return Optional.of(message);
    }

    @Override
    public void orThrow() throws MillraceException {
      throw new MixedCallException(message);
    }
  }

  /**
   * A rank cannot take part.
   *
   * @param rank the lowest that cannot
   * @param refusal why
   */
  public record Refused(int rank, Refusal refusal) implements Outcome {
    @Override
    public Optional<String> problem() {
      return Optional.of("rank " + rank + ": " + refusal.message);
    }

    @Override
    public void orThrow() throws MillraceException {
      throw MillraceException.of(ErrorCode.INVALID, rank, refusal.message);
    }
  }

  private static final Agreed AGREED = new Agreed();
  private static final long REFUSED = 1; // the last bit of what ranks compare first

  /** A call with the arguments that all ranks must give alike; what they print is compared. */
  public static Agreement on(String call, Object... arguments) {
    return new Agreement(call, Arrays.deepToString(arguments), Optional.empty());
  }

  /** The same of a rank that cannot take part. */
  public Agreement refusing(int reason, String message) {
    return new Agreement(call, arguments, Optional.of(new Refusal(reason, message)));
  }

  /** The same of a rank that must give something: without it the rank cannot take part. */
  @SuppressWarnings("exports") // an annotation for compilers
  public Agreement giving(String what, @Nullable Object given) {
    return given == null && refusal.isEmpty() ? refusing(0, "no " + what + " was given") : this;
  }

  /** The same after a look of this rank's own: if it throws, the rank cannot take part. */
  public Agreement checking(Check check) {
    if (refusal.isPresent()) {
      return this; // what it looks at may not be there
    }
    try {
      check.run();
      return this;
    } catch (IOException | RuntimeException e) {
      return refusing(0, e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  /** Compares what all ranks bring. */
  Outcome reach(Rank rank) throws IOException {
    long mine = digest() & ~REFUSED | (refusal.isPresent() ? REFUSED : 0);
    List<Long> all = rank.channel().meet("agree", 0, "", mine).values();
    if ((mine & REFUSED) == 0 && all.stream().allMatch(one -> one == mine)) {
      return AGREED;
    }
    List<Agreement> told = new ArrayList<>();
    for (byte[] one : rank.allGather(encoded())) {
      told.add(decoded(one));
    }
    return judge(told);
  }

  /** Ranks that call different things are out of step, whatever else is wrong with them. */
  private static Outcome judge(List<Agreement> byRank) {
    Agreement first = byRank.getFirst();
    for (int r = 1; r < byRank.size(); r++) {
      if (!byRank.get(r).call.equals(first.call)) {
        return different(byRank, r, false);
      }
    }
    for (int r = 0; r < byRank.size(); r++) {
      if (byRank.get(r).refusal.isPresent()) {
        return new Refused(r, byRank.get(r).refusal.get());
      }
    }
    for (int r = 1; r < byRank.size(); r++) {
      if (!byRank.get(r).arguments.equals(first.arguments)) {
        return different(byRank, r, true);
      }
    }
    return AGREED;
  }

  private static Different different(List<Agreement> byRank, int rank, boolean sameCall) {
    Agreement first = byRank.getFirst();
    Agreement other = byRank.get(rank);
    return new Different(
        rank,
        sameCall,
        "rank 0 calls %s%s, rank %s calls %s%s"
            .formatted(first.call, first.arguments, rank, other.call, other.arguments));
  }

  private long digest() {
    try {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(encoded());
      return ByteBuffer.wrap(sum).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private byte[] encoded() {
    Encoder to = new Encoder().putText(call).putText(arguments).putBoolean(refusal.isPresent());
    refusal.ifPresent(one -> to.putInt(one.reason).putText(one.message));
    byte[] bytes = new byte[to.size()];
    to.written().get(bytes);
    return bytes;
  }

  private static Agreement decoded(byte[] bytes) throws MillraceException {
    Decoder from = new Decoder(ByteBuffer.wrap(bytes));
    String call = from.getText();
    String arguments = from.getText();
    return new Agreement(
        call,
        arguments,
        from.getBoolean()
            ? Optional.of(new Refusal(from.getInt(), from.getText()))
            : Optional.empty());
  }
}
