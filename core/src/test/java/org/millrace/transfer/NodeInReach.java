package org.millrace.transfer;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;
import org.millrace.message.Acceptor;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.SharedBuffers;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.WireCodec;
import org.millrace.wire.Address;
import org.millrace.wire.Net;

/**
 * A real node with all strands of a file, over a real connection through which its memory can be
 * mapped, as between processes of one host. Requests that go over the connection are written down.
 */
final class NodeInReach implements AutoCloseable {

  private static final long FILE = 7;
  private static final long MINUTE = 60_000_000_000L;

  private final Env env = Env.real();
  private final Layout layout;
  private final Transport transport;
  private final Node node;
  private final Address socket;
  private final Acceptor acceptor;
  private final Link near;
  private final Link link;
  private final List<NodeRequest> asked = Collections.synchronizedList(new ArrayList<>());

  NodeInReach(Path directory, Layout layout, long pinNanos) throws IOException {
    this.layout = layout;
    transport = Transport.open(env, WireCodec.INSTANCE, TransportOptions.DEFAULT, Net.SOCKETS);
    assumeTrue(!transport.host().process().isEmpty(), "this system has no memory to share");
    NodeOptions options = NodeOptions.of(4096L * layout.blockBytes()).withPinNanos(pinNanos);
    node = new Node(env, "node 0", new MemoryDisk("d"), options, transport.host());
    socket = new Address.Unix(directory.resolve("socket").toString());
    acceptor = transport.listen(socket);
    acceptor.serve("node 0", node);
    near = Links.local(env, new Peer(1000, "test", List.of(), true), node);
    for (int s = 0; s < layout.strands(); s++) {
      ask(new NodeRequest.Create(new StrandId(FILE, s), layout.blockBytes()));
    }
    link = new WatchedLink(connect(), asked::add, () -> true);
  }

  /** The file as one session sees it. */
  Strands open() {
    return Strands.ofHandle(carrier(), FILE, layout, 0);
  }

  /** Another connection, of which nothing is written down. */
  Link connect() throws IOException {
    return transport.connect(socket, "node 0", deadline());
  }

  /** The connection. */
  Link link() {
    return link;
  }

  /** The strand with that number. */
  static StrandId strand(int s) {
    return new StrandId(FILE, s);
  }

  /** Asks the node without the connection. */
  Message ask(NodeRequest request) throws IOException {
    return near.call(request, MemorySegment.NULL, deadline());
  }

  /** What has been sent over the connection. */
  List<NodeRequest> asked() {
    synchronized (asked) {
      return List.copyOf(asked);
    }
  }

  long counter(String name) throws IOException {
    var report = (NodeReply.Report) ask(new NodeRequest.AskReport());
    return report.counters().getOrDefault(name, 0L);
  }

  /** Has some blocks of a strand kept for another session. */
  void keep(int s, long first, int count) throws IOException {
    var wanted = List.of(new WantedBlocks(first, count, false));
    String process = transport.host().process();
    var request = new NodeRequest.Keep(strand(s), layout.blockBytes(), process, wanted, 0);
    ask(request);
  }

  private long deadline() {
    return env.deadlineAfter(MINUTE);
  }

  /** A session that uses it. */
  TransferContext carrier() {
    NodeLinks nodes =
        new NodeLinks() {
          @Override
          public Link link(int number) {
            return link;
          }

          @Override
          public Link replace(int number, Link broken) {
            return link;
          }

          @Override
          public boolean isFenced() {
            return false;
          }

          @Override
          public boolean isGuarded(int number) {
            return true;
          }

          @Override
          public boolean areLasting() {
            return false;
          }

          @Override
          public CopySet copies(StrandId strand, long deadlineNanos) {
            throw new IllegalStateException("there are no copies");
          }

          @Override
          public void close() {}
        };
    return new TransferContext(
        env,
        MINUTE,
        0,
        nodes,
        _ -> {
          throw new IllegalStateException("there is one participant");
        },
        SharedBuffers.NONE,
        new CallBuffers(env, SharedBuffers.NONE));
  }

  @Override
  public void close() throws IOException {
    near.close();
    link.close();
    acceptor.close();
    node.close();
    transport.close();
  }
}
