package org.millrace.heritage.cio;

import java.io.IOException;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.millrace.client.Agreement;
import org.millrace.client.Mode;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;

/**
 * The Concurrent I/O system for one participant. All of a group participate in what it opens; those
 * who want other participants split the group.
 *
 * <p>Belongs to the rank's thread. Needs no closing; its files do.
 */
public final class Cio {

  private final Rank rank;

  /** For the participants of a group. */
  public Cio(Rank rank) {
    this.rank = rank;
  }

  /**
   * Opens a file; in multi mode the token goes round in order of numbers. Synchronizing. The first
   * to open is the owner, or has the token first; since the open is one meeting of all, here the
   * first is participant 0.
   *
   * @throws CioException on all, if they ask for different modes
   */
  public CioFile open(String name, OpenOptions options, CioMode mode) throws IOException {
    return open(name, options, mode, 0);
  }

  /**
   * As {@link #open(String, OpenOptions, CioMode)}, with an owner that the program chooses; in
   * multi mode the first one, in independent mode it has no meaning.
   *
   * @throws CioException on all, if they ask for different modes or owners, or for an owner that is
   *     no participant
   */
  public CioFile open(String name, OpenOptions options, CioMode mode, int owner)
      throws IOException {
    int size = rank.size();
    return open(name, options, mode, owner, current -> (current + 1) % size);
  }

  /** Opens a file in multi mode, the token's way being the user's. Synchronizing. */
  public CioFile openMulti(String name, OpenOptions options, IntUnaryOperator next)
      throws IOException {
    return openMulti(name, options, 0, next);
  }

  /** As the other one, with the participant that has the token first. */
  public CioFile openMulti(String name, OpenOptions options, int first, IntUnaryOperator next)
      throws IOException {
    return open(name, options, CioMode.MULTI, first, next);
  }

  private CioFile open(
      String name, OpenOptions options, CioMode mode, int owner, IntUnaryOperator next)
      throws IOException {
    rank.agree(
            Agreement.on("open", name, mode, owner)
                .giving("name", name)
                .giving("mode", mode)
                .giving("order of the token", next)
                .checking(() -> Objects.checkIndex(owner, rank.size())))
        .orElseThrow(CioException::new);
    if (mode == CioMode.MULTI) {
      return multi(name, options, owner, next);
    }
    SharedFile file = rank.open(name, options, Mode.INDEPENDENT);
    return new CioFile(file, mode, mode == CioMode.SINGLE ? new Owner(rank, owner) : null, null);
  }

  private CioFile multi(String name, OpenOptions options, int first, IntUnaryOperator next)
      throws IOException {
    Rank own = rank.split(0, rank.number()); // whose messages are the token's alone
    try {
      SharedFile file = rank.open(name, options, Mode.SHARED);
      return new CioFile(file, CioMode.MULTI, null, new Token(own, first, next));
    } catch (IOException | RuntimeException e) {
      try {
        own.leave("");
      } catch (IOException more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }
}
