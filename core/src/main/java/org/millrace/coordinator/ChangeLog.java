package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;

/**
 * Where a coordinator's changes of names become durable, each as a record of bytes: a file of its
 * own disk, or a log that several coordinators keep together. The coordinator replays it once, and
 * then appends to it.
 *
 * <p>Owned by one thread, the journal's; {@link #isLost} may be asked by any. Closing adds nothing
 * to what is durable.
 */
public interface ChangeLog extends AutoCloseable {

  /** Takes the records that are kept, in their order. */
  interface Replay {
    /** Applies one to the tree of names. */
    void apply(byte[] record) throws IOException;
  }

  /** For messages. */
  String name();

  /**
   * Opens it and replays all that it holds. Called first, and once.
   *
   * @return false if it holds nothing and never did
   */
  boolean open(Replay replay) throws IOException;

  /**
   * Appends, durably: all of them or none. If it fails, it is not known which, until the log was
   * written anew.
   */
  void append(List<byte[]> records) throws IOException;

  /** Whether so much was appended that it is time to write it anew. */
  boolean isLong();

  /**
   * Puts records that make the same tree in the place of all that there are.
   *
   * @param must whether what there is may not be kept
   * @return whether they are there, durably; false if that failed and what was there before serves
   *     on
   */
  boolean rewrite(List<byte[]> all, boolean must) throws IOException;

  /**
   * Whether this coordinator has lost its log for good: another may have gone on with it. Then
   * nothing that waits for the log may be answered any more, neither well nor with an error: a
   * thread that waits asks the other one.
   */
  boolean isLost();

  @Override
  void close() throws IOException;
}
