package org.millrace.message;

import java.util.function.Consumer;
import org.millrace.wire.Address;

/**
 * Where a process listens: connections come in and name the endpoint that they want.
 *
 * <p>Safe for use by several threads. Closing ends all its connections and tells the endpoints.
 */
public interface Acceptor extends AutoCloseable {

  /** Where it really listens, with the port that the system chose. */
  Address address();

  /** Lets connections reach an endpoint by name, for instance "node 3", from now on. */
  void serve(String name, Endpoint endpoint);

  /** The same of an endpoint to which sessions may return after it was restarted. */
  void serve(String name, Endpoint endpoint, ReturningSessions returning);

  /**
   * Serves an endpoint no longer, without a word to its clients: their connections are lost, as if
   * this process had been killed, and their sessions are forgotten. A client that asks from now on
   * is told {@code why}, and may ask elsewhere. May be called for one that is not served.
   */
  void withdraw(String name, String why);

  /**
   * From now on {@code told} is told of connections that were refused, and why: not those that only
   * came to the wrong place or too late.
   */
  void tellRefusals(Consumer<String> told);

  /** How many sessions clients have here, at all endpoints. */
  int sessions();

  /** How much memory for payloads was in use at most, by name of the endpoint. */
  long peakTransferBytes(String name);

  /** How much memory for payloads is in use now, by name of the endpoint. */
  long usedTransferBytes(String name);

  /** Ends. Idempotent. */
  @Override
  void close();
}
