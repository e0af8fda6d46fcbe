package org.millrace.message;

import org.millrace.error.MillraceException;

/**
 * Where the answer to one request goes. Exactly one of {@link #reply} and {@link #fail} is called,
 * once, by any thread, at any time.
 */
public interface ReplyTo {

  /**
   * Says, before the answer, that so many bytes of the payload were just moved, in so many pieces:
   * they are on their way between the sender and this place. In one JVM, where the payload is the
   * sender's own memory, there is nothing to do. Called by several threads at the same time.
   */
  default Moving onMoved(long bytes, long pieces) {
    return Moving.ARRIVED;
  }

  /** Bytes on their way, so that the pieces of many senders are under way at once. */
  interface Moving {

    /** Nothing is under way any more. */
    Moving ARRIVED = () -> {};

    /** Waits until they have arrived, where the sender delivers them. */
    void await();
  }

  /**
   * Says, before the reply, that the payload is no longer needed: its memory is free for others.
   * The payload is not accessed after this.
   */
  default void release() {}

  /**
   * The number of the request in its sender's session. The sender repeats a request under its
   * number, also to an endpoint that was restarted. 0 if it never repeats one.
   */
  default long request() {
    return 0;
  }

  /** The sender has heard the answers to all requests of its session below this number. */
  default long heard() {
    return 0;
  }

  /** Answers. */
  void reply(Message reply);

  /** Answers that it failed. */
  void fail(MillraceException error);
}
