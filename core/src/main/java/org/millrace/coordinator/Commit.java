package org.millrace.coordinator;

import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.ReplyTo;

/**
 * What happens when the journal is durable, or has failed to be. Called once, with the
 * coordinator's lock held.
 */
interface Commit {

  /** All changes written before are durable. */
  void done(Answers answers);

  /** Some are not, and were undone. */
  void failed(MillraceException error, Answers answers);

  /** Answers. */
  static Commit replying(ReplyTo to, Message reply) {
    return new Commit() {
      @Override
      public void done(Answers answers) {
        answers.reply(to, reply);
      }

      @Override
      public void failed(MillraceException error, Answers answers) {
        answers.fail(to, error);
      }
    };
  }

  /** Answers with an error that rests on what is durable then. */
  static Commit failing(ReplyTo to, MillraceException refusal) {
    return new Commit() {
      @Override
      public void done(Answers answers) {
        answers.fail(to, refusal);
      }

      @Override
      public void failed(MillraceException error, Answers answers) {
        answers.fail(to, error);
      }
    };
  }
}
