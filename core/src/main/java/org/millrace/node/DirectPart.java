package org.millrace.node;

import java.lang.foreign.MemorySegment;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeRequest;

/**
 * What one sender wants in a disk-directed call.
 *
 * @param from the sender
 * @param request what it wants
 * @param payload its memory
 * @param replyTo where the answer goes
 */
record DirectPart(Peer from, NodeRequest.Direct request, MemorySegment payload, ReplyTo replyTo) {

  PartCursor cursor(int number) {
    return request.access().view().isAscending()
        ? new AscendingCursor(number, request)
        : new WindowCursor(number, request);
  }
}
