package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.node.CopyPeers;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.transfer.NodeLinks;

/**
 * How a node reaches the others, by the links that clients use, too.
 *
 * <p>Safe for use by several threads.
 */
public final class NodePeers implements CopyPeers {

  private static final long ASK_NANOS = 10_000_000_000L;

  // constant after construction
  private final Env env;
  private final NodeLinks links;
  private final Link coordinator;

  /** Reaches others from {@code env}; the links are closed with it. */
  public NodePeers(Env env, NodeLinks links, Link coordinator) {
    this.env = env;
    this.links = links;
    this.coordinator = coordinator;
  }

  @Override
  public Link node(int number) {
    return links.presentLink(number);
  }

  @Override
  public Link replace(int number, Link broken) {
    return links.replacePresent(number, broken);
  }

  @Override
  public CoordinatorReply ask(CoordinatorRequest request) throws IOException {
    return (CoordinatorReply)
        coordinator.call(request, MemorySegment.NULL, env.deadlineAfter(ASK_NANOS));
  }

  @Override
  public boolean areElsewhere() {
    return false;
  }

  @Override
  public void close() {
    links.close();
    coordinator.close();
  }
}
