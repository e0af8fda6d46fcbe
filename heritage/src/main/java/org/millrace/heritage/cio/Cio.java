package org.millrace.heritage.cio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
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
    int size = rank.size();
    return open(name, options, mode, current -> (current + 1) % size);
  }

  /** Opens a file in multi mode, the token's way being the user's. Synchronizing. */
  public CioFile openMulti(String name, OpenOptions options, IntUnaryOperator next)
      throws IOException {
    return open(name, options, CioMode.MULTI, next);
  }

  private CioFile open(String name, OpenOptions options, CioMode mode, IntUnaryOperator next)
      throws IOException {
    List<String> modes =
        rank.allGather(mode.name().getBytes(StandardCharsets.UTF_8)).stream()
            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
            .toList();
    if (modes.stream().distinct().count() > 1) {
      throw new CioException(name + " is opened in different modes: " + modes);
    }
    Mode core =
        switch (mode) {
          case SINGLE -> Mode.GLOBAL;
          case MULTI -> Mode.SHARED;
          case INDEPENDENT -> Mode.INDEPENDENT;
        };
    SharedFile file = rank.open(name, options.withMode(core));
    if (mode != CioMode.MULTI) {
      return new CioFile(file, mode, Optional.empty());
    }
    Rank own = rank.split(0, rank.number()); // whose messages are the token's alone
    return new CioFile(file, mode, Optional.of(new Token(own, next)));
  }
}
