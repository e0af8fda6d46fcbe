package org.millrace.transfer;

import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;

/**
 * The links to the nodes of a file's strands. Links that may break are made at once, and replaced
 * only while the file is being opened: later the users of the file must learn that a node has
 * ended. Permanent links are made on first use: of thousands a rank usually needs few.
 *
 * <p>Safe for use by several threads.
 */
final class StrandLinks {

  // constant after construction
  private final NodeLinks nodes;
  private final IntFunction<Link> maker;
  private final boolean following;
  private final List<Integer> places;
  private final LinkTable links;

  // set when a link is taken
  private volatile boolean remote;

  /**
   * The links of a file.
   *
   * @param following makes the link of a strand that finds its node again by itself; null if
   *     strands stay where they are and nodes must not end
   * @param later whether links are made on first use, even if they may break
   */
  StrandLinks(
      NodeLinks nodes, Layout layout, @Nullable IntFunction<Link> following, boolean later) {
    this.nodes = nodes;
    this.following = following != null;
    this.maker = following != null ? following : strand -> nodes.link(layout.nodes().get(strand));
    this.places = layout.nodes();
    this.links = new LinkTable(places.size());
    if (!nodes.areLasting() && !later) {
      for (int s = 0; s < places.size(); s++) {
        take(s, maker.apply(s));
      }
    }
  }

  /** How many strands there are. */
  int count() {
    return places.size();
  }

  /** Whether some node is in another process; such links are not lasting. */
  boolean isRemote() {
    return remote;
  }

  /** Whether the memory of all nodes in other processes can be mapped, and there are some. */
  boolean isMapped() {
    for (int s = 0; remote && s < places.size(); s++) {
      Link link = get(s);
      MappedSlabs slabs = link.reached();
      if (link.maxPayloadBytes() != Long.MAX_VALUE && (slabs == null || !slabs.isUseful())) {
        return false;
      }
    }
    return remote;
  }

  Link get(int strand) {
    Link link = links.get(strand);
    return link == null ? take(strand, maker.apply(strand)) : link;
  }

  private Link take(int strand, Link link) {
    links.set(strand, link);
    if (link.maxPayloadBytes() != Long.MAX_VALUE) {
      remote = true;
    }
    return link;
  }

  /** Another link instead of a dead one. */
  Link replace(int strand) {
    return following ? get(strand) : take(strand, nodes.replace(places.get(strand), get(strand)));
  }

  /** The strand cannot be had as long as the file is open. */
  void away(int strand, MillraceException reason) {
    take(strand, new BrokenLink(reason));
  }

  /** Whether the strand could not be had when the file was opened. */
  boolean isAway(int strand) {
    return get(strand) instanceof BrokenLink;
  }
}
