package org.millrace.coordinator;

import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.ReplyTo;

/** Called once, with the coordinator's lock held, when the journal is durable or has failed. */
interface CommitCallback {

  /** All changes written before are durable. */
  void done(DeferredReplies answers);

  /** Some are not, and were undone. */
  void failed(MillraceException error, DeferredReplies answers);

  /** Answers. */
  static CommitCallback replying(ReplyTo to, Message reply) {
    return new CommitCallback() {
      @Override
      public void done(DeferredReplies answers) {
        answers.reply(to, reply);
      }

      @Override
      public void failed(MillraceException error, DeferredReplies answers) {
        answers.fail(to, error);
      }
    };
  }

  /** Answers with an error that rests on what is durable then. */
  static CommitCallback failing(ReplyTo to, MillraceException refusal) {
    return new CommitCallback() {
      @Override
      public void done(DeferredReplies answers) {
        answers.fail(to, refusal);
      }

      @Override
      public void failed(MillraceException error, DeferredReplies answers) {
        answers.fail(to, error);
      }
    };
  }
}
