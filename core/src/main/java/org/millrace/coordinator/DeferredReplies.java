package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.ReplyTo;

/**
 * Replies that were decided under the coordinator's lock and are sent after it was released, so
 * that their receivers may send the next request at once. Used by one thread.
 */
final class DeferredReplies {

  private final List<ReplyTo> receivers = new ArrayList<>();
  private final List<Object> outcomes = new ArrayList<>();
  private final List<Runnable> afterwards = new ArrayList<>();

  void reply(ReplyTo to, Message reply) {
    receivers.add(to);
    outcomes.add(reply);
  }

  void fail(ReplyTo to, MillraceException error) {
    receivers.add(to);
    outcomes.add(error);
  }

  /** Lets something happen after all was sent. */
  void afterwards(Runnable action) {
    afterwards.add(action);
  }

  /** Sends all, in the order in which they were decided. Call without the lock. */
  void send() {
    for (int i = 0; i < receivers.size(); i++) {
      if (outcomes.get(i) instanceof MillraceException error) {
        receivers.get(i).fail(error);
      } else {
        receivers.get(i).reply((Message) outcomes.get(i));
      }
    }
    afterwards.forEach(Runnable::run);
  }
}
