package org.millrace.cluster;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Link;
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
  private final AtomicReferenceArray<@Nullable Link> links;

  private volatile boolean closed;

  EmbeddedNodeLinks(int nodes, IntFunction<Link> maker) {
    this.maker = maker;
    this.links = new AtomicReferenceArray<>(nodes);
  }

  @Override
  public Link link(int number) {
    Link link = links.get(number);
    if (link == null) {
      Link made = maker.apply(number);
      Link other = links.compareAndExchange(number, null, made);
      link = other == null ? made : other; // the dropped one was never used
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
  public boolean areLasting() {
    return true;
  }

  @Override
  public void close() {
    closed = true;
    for (int i = 0; i < links.length(); i++) {
      Link link = links.get(i);
      if (link != null) {
        link.close();
      }
    }
  }
}
