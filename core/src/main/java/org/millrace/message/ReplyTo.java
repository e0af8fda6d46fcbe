package org.millrace.message;

import org.millrace.error.MillraceException;

/**
 * Where the answer to one request goes. Exactly one of the two methods is called, once, by any
 * thread, at any time.
 */
public interface ReplyTo {

  /** Answers. */
  void reply(Message reply);

  /** Answers that it failed. */
  void fail(MillraceException error);
}
