package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.millrace.access.Access;
import org.millrace.access.copy.Places;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.Pending;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * A file over as many nodes as it has strands, the bytes it must hold, and ranks that move parts of
 * it by disk-directed calls. For one thread, except where ranks have threads of their own.
 */
final class DirectWorld implements AutoCloseable {

  /** What a rank moves in one part: the memory, and the bytes of it that are the access's. */
  record Part(int rank, Access access, Places places, MemorySegment memory) {

    Payload payload() {
      return new Payload(memory, places, access.size());
    }
  }

  private static final long FILE = 5;

  /** The session of an observer of the nodes, which is no rank's. */
  private static final int FIRST_ADMIN = 1000;

  /** Longer than any call here takes. */
  static final long LONG_NANOS = 300_000_000_000L;

  final Env env;
  final Layout layout;
  final byte[] file;
  final List<Disk> disks = new ArrayList<>();
  final List<Node> nodes = new ArrayList<>();
  final NodeOptions options;
  private final Arena arena = Arena.ofShared();
  private final AtomicInteger admins = new AtomicInteger();
  private long sequence;

  /** Buffers that requests ask for. */
  int depth = 2;

  DirectWorld(Env env, Layout layout, int size, NodeOptions options) throws IOException {
    this(env, layout, size, options, memoryDisks(layout));
  }

  DirectWorld(Env env, Layout layout, int size, NodeOptions options, List<Disk> disks)
      throws IOException {
    this.env = env;
    this.layout = layout;
    this.file = new byte[size];
    this.options = options.withSmallBytes(0); // strands that are transferred from disks
    this.disks.addAll(disks);
    startNodes();
    for (int s = 0; s < layout.strands(); s++) {
      try (Link link = admin(s)) {
        link.call(
            new NodeRequest.Create(strand(s), layout.blockBytes()), MemorySegment.NULL, Env.NEVER);
      }
    }
  }

  private static List<Disk> memoryDisks(Layout layout) {
    List<Disk> made = new ArrayList<>();
    for (int s = 0; s < layout.strands(); s++) {
      made.add(new MemoryDisk("d" + s));
    }
    return made;
  }

  private void startNodes() {
    for (int s = 0; s < layout.strands(); s++) {
      nodes.add(new Node(env, "node " + s, disks.get(s), options));
    }
  }

  /** Writes all back and starts the nodes anew, so that nothing is in a cache. */
  void restart() throws IOException {
    for (Node node : nodes) {
      node.close();
    }
    nodes.clear();
    startNodes();
  }

  StrandId strand(int number) {
    return new StrandId(FILE, number);
  }

  Link link(int node, int session) {
    return Links.local(env, new Peer(session, "u"), nodes.get(node));
  }

  /** A session of another user. */
  Link link(int node, int session, String user) {
    return Links.local(env, new Peer(session, user), nodes.get(node));
  }

  /** A link of a session that never was before. */
  private Link admin(int node) {
    return link(node, FIRST_ADMIN + admins.getAndIncrement());
  }

  CollectiveId nextCall() {
    return new CollectiveId(1, 1, ++sequence);
  }

  MemorySegment memory(long size, boolean heap) {
    return heap ? MemorySegment.ofArray(new byte[(int) size]) : arena.allocate(Math.max(1, size));
  }

  /** Puts bytes into the file by ordinary writes. */
  void fill(int from, byte[] bytes) throws IOException {
    for (int i = 0; i < bytes.length; i++) {
      file[from + i] = bytes[i];
    }
    for (int s = 0; s < layout.strands(); s++) {
      int low = (int) layout.strandSize(s, from);
      int high = (int) layout.strandSize(s, from + bytes.length);
      byte[] mine = new byte[high - low];
      for (int i = low; i < high; i++) {
        mine[i - low] = file[(int) layout.fileOffset(s, i)];
      }
      try (Link link = admin(s)) {
        link.put(strand(s).key(), low, MemorySegment.ofArray(mine), 0, mine.length, Env.NEVER);
      }
    }
  }

  /** What the nodes hold of the file; beyond the strands' ends zeros. */
  byte[] content() throws IOException {
    byte[] all = new byte[file.length];
    for (int s = 0; s < layout.strands(); s++) {
      byte[] mine = new byte[(int) layout.strandSize(s, file.length)];
      try (Link link = admin(s)) {
        link.get(strand(s).key(), 0, MemorySegment.ofArray(mine), 0, mine.length, Env.NEVER);
      }
      for (int i = 0; i < mine.length; i++) {
        all[(int) layout.fileOffset(s, i)] = mine[i];
      }
    }
    return all;
  }

  NodeRequest.Direct request(
      int strand, CollectiveId call, boolean write, int ranks, List<Part> parts, int which) {
    Part part = parts.get(which);
    int number = (int) parts.subList(0, which).stream().filter(p -> p.rank == part.rank).count();
    int ofRank = (int) parts.stream().filter(p -> p.rank == part.rank).count();
    return new NodeRequest.Direct(
        strand(strand),
        call,
        write,
        part.rank,
        ranks,
        0,
        number,
        ofRank,
        depth,
        layout,
        part.access);
  }

  /** Moves all parts by one call, sent in the given order of parts; returns after all answers. */
  void move(boolean write, int ranks, List<Part> parts, List<Integer> order) throws IOException {
    CollectiveId call = nextCall();
    List<Pending> pending = new ArrayList<>();
    for (int s = 0; s < layout.strands(); s++) {
      Link link = admin(s);
      for (int which : order) {
        pending.add(
            link.start(request(s, call, write, ranks, parts, which), parts.get(which).payload()));
      }
    }
    IOException failure = null;
    for (Pending one : pending) {
      try {
        one.await(env.deadlineAfter(LONG_NANOS));
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** What a write does to the file, byte by byte. */
  void expectWrite(List<Part> parts) {
    parts.stream()
        .sorted((a, b) -> a.rank - b.rank)
        .forEach(
            p -> {
              for (long i = 0; i < p.access.size(); i++) {
                long at = p.places.pattern().offsetOf(p.places.from() + i);
                file[(int) p.access.view().offsetOf(p.access.from() + i)] =
                    p.memory.get(ValueLayout.JAVA_BYTE, at);
              }
            });
  }

  /** What a read leaves in a part's memory, byte by byte. */
  byte[] expectRead(Part p) {
    byte[] expected = p.memory.toArray(ValueLayout.JAVA_BYTE);
    for (long i = 0; i < p.access.size(); i++) {
      long at = p.places.pattern().offsetOf(p.places.from() + i);
      expected[(int) at] = file[(int) p.access.view().offsetOf(p.access.from() + i)];
    }
    return expected;
  }

  /** A counter of all nodes' reports, summed. */
  long counter(String name) throws IOException {
    long sum = 0;
    for (int s = 0; s < layout.strands(); s++) {
      try (Link link = admin(s)) {
        Map<String, Long> counters =
            ((NodeReply.Report)
                    link.call(new NodeRequest.AskReport(), MemorySegment.NULL, Env.NEVER))
                .counters();
        sum += counters.getOrDefault(name, 0L);
      }
    }
    return sum;
  }

  /** A short difference of two contents, empty if there is none. */
  static String difference(byte[] got, byte[] expected) {
    int at = Arrays.mismatch(got, expected);
    return at < 0
        ? ""
        : "byte %d is %d, not %d"
            .formatted(at, got[at], expected[Math.min(at, expected.length - 1)]);
  }

  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      node.close();
    }
    arena.close();
  }
}
