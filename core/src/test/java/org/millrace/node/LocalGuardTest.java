package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.access.Cursor;
import org.millrace.access.group.BlockSpans;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Lent;
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
  void blocksAreNotLentForWritesOfAFencedHolderWhoIsAwaitedWhileHeHasSome() throws IOException {
    try (Node node = new Node(ENV, "node 0", new MemoryDisk("d"), NodeOptions.of(1 << 20))) {
      Secret secret = new Secret(new byte[Secret.BYTES]);
      Guard guard = new Guard(ENV, "node 0", node, secret, "root", () -> {});
      guard.adopt(LIFE, List.of(), Optional.of(List.of()));
      Link dead = Links.local(ENV, new Peer(1, "ada"), guard.own());
      ask(dead, new NodeRequest.Present(Capability.NONE, new Holder(LIFE, 40)));
      ask(dead, new NodeRequest.Create(STRAND, 1 << 16));
      put(dead);
      var builder = new BlockSpans.Builder(1 << 16, 0, 1);
      builder.add(Cursor.run(0, 1));
      BlockSpans first = builder.build();
      Lent lent = Objects.requireNonNull(dead.lend(STRAND.key(), first, true));
      guard.adopt(LIFE, List.of(new Fence(1, 40, Long.MAX_VALUE)), Optional.of(List.of()));
      assertThat(guard.heartbeat(0, List.of()).fenced()).as("he still writes").isZero();
      lent.block(0).set(ValueLayout.JAVA_BYTE, 0, (byte) 7);
      lent.giveBack(Lent.Use.WHOLE, 1, 1);
      assertThat(guard.heartbeat(0, List.of()).fenced()).isEqualTo(1);
      assertThat(dead.lend(STRAND.key(), first, true)).isNull();
      Lent toRead = Objects.requireNonNull(dead.lend(STRAND.key(), first, false));
      assertThat(toRead.block(0).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
      toRead.giveBack(Lent.Use.WHOLE, 1, 1);
    }
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
