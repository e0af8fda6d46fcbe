package org.millrace.node;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks;

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

  /** About how many bytes a request moves: what strands hold of an access is much the same. */
  static long bytesOf(Message request) {
    return switch (request) {
      case NodeRequest.Gather r -> r.access().size() / r.layout().strands();
      case NodeRequest.Scatter r -> r.access().size() / r.layout().strands();
      case NodeRequest.Direct r -> r.access().size() / r.layout().strands();
      case NodeRequest.Sum r -> Math.max(0, r.to() - r.from());
      case NodeRequest.Pin r -> bytesOf(r.wanted(), r.blockBytes());
      case NodeRequest.Keep r -> bytesOf(r.wanted(), r.blockBytes());
      default -> 0;
    };
  }

  private static long bytesOf(List<PinnedBlocks.WantedBlocks> wanted, int blockBytes) {
    return wanted.stream().mapToLong(run -> (long) run.count() * blockBytes).sum();
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
