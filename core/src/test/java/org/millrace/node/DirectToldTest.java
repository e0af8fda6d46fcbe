package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.access.copy.Places;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;

/** Senders of a disk-directed call are told what of their memory was moved, before the answer. */
class DirectToldTest {

  private static final int RANKS = 2;
  private static final int SIZE = 1 << 17;
  private static final int ELEMENT = 8;

  /** Adds up what it is told. */
  private static final class Told implements ReplyTo {

    private final AtomicLong bytes = new AtomicLong(); // several threads move blocks
    private final AtomicLong pieces = new AtomicLong();
    private final List<String> ends = new CopyOnWriteArrayList<>();

    @Override
    public Moving onMoved(long moved, long inPieces) {
      assertThat(ends).isEmpty();
      bytes.addAndGet(moved);
      pieces.addAndGet(inPieces);
      return Moving.ARRIVED;
    }

    @Override
    public void reply(Message reply) {
      ends.add("done");
    }

    @Override
    public void fail(MillraceException error) {
      ends.add(error.toString());
    }
  }

  private static Access everySecond(int rank) {
    Pattern element = Pattern.run(ELEMENT);
    View view = new View((long) rank * ELEMENT, element, RANKS * ELEMENT);
    return new Access(view, 0, SIZE / RANKS);
  }

  @Test
  void everyRunIsAPieceAndEveryByteIsTold() throws IOException {
    Env env = Env.real();
    Layout layout = new Layout(1 << 16, List.of(0));
    try (DirectWorld world = new DirectWorld(env, layout, SIZE, NodeOptions.of(1 << 20))) {
      for (boolean write : new boolean[] {true, false}) {
        List<DirectWorld.Part> parts = new ArrayList<>();
        for (int r = 0; r < RANKS; r++) {
          Access access = everySecond(r);
          MemorySegment memory = world.memory(access.size(), true);
          parts.add(new DirectWorld.Part(r, access, Places.packed(access.size()), memory));
        }
        var call = world.nextCall();
        List<Told> told = List.of(new Told(), new Told());
        for (int r = 0; r < RANKS; r++) {
          var request = world.request(0, call, write, RANKS, parts, r);
          Peer peer = new Peer(50 + r, "u");
          world.nodes.getFirst().onRequest(peer, request, parts.get(r).payload(), told.get(r));
        }
        for (Told one : told) {
          assertThat(one.ends).containsExactly("done");
          assertThat(one.bytes).hasValue(SIZE / RANKS);
          assertThat(one.pieces).hasValue(SIZE / RANKS / ELEMENT);
        }
      }
    }
  }
}
