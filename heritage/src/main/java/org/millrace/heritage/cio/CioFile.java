package org.millrace.heritage.cio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Agreement;
import org.millrace.client.BufferAccess;
import org.millrace.client.Buffers;
import org.millrace.client.SharedFile;

/**
 * A file that the participants have open. Counts are bytes.
 *
 * <p>In single mode every call waits for all. Calls or sizes that differ fail with {@link
 * org.millrace.error.MixedCallException} on all, memory of one participant that cannot be used with
 * {@link CioException} on all; nothing has moved. In multi mode an access without the token fails
 * with {@link CioException} and moves nothing; the token moves only when its holder passes it on.
 * One who waits for a token that nobody passes on waits until the cluster's deadline for meetings:
 * right handling is the program's, as it was. Reads are short at the end of the file.
 *
 * <p>Belongs to the rank's thread. Closing waits for all in single and multi mode. In multi mode
 * one who closes has no more turns: the token goes past it to those who are still there.
 */
public final class CioFile implements BufferAccess, AutoCloseable {

  // constant after construction
  private final SharedFile file;
  private final CioMode mode;
  private final @Nullable Owner owner; // in single mode
  private final @Nullable Token token; // in multi mode

  CioFile(SharedFile file, CioMode mode, @Nullable Owner owner, @Nullable Token token) {
    this.file = file;
    this.mode = mode;
    this.owner = owner;
    this.token = token;
  }

  /** The mode it was opened in. */
  public CioMode mode() {
    return mode;
  }

  /** Where the next access goes: the pointer of all, or in independent mode one's own. */
  public long position() throws IOException {
    return file.position();
  }

  /** Moves the pointer; in single mode all give the same position, in multi mode with the token. */
  public void seek(long position) throws IOException {
    checkTurn();
    meet(Agreement.on("seek", position));
    file.seek(position);
  }

  /** Reads on; in single mode the owner reads, and all get what it has read. */
  @Override
  public long read(MemorySegment into) throws IOException {
    checkTurn();
    return owner == null || file.isClosed() ? file.read(into) : owner.read(file, Buffers.of(into));
  }

  /** Writes on; in single mode only the owner's data. */
  @Override
  public long write(MemorySegment from) throws IOException {
    checkTurn();
    return owner == null || file.isClosed()
        ? file.write(from)
        : owner.write(file, Buffers.of(from));
  }

  private void meet(Agreement call) throws IOException {
    if (owner != null && !file.isClosed()) {
      owner.meet(call);
    }
  }

  /**
   * Whether this participant has the token. One to which it was passed has it when {@link
   * #awaitToken} returns.
   */
  public boolean hasToken() {
    return token().isHeld();
  }

  /** Waits until the token is here. */
  public void awaitToken() throws IOException {
    token().await();
  }

  /** Passes the token on, to whom the order says. */
  public void passToken() throws IOException {
    Token mine = token();
    checkTurn();
    mine.pass(mine.next());
  }

  /** Passes the token on to a participant. */
  public void passToken(int to) throws IOException {
    Token mine = token();
    checkTurn();
    mine.pass(to);
  }

  private Token token() {
    if (token == null) {
      throw new IllegalStateException("there is no token in mode " + mode);
    }
    return token;
  }

  private void checkTurn() throws CioException {
    if (token != null && !token.isHeld()) {
      throw new CioException("an access to " + file.path() + " without the token");
    }
  }

  @Override
  public void close() throws IOException {
    if (file.isClosed()) {
      return;
    }
    meet(Agreement.on("close"));
    if (token != null) {
      token.close();
    }
    try {
      file.close(); // in multi mode it waits for all, so that nobody needs the token any more
    } finally {
      if (token != null && file.isClosed()) {
        token.leave();
      }
    }
  }
}
