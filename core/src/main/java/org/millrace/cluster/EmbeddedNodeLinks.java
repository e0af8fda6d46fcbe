package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.StrandId;
import org.millrace.transfer.LinkTable;
import org.millrace.transfer.NodeLinks;

/**
 * A session's links to the nodes of this JVM, each made on first use: of thousands of nodes a rank
 * usually needs few.
 *
 * <p>Safe for use by several threads. Closing closes the links that were made.
 */
final class EmbeddedNodeLinks implements NodeLinks {

  // constant after construction
  private final IntFunction<Link> maker;
  private final Supplier<Link> coordinator;
  private final LinkTable links;

  private volatile boolean closed;

  EmbeddedNodeLinks(int nodes, IntFunction<Link> maker, Supplier<Link> coordinator) {
    this.coordinator = coordinator;
    this.maker = maker;
    this.links = new LinkTable(nodes);
  }

  @Override
  public Link link(int number) {
    Link link = links.get(number);
    if (link == null) {
      link = links.setIfAbsent(number, maker.apply(number)); // a dropped one was never used
      if (closed) {
        link.close(); // a caller after the end is told so
      }
    }
    return link;
  }

  @Override
  public Link replace(int number, Link broken) {
    return link(number);
  }

  @Override
  public boolean isFenced() {
    return false;
  }

  @Override
  public boolean isGuarded(int number) {
    return false;
  }

  @Override
  public CopySet copies(StrandId strand, long deadlineNanos) throws IOException {
    try (Link link = coordinator.get()) {
      var asked = new CoordinatorRequest.AskCopies(strand);
      return ((CoordinatorReply.CopiesAt) link.call(asked, MemorySegment.NULL, deadlineNanos))
          .set();
    }
  }

  @Override
  public boolean areLasting() {
    return true;
  }

  @Override
  public void close() {
    closed = true;
    links.forEach(Link::close);
  }
}
