package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Lent;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeRequest;

/** Writes at an endpoint that go through a gate, and leave it when they are answered. Stateless. */
final class GatedWrites {

  /** The error for requests of a session whose gate is shut. */
  static final String ENDED = "it has ended at the coordinator";

  private GatedWrites() {}

  /** Whether a request changes what a file holds. */
  static boolean isWrite(Message request) {
    return switch (request) {
      case NodeRequest.Scatter _,
          NodeRequest.Keep _,
          NodeRequest.Resize _,
          NodeRequest.Extend _,
          NodeRequest.Preallocate _ ->
          true;
      case NodeRequest.Direct direct -> direct.write();
      case NodeRequest.Pin pin -> pin.write();
      default -> false;
    };
  }

  /** Hands over a put that has entered the gate. */
  static void put(
      WriteGate gate,
      Endpoint to,
      Peer from,
      long key,
      long offset,
      MemorySegment source,
      long at,
      long length)
      throws IOException {
    try {
      to.onPut(from, key, offset, source, at, length);
    } finally {
      gate.leave();
    }
  }

  /** Lends blocks for a write that has entered the gate. */
  static @Nullable Lent lend(WriteGate gate, Endpoint to, Peer from, long key, BlockSpans blocks) {
    Lent lent = null;
    try {
      lent = to.onLend(from, key, blocks, true);
    } finally {
      if (lent == null) {
        gate.leave();
      }
    }
    return lent == null ? null : new LeavingLent(gate, lent);
  }

  /** Leaves the gate when all is given back. */
  private record LeavingLent(WriteGate gate, Lent lent) implements Lent {

    @Override
    public MemorySegment block(long number) {
      return lent.block(number);
    }

    @Override
    public void giveBack(Use use, long bytes, long pieces) {
      try {
        lent.giveBack(use, bytes, pieces);
      } finally {
        gate.leave();
      }
    }
  }

  /** Hands over a request that has entered the gate. */
  static void request(
      WriteGate gate, Endpoint to, Peer from, Message request, Payload payload, ReplyTo replyTo) {
    Leaving leaving = new Leaving(gate, to, from, replyTo);
    try {
      to.onRequest(from, request, payload, leaving);
    } catch (RuntimeException | Error e) {
      leaving.leave();
      throw e;
    }
  }

  /** Leaves the gate, once, before the answer goes out. */
  private static final class Leaving implements ReplyTo {

    private final WriteGate gate;
    private final Endpoint to;
    private final Peer from;
    private final ReplyTo replyTo;
    private final AtomicBoolean left = new AtomicBoolean();

    Leaving(WriteGate gate, Endpoint to, Peer from, ReplyTo replyTo) {
      this.gate = gate;
      this.to = to;
      this.from = from;
      this.replyTo = replyTo;
    }

    void leave() {
      if (left.compareAndSet(false, true)) {
        if (gate.isShut()) {
          to.onSessionEnd(from, ENDED); // revokes also what it pinned after the gate was shut
        }
        gate.leave();
      }
    }

    @Override
    public Moving onMoved(long bytes, long pieces) {
      return replyTo.onMoved(bytes, pieces);
    }

    @Override
    public void release() {
      replyTo.release();
    }

    @Override
    public void reply(Message reply) {
      leave();
      replyTo.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      leave();
      replyTo.fail(error);
    }
  }
}
