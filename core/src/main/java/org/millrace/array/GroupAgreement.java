package org.millrace.array;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.millrace.client.Agreement;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;

/**
 * Lets all ranks agree before a file is created or opened: it compares their arguments, or
 * distributes what one of them has found. Stateless.
 */
final class GroupAgreement {

  private GroupAgreement() {}

  /**
   * Compares what the ranks say.
   *
   * @param mine what this rank says; if it throws, the call fails on all ranks with INVALID
   * @throws MixedCallException on all ranks if they differ
   */
  static void check(Rank rank, Supplier<String> mine) throws IOException {
    Agreement said;
    Optional<RuntimeException> own = Optional.empty();
    try {
      said = Agreement.on("array", mine.get());
    } catch (RuntimeException e) {
      said = Agreement.on("array").refusing(0, String.valueOf(e.getMessage()));
      own = Optional.of(e);
    }
    try {
      rank.agree(said).orThrow();
    } catch (MillraceException e) {
      own.ifPresent(e::addSuppressed);
      throw e;
    }
  }

  /**
   * Tells all ranks whether all have succeeded.
   *
   * @param code the kind of this rank's failure
   * @param failure what it was; empty if there was none
   */
  static void check(Rank rank, ErrorCode code, String failure) throws IOException {
    List<byte[]> all = rank.allGather(encode(code.number(), utf8(failure)));
    for (int r = 0; r < all.size(); r++) {
      byte[] one = all.get(r);
      if (one.length > 1) {
        throw MillraceException.of(code(one[0]), r, text(one));
      }
    }
  }

  private static ErrorCode code(int number) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.number() == number) {
        return code;
      }
    }
    throw new IllegalArgumentException("there is no error " + number);
  }

  private static String text(byte[] encoded) {
    return new String(encoded, 1, encoded.length - 1, StandardCharsets.UTF_8);
  }

  /** What rank 0 looks for. */
  interface Look {
    byte[] look() throws IOException;
  }

  /**
   * What rank 0 finds, on all ranks; if it fails, or finds something wrong, all ranks fail alike.
   *
   * @param path what it is about, for the message
   */
  static byte[] fromRankZero(Rank rank, String path, Look look) throws IOException {
    byte[] answer = {};
    if (rank.number() == 0) {
      try {
        answer = encode(0, look.look());
      } catch (IOException e) {
        MillraceException told = MillraceException.wrap(ErrorCode.DISK, e);
        answer = encode(told.code().number(), utf8(String.valueOf(told.getMessage())));
      } catch (IllegalArgumentException e) {
        answer = encode(ErrorCode.INVALID.number(), utf8(path + ": " + e.getMessage()));
      }
    }
    byte[] found = rank.broadcast(0, answer);
    if (found[0] != 0) {
      throw MillraceException.of(code(found[0]), text(found));
    }
    return Arrays.copyOfRange(found, 1, found.length);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] encode(int code, byte[] rest) {
    byte[] all = new byte[rest.length + 1];
    all[0] = (byte) code;
    System.arraycopy(rest, 0, all, 1, rest.length);
    return all;
  }
}
