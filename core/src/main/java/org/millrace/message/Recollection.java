package org.millrace.message;

import java.util.List;
import org.millrace.error.MillraceException;

/**
 * What a client keeps of an endpoint's answers, so that it can return to the endpoint after a
 * restart and tell the new one what its session holds. A link that has one survives restarts of an
 * endpoint that lets sessions return ({@link ReturningSessions}).
 *
 * <p>Every answer is recorded before its request is forgotten. So whenever a recollection is told,
 * each request is either unanswered, and will be repeated, or its effect is part of what is told.
 *
 * <p>Safe for use by several threads; must not call the link.
 */
public interface Recollection {

  /** A request was answered. */
  void onReply(Message request, Message reply);

  /** The endpoint answered that a request failed. */
  void onFailure(Message request, MillraceException error);

  /**
   * A shared pointer was moved, as {@link Link#advance} says.
   *
   * @param start where the taken range starts
   * @param stamp as in {@link Endpoint#stamp}
   */
  void onAdvanced(long key, long delta, long floor, long limit, long start, long stamp);

  /**
   * The endpoint was restarted: what to tell the new one before anything else.
   *
   * @param unanswered requests that will be repeated after that
   */
  Message recall(List<Message> unanswered);

  /** The new endpoint has taken what it was told. */
  void onRecalled(Message reply);

  /**
   * Whether a request that was sent to the former endpoint and not answered may be sent again. If
   * not, its outcome is unknown.
   */
  boolean mayRepeat(Message request);

  /** The same of a move of a shared pointer. */
  boolean mayAdvanceAgain(long key);
}
