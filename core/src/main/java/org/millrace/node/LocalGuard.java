package org.millrace.node;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.access.group.BlockSpans;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.KeyTable;
import org.millrace.message.Lent;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;

/**
 * Checks the requests to a node of sessions in the node's own process, which have all rights. It
 * only needs the holder in whose name they write, since a rank can lose the coordinator while it
 * still reaches the node beside it. Sessions without a holder belong to the process itself.
 *
 * <p>Safe for use by several threads.
 */
final class LocalGuard implements Endpoint {

  // constant after construction
  private final Endpoint node;
  private final LockHolders holders;
  private final KeyTable<WriteGate> bySession = new KeyTable<>();

  LocalGuard(Endpoint node, LockHolders holders) {
    this.node = node;
    this.holders = holders;
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    if (request instanceof NodeRequest.Present present) {
      try {
        present(from, present);
        replyTo.reply(new NodeReply.Done());
      } catch (MillraceException e) {
        replyTo.fail(e);
      }
      return;
    }
    WriteGate gate = GatedWrites.isWrite(request) ? bySession.get(from.session()) : null;
    if (gate == null) {
      node.onRequest(from, request, payload, replyTo);
    } else if (gate.enter()) {
      GatedWrites.request(gate, node, from, request, payload, replyTo);
    } else {
      replyTo.fail(holders.refused(from));
    }
  }

  private void present(Peer from, NodeRequest.Present present) throws MillraceException {
    if (bySession.get(from.session()) == null) {
      WriteGate gate = holders.join(from, present.holder());
      if (gate == null) {
        throw new MillraceException(
            ErrorCode.NODE, "this process's node belongs to another epoch of the coordinator");
      }
      bySession.put(from.session(), gate);
    }
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    return node.onGet(from, key, offset, into, at, length);
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    WriteGate gate = bySession.get(from.session());
    if (gate == null) {
      node.onPut(from, key, offset, source, at, length);
    } else if (gate.enter()) {
      GatedWrites.put(gate, node, from, key, offset, source, at, length);
    } else {
      throw holders.refused(from);
    }
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return node.isReady(key, offset, length);
  }

  @Override
  public @Nullable Lent onLend(Peer from, long key, BlockSpans blocks, boolean write) {
    WriteGate gate = write ? bySession.get(from.session()) : null;
    if (gate == null) {
      return node.onLend(from, key, blocks, write);
    }
    return gate.enter() ? GatedWrites.lend(gate, node, from, key, blocks) : null;
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    node.onHint(from, key, offset, length);
  }

  @Override
  public void onSessionEnd(Peer from, String reason) {
    WriteGate gate = bySession.get(from.session());
    if (gate != null) {
      bySession.remove(from.session());
      holders.leave(from, gate);
    }
    node.onSessionEnd(from, reason);
  }
}
