package org.millrace.heritage.cio;

import java.io.IOException;
import java.util.function.IntUnaryOperator;
import org.millrace.client.Rank;
import org.millrace.client.Received;

/**
 * Whose turn it is: a message that goes from one participant to another. One who closes says so to
 * all and, until all have, hands on a token that still comes to it; so the token is never lost to
 * those who wait for it.
 *
 * <p>Belongs to the rank's thread.
 */
final class Token {

  private static final int TAG = 0;
  private static final byte[] TOKEN = {1};
  private static final byte[] CLOSES = {0};

  // constant after construction
  private final Rank group;
  private final IntUnaryOperator order;

  // the rank's thread
  private final boolean[] closed;
  private int open;
  private boolean held;

  /** A token for a group that has no other messages. */
  Token(Rank group, int first, IntUnaryOperator order) {
    this.group = group;
    this.order = order;
    this.closed = new boolean[group.size()];
    this.open = group.size();
    this.held = group.number() == first;
  }

  boolean isHeld() {
    return held;
  }

  void await() throws IOException {
    while (!held) {
      receive();
    }
  }

  private void receive() throws IOException {
    Received message = group.receive(Rank.ANY, TAG);
    if (message.bytes()[0] == TOKEN[0]) {
      held = true;
    } else {
      closed[message.from()] = true;
      open--;
    }
  }

  /** Whose turn comes after this participant's. */
  int next() {
    return order.applyAsInt(group.number());
  }

  void pass(int to) throws IOException {
    if (to < 0 || to >= group.size()) {
      throw new IllegalArgumentException(
          "the token goes to participant " + to + " of " + group.size());
    }
    if (to != group.number()) {
      held = false;
      group.send(to, TAG, TOKEN);
    }
  }

  /** Gives up one's turns and waits until all have. */
  void close() throws IOException {
    if (closed[group.number()]) {
      return; // and the file's own close failed then
    }
    closed[group.number()] = true;
    open--;
    for (int to = 0; to < group.size(); to++) {
      if (to != group.number()) {
        group.send(to, TAG, CLOSES);
      }
    }
    while (open > 0) {
      if (held) {
        pass(nextOpen());
      }
      receive();
    }
  }

  /** Ends the group. When all have closed. */
  void leave() throws IOException {
    group.leave("");
  }

  /** The next of those that are still there. */
  private int nextOpen() {
    for (int step = 1; step < group.size(); step++) {
      int to = (group.number() + step) % group.size();
      if (!closed[to]) {
        return to;
      }
    }
    throw new IllegalStateException("all have closed");
  }
}
