package org.millrace.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.millrace.client.assembly.SessionFacts;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.PointerCells;

/**
 * A link to a coordinator in another process of this host that moves shared pointers directly in
 * memory that both processes map, and looks there where they stand. So the ranks of an open file
 * need no message to find out that it is still open: its pointer goes with it. All other requests
 * are passed on.
 *
 * <p>Safe for use by several threads. Closing closes the link.
 *
 * @param link the way of everything else
 * @param facts what the session knows, and where the coordinator's pointers are
 * @param mapping finds the pointers of the coordinator that is there now
 */
record PointerLink(Link link, SessionFacts facts, Mapping mapping) implements Link {

  /** Maps a coordinator's pointers. */
  interface Mapping {
    MemorySegment map(Link coordinator) throws IOException;
  }

  @Override
  public long advance(long key, long delta, long floor, long limit, long timeoutNanos)
      throws IOException {
    if (facts.takeReturned()) {
      long recalls = facts.recalls();
      facts.cells(mapping.map(link), recalls); // those of the coordinator before are frozen
    }
    MemorySegment cells = facts.cells();
    // pointers of a coordinator that has ended must stand still
    if (delta >= 0 && PointerCells.holds(cells, key) && !link.isBroken()) {
      long start = PointerCells.advance(cells, key, delta, floor, limit);
      if (start != PointerCells.GONE) {
        return start;
      }
    }
    return link.advance(key, delta, floor, limit, timeoutNanos);
  }

  @Override
  public Pending start(Message request, Payload payload) {
    CoordinatorReply.Value seen = seen(request);
    return seen == null ? link.start(request, payload) : new Seen(seen);
  }

  @Override
  public Message call(Message request, MemorySegment payload, long deadlineNanos)
      throws IOException {
    CoordinatorReply.Value seen = seen(request);
    return seen == null ? link.call(request, payload, deadlineNanos) : seen;
  }

  @Override
  public boolean seesPointer(long key) {
    return link.isConnected() && seen(key) != PointerCells.GONE;
  }

  /** The answer, if it is a question that mapped memory answers; else null. */
  private CoordinatorReply.@Nullable Value seen(Message request) {
    if (!(request instanceof CoordinatorRequest.PointerAt(long key))) {
      return null;
    }
    long at = seen(key);
    return at == PointerCells.GONE ? null : new CoordinatorReply.Value(at);
  }

  /** Where a pointer stands, if mapped memory says so. */
  private long seen(long key) {
    MemorySegment cells = facts.cells(); // of a coordinator before this one: frozen, so gone
    return PointerCells.holds(cells, key) && !link.isBroken()
        ? PointerCells.at(cells, key)
        : PointerCells.GONE;
  }

  /** A question that was answered when it was asked. */
  private record Seen(Message answer) implements Pending {

    @Override
    public boolean isDone() {
      return true;
    }

    @Override
    public Message await(long deadlineNanos) {
      return answer;
    }
  }

  @Override
  public long get(
      long key, long offset, MemorySegment into, long at, long length, long timeoutNanos)
      throws IOException {
    return link.get(key, offset, into, at, length, timeoutNanos);
  }

  @Override
  public void put(
      long key, long offset, MemorySegment source, long at, long length, long timeoutNanos)
      throws IOException {
    link.put(key, offset, source, at, length, timeoutNanos);
  }

  @Override
  public void hint(long key, long offset, long length) {
    link.hint(key, offset, length);
  }

  @Override
  public long maxPayloadBytes() {
    return link.maxPayloadBytes();
  }

  @Override
  public boolean isBroken() {
    return link.isBroken();
  }

  @Override
  public boolean isConnected() {
    return link.isConnected();
  }

  @Override
  public void close() {
    link.close();
  }
}
