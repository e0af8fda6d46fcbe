package org.millrace.client.assembly;

import java.io.IOException;
import java.util.List;
import org.millrace.client.Rank;
import org.millrace.files.FileTree;
import org.millrace.message.Endpoint;

/**
 * A participant of a run, as the code that starts and ends it sees it; programs see its {@link
 * Rank}. Safe for use by several threads. Closing waits for operations in progress, then ends the
 * participant for all others; it is idempotent.
 */
public interface Participant extends AutoCloseable {

  /** Where messages for this participant arrive. */
  Endpoint inbox();

  /** Forms a group of {@code size} ranks and returns its number. */
  long form(int size) throws IOException;

  /**
   * Takes part in group {@code group} as its rank {@code number}.
   *
   * @param participants the members of the group, by rank
   */
  Rank join(long group, int number, List<Integer> participants) throws IOException;

  /**
   * Rank {@code number} of a group that this participant has already joined, by being assembled.
   * All ranks come here together.
   */
  Rank member(long group, int number, List<Integer> participants);

  /**
   * The files of the cluster, for a program that is no rank. Closing them closes this participant.
   *
   * @param afterwards what is to be done then
   */
  FileTree files(AutoCloseable afterwards);

  /**
   * Makes durable what the program wrote to files that it has not closed. To be called after the
   * program ended well: one that forgets to close loses nothing, but should be told.
   *
   * @return what to tell, a line for each file
   * @throws IOException if something is not durable, after all files were tried
   */
  List<String> flushUnclosed() throws IOException;

  /**
   * Waits for operations under way, but not for those that wait for other ranks: these may never
   * come, and must not be kept from learning that this one has ended.
   */
  void settle();

  /**
   * Ends the connections, from any thread: calls under way and all later ones fail. Closing is
   * still needed.
   */
  void cutOff();

  @Override
  void close();
}
