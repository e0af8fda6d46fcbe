package org.millrace.node;

import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeRequest;

/**
 * What one sender wants in a disk-directed call.
 *
 * @param from the sender
 * @param request what it wants
 * @param payload its bytes
 * @param replyTo where the answer goes
 */
record DirectPart(Peer from, NodeRequest.Direct request, Payload payload, ReplyTo replyTo) {

  PartCursor cursor(int number) {
    return request.access().view().isAscending()
        ? new AscendingCursor(number, request, payload.places())
        : new WindowCursor(number, request, payload.places());
  }
}
