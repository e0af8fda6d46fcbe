package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Peer;
import org.millrace.protocol.Capability;
import org.millrace.protocol.Fence;
import org.millrace.protocol.Holder;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.wire.Secret;

/** A rank that writes to a node of its own process is fenced off like all others. */
final class LocalGuardTest {

  private static final Env ENV = Env.real();
  private static final StrandId STRAND = new StrandId(7, 0);
  private static final long LIFE = 5;

  private static void put(Link link) throws IOException {
    link.put(STRAND.key(), 0, MemorySegment.ofArray(new byte[] {1}), 0, 1, Long.MAX_VALUE);
  }

  private static void ask(Link link, NodeRequest request) throws IOException {
    link.call(request, MemorySegment.NULL, Env.NEVER);
  }

  @Test
  void writesInTheNameOfAFencedHolderAreRefusedAndAllElseGoesOn() throws IOException {
    try (Node node = new Node(ENV, "node 0", new MemoryDisk("d"), NodeOptions.of(1 << 20))) {
      Secret secret = new Secret(new byte[Secret.BYTES]);
      Guard guard = new Guard(ENV, "node 0", node, secret, "root", () -> {});
      guard.adopt(LIFE, List.of(), Optional.of(List.of()));
      Link dead = Links.local(ENV, new Peer(1, "ada"), guard.own());
      Link nameless = Links.local(ENV, new Peer(2, "ada"), guard.own());
      ask(dead, new NodeRequest.Present(Capability.NONE, new Holder(LIFE, 40)));
      ask(dead, new NodeRequest.Create(STRAND, 1 << 16));
      put(dead);
      ask(dead, new NodeRequest.Extend(STRAND, 9));
      guard.adopt(LIFE, List.of(new Fence(1, 40, Long.MAX_VALUE)), Optional.of(List.of()));
      assertThat(guard.heartbeat(0, List.of()).fenced()).isEqualTo(1);
      assertThatThrownBy(() -> put(dead)).hasMessageContaining("it has ended at the coordinator");
      assertThatThrownBy(() -> ask(dead, new NodeRequest.Resize(STRAND, 0)))
          .hasMessageContaining("it has ended at the coordinator");
      ask(dead, new NodeRequest.Flush(STRAND));
      put(nameless);
    }
  }
}
