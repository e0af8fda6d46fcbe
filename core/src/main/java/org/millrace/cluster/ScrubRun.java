package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeFact;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.ScrubFinding;
import org.millrace.transfer.NodeLinks;

/**
 * Has all nodes of a cluster scrub their disks, and collects what they find.
 *
 * <p>For one thread. Closing ends its sessions; nodes that have begun go on.
 */
public final class ScrubRun implements AutoCloseable {

  private static final long ASK_NANOS = 60_000_000_000L;

  // constant after construction
  private final Env env;
  private final NodeLinks links;
  private final Link coordinator;
  private final Map<Integer, Long> numbers = new TreeMap<>(); // of the scrubs, by node
  private final List<FileProblem> away = new ArrayList<>();

  private final Map<Integer, NodeReply.Scrubbed> last = new TreeMap<>();

  ScrubRun(Env env, NodeLinks links, Link coordinator) {
    this.env = env;
    this.links = links;
    this.coordinator = coordinator;
  }

  /** Begins on all nodes that are there; the others are problems. */
  void begin(List<NodeFact> nodes, long bytesPerSecond) throws IOException {
    for (NodeFact node : nodes) {
      boolean isHere = node.up() || !links.isGuarded(node.number());
      try {
        if (isHere) {
          ask(node.number(), new NodeRequest.Scrub(bytesPerSecond));
          NodeReply.Scrubbed state = state(node.number());
          numbers.put(node.number(), state.number());
          last.put(node.number(), state);
        }
      } catch (MillraceException e) {
        isHere = false;
      }
      if (!isHere) {
        away.add(
            FileProblem.ofNode(
                node.number(), "the node is not there, and was not scrubbed: " + node.state()));
      }
    }
  }

  private NodeReply ask(int node, NodeRequest request) throws IOException {
    return (NodeReply)
        links.link(node).call(request, MemorySegment.NULL, env.deadlineAfter(ASK_NANOS));
  }

  private NodeReply.Scrubbed state(int node) throws IOException {
    return (NodeReply.Scrubbed) ask(node, new NodeRequest.AskScrub());
  }

  /** Asks all nodes how far they are; false if all have come to the end. */
  public boolean isRunning() {
    boolean running = false;
    for (int node : List.copyOf(numbers.keySet())) {
      try {
        NodeReply.Scrubbed now = state(node);
        if (now.number() < numbers.getOrDefault(node, 0L)) {
          throw new MillraceException(ErrorCode.RESTARTED, "it was started anew meanwhile");
        }
        last.put(node, now);
        running |= now.running();
      } catch (IOException e) {
        numbers.remove(node);
        away.add(FileProblem.ofNode(node, "the node did not come to the end: " + e.getMessage()));
      }
    }
    return running;
  }

  /** Bytes that were read so far. */
  public long doneBytes() {
    return last.values().stream().mapToLong(NodeReply.Scrubbed::doneBytes).sum();
  }

  /** Bytes that there are, about. */
  public long totalBytes() {
    return last.values().stream().mapToLong(NodeReply.Scrubbed::totalBytes).sum();
  }

  /** How many nodes take part. */
  public int nodes() {
    return last.size();
  }

  /** What was found so far, by name. */
  public List<FileProblem> problems() {
    List<FileProblem> all = new ArrayList<>();
    Map<Long, Optional<FileEntry>> files = new HashMap<>();
    for (NodeReply.Scrubbed state : last.values()) {
      for (ScrubFinding one : state.findings()) {
        if (one.node() < 0) {
          all.add(FileProblem.ofNode(-1, one.what()));
          continue;
        }
        long file = one.strand().file();
        Optional<FileEntry> entry = files.computeIfAbsent(file, this::locate);
        String advice =
            one.repaired()
                ? ""
                : "; millrace get --skip-bad saves the rest of the file, then remove it or put it again";
        all.add(
            FileProblem.of(
                entry,
                file,
                one.strand().strand(),
                one.node(),
                one.from(),
                one.to(),
                one.repaired(),
                one.what() + advice));
      }
    }
    all.addAll(away);
    return all;
  }

  private Optional<FileEntry> locate(long file) {
    try {
      var reply =
          (CoordinatorReply.About)
              coordinator.call(
                  new CoordinatorRequest.Locate(file),
                  MemorySegment.NULL,
                  env.deadlineAfter(ASK_NANOS));
      return Optional.of(reply.entry());
    } catch (IOException e) {
      return Optional.empty(); // it is gone meanwhile
    }
  }

  /** How many problems are left. */
  public long left() {
    return away.size() + last.values().stream().mapToLong(NodeReply.Scrubbed::left).sum();
  }

  @Override
  public void close() {
    links.close();
    coordinator.close();
  }
}
