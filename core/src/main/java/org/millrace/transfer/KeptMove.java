package org.millrace.transfer;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeReply.Kept;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.NodeRequest;

/**
 * Writes the part of an access on one strand into blocks that the strand's node keeps for it,
 * without a message ({@link RepeatedWrites}). If they are not kept yet, it asks the node first. If
 * the node does not keep them, or has ended that before the write counted, all of the part is
 * written by a list: again, while the call that makes it still has its memory.
 *
 * <pre>
 *   not kept:   ask ... | copy, count        kept:   copy, count
 *                   |          |                         |
 *                   '----------'--- list ... ------------'
 * </pre>
 *
 * <p>Used by one thread at a time.
 */
final class KeptMove implements Pending {

  private static final Message DONE = new NodeReply.Done();

  // constant after construction
  private final RepeatedWrites writes;
  private final RepeatedWrites.Place place;
  private final PinTarget target;
  private final PinWindow pieces;
  private final Access access;
  private final Payload payload;
  private final KeptWindow.Wanted wanted;

  // owned by the thread that uses it
  private @Nullable Pending asked;
  private @Nullable Pending list;
  private boolean ended;

  private KeptMove(
      RepeatedWrites writes,
      RepeatedWrites.Place place,
      PinTarget target,
      PinWindow pieces,
      KeptWindow.Wanted wanted,
      Access access,
      Payload payload) {
    this.writes = writes;
    this.place = place;
    this.target = target;
    this.pieces = pieces;
    this.wanted = wanted;
    this.access = access;
    this.payload = payload;
    KeptWindow now = place.window;
    if (now != null && now.link() != target.link()) {
      place.window = null; // the node of before has ended, or takes back what nobody uses
    }
    asked = place.window == null ? wanted.ask(Pinned.NONE) : null;
  }

  /** Begins, if blocks are kept for such a write or should be; null if it is better another way. */
  static @Nullable KeptMove start(
      RepeatedWrites writes, PinTarget target, Access access, Payload payload) {
    int blockBytes = target.layout().blockBytes();
    PinWindows windows = PinWindows.of(target, access, payload.places());
    PinWindow pieces = windows.next(RepeatedWrites.maxBytes(blockBytes));
    if (pieces == null || windows.next(blockBytes) != null) {
      return null;
    }
    var wanted =
        new KeptWindow.Wanted(
            target.link(), target.slabs(), target.strand(), blockBytes, pieces.wanted(false));
    if (!wanted.isPossible()) {
      return null;
    }
    var place = writes.take(wanted.blocks(), target.env().coarseNanoTime());
    return place == null
        ? null
        : new KeptMove(writes, place, target, pieces, wanted, access, payload);
  }

  @Override
  public boolean isDone() {
    Pending other = list;
    return other == null ? ended : other.isDone();
  }

  @Override
  public boolean isAnswered() {
    Pending other = list;
    return other == null || other.isAnswered(); // the node touches no payload but the list's
  }

  @Override
  public boolean canAdvance() {
    Pending other = list == null ? asked : list;
    return other == null || other.canAdvance();
  }

  @Override
  public boolean advance(long deadlineNanos) throws IOException {
    Pending other = list;
    if (other != null) {
      return other.advance(deadlineNanos);
    }
    if (!ended && !write(deadlineNanos)) {
      var request = new NodeRequest.Scatter(target.strand(), target.layout(), access, false);
      list = target.link().start(request, payload);
      return false;
    }
    return true;
  }

  /** False if it has to be written by a list. */
  private boolean write(long deadlineNanos) throws IOException {
    boolean written = false;
    try {
      if (asked != null) {
        place.window = receive(deadlineNanos);
      }
      KeptWindow there = place.window;
      written = there != null && there.write(target.env(), pieces, payload.memory());
    } finally {
      end(written);
    }
    return written;
  }

  /** What was asked for; null if it is not kept. */
  private @Nullable KeptWindow receive(long deadlineNanos) throws IOException {
    try {
      Kept kept = (Kept) Objects.requireNonNull(asked).await(deadlineNanos);
      return kept.pin() <= Pinned.NONE ? null : KeptWindow.map(wanted, kept, deadlineNanos);
    } catch (DeadlineException e) {
      throw e;
    } catch (MillraceException e) {
      return null; // the list fails with it
    }
  }

  private void end(boolean written) {
    ended = true;
    writes.end(place, written, target.env().coarseNanoTime());
  }

  @Override
  public Message await(long deadlineNanos) throws IOException {
    while (!advance(deadlineNanos)) {
      // asks, copies, sends a list
    }
    return DONE;
  }

  /** What is kept later than that the node takes back by itself. */
  @Override
  public void abandon() {
    Pending asking = asked;
    if (asking != null && !asking.isDone()) {
      asking.abandon();
    }
    if (!ended) {
      end(false);
    }
    Pending other = list;
    if (other != null) {
      other.abandon();
    }
  }
}
