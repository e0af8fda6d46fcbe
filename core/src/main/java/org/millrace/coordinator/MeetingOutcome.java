package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.ReplyTo;

/**
 * The reply to a meeting with combined arrivals, for the ranks that arrived on behalf of others and
 * for ranks that ask for it later. It is sent once, perhaps after a journal has become durable.
 *
 * <p>Safe for use by several threads: one lock, not held while replies are sent.
 */
final class MeetingOutcome implements ReplyTo {

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<ReplyTo> waiting = new ArrayList<>();
  private @Nullable Object answer; // a Message or a MillraceException

  MeetingOutcome(List<ReplyTo> first) {
    waiting.addAll(first);
  }

  /** Answers one more, now or when the answer is there. */
  void tell(ReplyTo replyTo, DeferredReplies answers) {
    lock.lock();
    try {
      if (answer == null) {
        waiting.add(replyTo);
      } else if (answer instanceof MillraceException error) {
        answers.fail(replyTo, error);
      } else {
        answers.reply(replyTo, (Message) answer);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void reply(Message reply) {
    take(reply).forEach(one -> one.reply(reply));
  }

  @Override
  public void fail(MillraceException error) {
    take(error).forEach(one -> one.fail(error));
  }

  private List<ReplyTo> take(Object told) {
    lock.lock();
    try {
      answer = told;
      List<ReplyTo> those = List.copyOf(waiting);
      waiting.clear();
      return those;
    } finally {
      lock.unlock();
    }
  }
}
