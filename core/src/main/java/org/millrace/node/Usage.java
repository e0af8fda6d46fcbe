package org.millrace.node;

import java.util.concurrent.atomic.LongAdder;
import org.millrace.message.Peer;

/**
 * How much a session has used a node. Safe for use by several threads; counting allocates nothing.
 */
final class Usage {

  private final Peer peer;
  private final LongAdder operations = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  Usage(Peer peer) {
    this.peer = peer;
  }

  void count(long moved) {
    operations.increment();
    bytes.add(moved);
  }

  /** For instance "session.rosa/7": user and number. */
  String name() {
    return "session." + peer.user() + "/" + peer.session();
  }

  long operations() {
    return operations.sum();
  }

  long bytes() {
    return bytes.sum();
  }
}
