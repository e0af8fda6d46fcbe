package org.millrace.node;

import org.millrace.access.Access;
import org.millrace.access.Extent;
import org.millrace.layout.StrandRuns;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeRequest;

/**
 * One sender's request in a disk-directed call.
 *
 * @param from the sender
 * @param request what it wants
 * @param payload its bytes
 * @param replyTo where the answer goes
 */
record DirectPart(Peer from, NodeRequest.Direct request, Payload payload, ReplyTo replyTo) {

  /** How many bytes of the strand it has. */
  long strandBytes() {
    Access access = request.access();
    StrandRuns runs =
        StrandRuns.of(
            request.layout(), request.strand().strand(), access.view(), access.from(), access.to());
    long bytes = 0;
    while (runs.next()) {
      bytes += runs.length() * runs.count();
    }
    return bytes;
  }

  /** The part of the strand that it lies in. */
  Extent span() {
    return StrandLists.span(request.layout(), request.strand().strand(), request.access());
  }

  PartCursor cursor(int number) {
    return request.access().view().isAscending()
        ? new AscendingCursor(number, request, payload.places())
        : new WindowCursor(number, request, payload.places());
  }
}
