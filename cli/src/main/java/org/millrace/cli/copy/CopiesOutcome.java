package org.millrace.cli.copy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the files of a command that are copied, so that one that is interrupted can say which of
 * them are new. Safe for use by several threads.
 */
public final class CopiesOutcome {

  /** What copies. */
  public interface Copying {
    /** Copies all. */
    void run() throws IOException;
  }

  // constant after construction
  private final long files;
  private final String past;
  private final AtomicLong done = new AtomicLong();

  /**
   * None is copied yet.
   *
   * @param past what is said of a copied file, such as "put"
   */
  public CopiesOutcome(long files, String past) {
    this.files = files;
    this.past = past;
  }

  /** A file has its name. */
  public void done() {
    done.incrementAndGet();
  }

  /** Copies; where that is interrupted the error says what came of it. */
  public void of(Copying copying) throws IOException {
    try {
      copying.run();
    } catch (InterruptedIOException e) {
      InterruptedIOException said = new InterruptedIOException(shown());
      said.initCause(e);
      throw said;
    }
  }

  private String shown() {
    if (files == 1) {
      return done.get() == 1 ? "the file was " + past : "nothing was " + past;
    }
    return "%s of %s files were %s; the others are as they were".formatted(done.get(), files, past);
  }
}
