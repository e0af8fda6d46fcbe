package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.StrandId;
import org.millrace.transfer.BrokenLink;
import org.millrace.transfer.NodeLinks;

/**
 * One session's links to nodes in other processes, each made when it is first asked for. Where a
 * node is, the coordinator says; it is asked again for each link that has to be replaced.
 *
 * <p>Safe for use by several threads: one lock guards the links, and is held while one is made.
 * Closing closes them.
 */
public final class RemoteNodeLinks implements NodeLinks {

  /** So long a node for which somebody has waited in vain is taken for absent. */
  private static final long ABSENT_NANOS = 1_000_000_000L;

  private record Absent(Link link, long untilNanos) {}

  // constant after construction
  private final Dialer dialer;
  private final Link coordinator;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Integer, Link> links = new HashMap<>();
  private final List<Link> dead = new ArrayList<>();
  private final Map<Integer, Absent> absents = new HashMap<>();
  private Facts facts;
  private boolean closed;

  /**
   * No links yet.
   *
   * @param coordinator whom to ask where a node is; not closed here
   * @param facts what it said last
   */
  public RemoteNodeLinks(Dialer dialer, Link coordinator, Facts facts) {
    this.dialer = dialer;
    this.coordinator = coordinator;
    this.facts = facts;
  }

  @Override
  public boolean isFenced() {
    return true;
  }

  @Override
  public boolean isGuarded(int number) {
    return !dialer.isHere(Dialer.nameOfNode(number));
  }

  @Override
  public boolean areLasting() {
    return false;
  }

  @Override
  public Link link(int number) {
    return link(number, false);
  }

  @Override
  public Link presentLink(int number) {
    return link(number, true);
  }

  private Link link(int number, boolean present) {
    lock.lock();
    try {
      Link there = links.get(number);
      if (there != null && !there.isBroken()) {
        return there;
      }
      if (there != null) {
        facts = ask(); // it may be down, or elsewhere: what was said before it broke is old
      }
      return make(number, present);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Link replace(int number, Link broken) {
    return replace(number, broken, false);
  }

  @Override
  public Link replacePresent(int number, Link broken) {
    return replace(number, broken, true);
  }

  private Link replace(int number, Link broken, boolean present) {
    lock.lock();
    try {
      if (links.remove(number, broken)) {
        if (!(broken instanceof BrokenLink)) {
          dead.add(broken); // others may have calls under way that must still fail by themselves
        }
        facts = ask();
      }
      return link(number, present);
    } finally {
      lock.unlock();
    }
  }

  private Facts ask() {
    try {
      return keepingAddresses(dialer.facts(coordinator));
    } catch (IOException e) {
      return facts; // the node is still likely to be where it was
    }
  }

  /** A coordinator that was just restarted does not know yet where nodes are that never moved. */
  private Facts keepingAddresses(Facts fresh) {
    List<NodeFact> nodes = new ArrayList<>();
    for (NodeFact fact : fresh.nodes()) {
      boolean known = fact.number() < facts.nodes().size();
      nodes.add(fact.address().isEmpty() && known ? facts.nodes().get(fact.number()) : fact);
    }
    return new Facts(fresh.cluster(), nodes, fresh.settings(), fresh.asker());
  }

  @Override
  public CopySet copies(StrandId strand, long deadlineNanos) throws IOException {
    var asked = new CoordinatorRequest.AskCopies(strand);
    return ((CoordinatorReply.CopiesAt) coordinator.call(asked, MemorySegment.NULL, deadlineNanos))
        .set();
  }

  private Link make(int number, boolean present) {
    Absent absent = absents.get(number);
    if (!present && absent != null && dialer.nanoTime() < absent.untilNanos) {
      return absent.link; // or each strand of a file would wait as long
    }
    long began = dialer.nanoTime();
    Link made;
    try {
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, "this rank has ended");
      }
      if (!present && fact(number).isExpected()) {
        facts = dialer.awaitNode(coordinator, number);
      }
      made = present ? dialer.presentNode(fact(number)) : await(number);
      absents.remove(number);
    } catch (IOException e) {
      made = new BrokenLink(MillraceException.wrap(ErrorCode.NODE, e));
      facts = ask(); // it may have come meanwhile, or elsewhere
      if (!present && dialer.nanoTime() - began > ABSENT_NANOS) {
        absents.put(number, new Absent(made, dialer.nanoTime() + ABSENT_NANOS));
      }
    }
    links.put(number, made);
    return made;
  }

  /** What was said of one that does not answer at once may be old: it is waited for if it is up. */
  private Link await(int number) throws IOException {
    try {
      return dialer.presentNode(fact(number));
    } catch (IOException e) {
      facts = ask();
      return dialer.node(fact(number));
    }
  }

  private NodeFact fact(int number) throws MillraceException {
    if (number >= facts.nodes().size()) {
      facts = ask(); // it may have been added since
    }
    for (NodeFact fact : facts.nodes()) {
      if (fact.number() == number) {
        return fact;
      }
    }
    throw new MillraceException(
        ErrorCode.NODE, "node " + number + " is none of the cluster's " + facts.nodes().size());
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      links.values().forEach(Link::close);
      dead.forEach(Link::close);
      links.clear();
      dead.clear();
    } finally {
      lock.unlock();
    }
  }
}
