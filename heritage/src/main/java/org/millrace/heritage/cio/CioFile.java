package org.millrace.heritage.cio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.millrace.client.FileAccess;
import org.millrace.client.Memory;
import org.millrace.client.SharedFile;
import org.millrace.error.MillraceException;

/**
 * A file that the participants have open.
 *
 * <p>In single mode every call waits for all. Calls or sizes that differ fail with {@link
 * org.millrace.error.MixedCallException} on all; nothing has moved. So does memory of one
 * participant that cannot be used; that one is told so by {@link CioException}. In multi mode an
 * access without the token fails with {@link CioException} and moves nothing; the token moves only
 * when its holder passes it on. One who waits for a token that nobody passes on waits until the
 * cluster's deadline for meetings: right handling is the program's, as it was. Reads are short at
 * the end of the file.
 *
 * <p>Belongs to the rank's thread. Closing waits for all in single and multi mode. In multi mode
 * one who closes has no more turns: the token goes past it to those who are still there.
 */
public final class CioFile implements AutoCloseable {

  private static final Memory NOTHING = Memory.of(List.of());

  // constant after construction
  private final SharedFile file;
  private final CioMode mode;
  private final Optional<Token> token;

  CioFile(SharedFile file, CioMode mode, Optional<Token> token) {
    this.file = file;
    this.mode = mode;
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
    file.seek(position);
  }

  /** Reads on. */
  public long read(MemorySegment into) throws IOException {
    checkTurn();
    checkPossible(Memory.of(into).isFitForRead(), false, "memory that cannot be read into");
    return file.read(into);
  }

  /** As {@link #read(MemorySegment)}. */
  public long read(byte[] into) throws IOException {
    return read(MemorySegment.ofArray(into));
  }

  /** Writes on; in single mode only the owner's data, which is participant 0's. */
  public long write(MemorySegment from) throws IOException {
    checkTurn();
    checkPossible(Memory.of(from).isFitForWrite(), true, "memory that cannot be written from");
    return file.write(from);
  }

  /** As {@link #write(MemorySegment)}. */
  public long write(byte[] from) throws IOException {
    return write(MemorySegment.ofArray(from));
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
    checkTurn();
    token().pass(token().next());
  }

  /** Passes the token on to a participant. */
  public void passToken(int to) throws IOException {
    Token mine = token();
    checkTurn();
    mine.pass(to);
  }

  private Token token() {
    return token.orElseThrow(() -> new IllegalStateException("there is no token in mode " + mode));
  }

  private void checkTurn() throws CioException {
    if (token.isPresent() && !token.get().isHeld()) {
      throw new CioException("an access to " + file.path() + " without the token");
    }
  }

  /**
   * In single mode one who cannot must not stay away: it comes with something else than the others,
   * who are then told of a mixed call. In other modes nobody waits, and the file refuses.
   */
  private void checkPossible(boolean possible, boolean write, String otherwise) throws IOException {
    if (possible || mode != CioMode.SINGLE || file.isClosed()) {
      return;
    }
    CioException why = new CioException(otherwise);
    FileAccess refusing = file.all().refusing(new IllegalArgumentException(otherwise));
    try {
      long _ = write ? refusing.write(NOTHING) : refusing.read(NOTHING);
    } catch (MillraceException e) {
      why.addSuppressed(e);
    }
    throw why;
  }

  @Override
  public void close() throws IOException {
    if (file.isClosed()) {
      return;
    }
    if (token.isPresent()) {
      token.get().close();
    }
    try {
      file.close(); // waits for all, so that nobody needs the token's group any more
    } finally {
      if (token.isPresent() && file.isClosed()) {
        token.get().leave();
      }
    }
  }
}
