package org.millrace.transfer;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.millrace.access.Access;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.ReturnedPin;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;

/**
 * Transfers the part of an access on one strand by copying between the rank's memory and the blocks
 * in the memory of the strand's node, window by window. This side asks the node to pin the blocks
 * of the next window while it copies the current one; each request also releases the previous pins.
 *
 * <pre>
 *   rank   ask 1, ask 2 | copy 1 | ask 3, give back 1 | copy 2 | ask 4, give back 2 | ...
 *   node   pin 1, pin 2          | pin 3, unpin 1              | ...
 * </pre>
 *
 * <p>The first window is small, so that copying begins soon, and each is twice as large as the one
 * before, so that few are asked for, until the node has no room for one: from then on they are
 * small.
 *
 * <p>A window of a read whose blocks are {@linkplain KnownBlocks known} to be where they were when
 * they were pinned before is copied without a request.
 *
 * <p>A window for which the node has no room goes by a list, as all do where nothing can be mapped.
 * So does one that was written into blocks which the node had taken away meanwhile: it is written
 * again. When a write is done, the node has accepted all of its windows.
 *
 * <p>Used by one thread at a time.
 */
final class PinnedMove implements Pending {

  /** Windows that are requested or being copied at a time. */
  private static final int AHEAD = 2;

  private static final Message DONE = new NodeReply.Done();

  /**
   * A strand of a file, and how large windows are.
   *
   * @param firstBytes of the first one
   * @param maxBytes of the largest
   * @param known where blocks were; null if the node is always to be asked
   * @param announce lets the disk begin; called before the node is asked for the first time
   */
  record Target(
      PinTarget strand,
      long firstBytes,
      long maxBytes,
      @Nullable KnownBlocks known,
      Runnable announce) {}

  /**
   * A request under way, and the window that it is for; none if it only gives back. There is no
   * request if it is known where the blocks are.
   */
  private record RequestedWindow(
      @Nullable PinWindow window,
      List<WantedBlocks> wanted,
      List<ReturnedPin> returned,
      @Nullable Pending reply,
      KnownBlocks.@Nullable Window known) {}

  // constant after construction
  private final Target target;
  private final PinTarget strand;
  private final boolean write;
  private final Access access;
  private final Payload payload;
  private final PinWindows windows;

  // owned by the thread that uses it
  private final ArrayDeque<RequestedWindow> requested = new ArrayDeque<>();
  private final List<ReturnedPin> due = new ArrayList<>();
  private final Map<Long, PinWindow> unconfirmed = new HashMap<>();
  private long windowBytes;
  private boolean growing = true;
  private @Nullable KnownBlocks known;
  private boolean alive;
  private boolean asked;
  private boolean finished;

  PinnedMove(Target target, boolean write, Access access, Payload payload) {
    this.target = target;
    this.write = write;
    this.access = access;
    this.payload = payload;
    this.strand = target.strand;
    this.windows = PinWindows.of(strand, access, payload.places());
    this.windowBytes = target.firstBytes;
    this.known = write ? null : target.known;
    for (int i = 0; i < AHEAD; i++) {
      requestNext();
    }
  }

  private void requestNext() {
    PinWindow next = finished ? null : windows.next(windowBytes);
    windowBytes = growing ? Math.min(target.maxBytes, 2 * windowBytes) : windowBytes;
    if (next == null) {
      finished = true;
      return;
    }
    List<WantedBlocks> wanted = next.wanted(write);
    KnownBlocks in = known;
    KnownBlocks.Window there = in == null ? null : find(in, wanted);
    requested.add(there == null ? request(next, wanted) : withoutRequest(next, wanted, there));
  }

  /** Where blocks are, if that is known and their node lives. */
  private KnownBlocks.@Nullable Window find(KnownBlocks in, List<WantedBlocks> wanted) {
    KnownBlocks.Window found = in.find(strand.slabs(), wanted, strand.env().coarseNanoTime());
    if (found == null || alive) {
      return found;
    }
    alive = strand.link().isConnected() && found.isThere();
    known = alive ? known : null; // the node is asked, and that fails as it should
    return alive ? found : null;
  }

  private RequestedWindow request(PinWindow window, List<WantedBlocks> wanted) {
    List<ReturnedPin> returned = List.copyOf(due);
    return new RequestedWindow(window, wanted, returned, send(wanted), null);
  }

  private static RequestedWindow withoutRequest(
      PinWindow window, List<WantedBlocks> wanted, KnownBlocks.Window there) {
    return new RequestedWindow(window, wanted, List.of(), null, there);
  }

  private Pending send(List<WantedBlocks> wanted) {
    if (!asked) {
      asked = true;
      target.announce.run();
    }
    Pending reply = strand.ask(write, wanted, due);
    due.clear();
    return reply;
  }

  @Override
  public boolean isDone() {
    return finished && requested.isEmpty() && due.isEmpty();
  }

  @Override
  public boolean isAnswered() {
    return true; // the node touches no payload
  }

  @Override
  public boolean canAdvance() {
    RequestedWindow first = requested.peek();
    return first == null || first.reply == null || first.reply.isDone();
  }

  @Override
  public boolean advance(long deadlineNanos) throws IOException {
    RequestedWindow first = requested.peek();
    if (first != null && first.reply == null) {
      requested.remove();
      moveWithoutRequest(first);
    } else if (first != null && first.reply != null) {
      Pinned reply = (Pinned) first.reply.await(deadlineNanos);
      requested.remove();
      PinWindow window = first.window;
      if (window != null) {
        move(window, first.wanted, reply, deadlineNanos);
        requestNext();
      }
      confirm(first.returned, reply.refused(), deadlineNanos);
    }
    if (finished && requested.isEmpty() && !due.isEmpty()) {
      List<ReturnedPin> returned = List.copyOf(due);
      Pending last = send(List.of());
      if (write) {
        requested.add(new RequestedWindow(null, List.of(), returned, last, null));
      }
    }
    return isDone();
  }

  @Override
  public Message await(long deadlineNanos) throws IOException {
    while (!advance(deadlineNanos)) {
      // window after window
    }
    return DONE;
  }

  /** Copies from where the blocks are; if they go away meanwhile the node is asked after all. */
  private void moveWithoutRequest(RequestedWindow one) {
    PinWindow window = Objects.requireNonNull(one.window);
    KnownBlocks.Window there = Objects.requireNonNull(one.known);
    window.copy(strand.env(), write, there.extents(), payload.memory());
    if (there.isUnchanged()) {
      requestNext();
    } else {
      requested.addFirst(request(window, one.wanted));
    }
  }

  /** Moves a window, through the blocks that were pinned for it if there are any. */
  private void move(PinWindow window, List<WantedBlocks> wanted, Pinned reply, long deadlineNanos)
      throws IOException {
    long pin = reply.pin();
    if (pin <= Pinned.NONE) {
      if (pin == Pinned.NEVER) {
        strand.slabs().giveUp();
      }
      growing = false;
      windowBytes = target.firstBytes / 2;
      moveByList(window, deadlineNanos);
      return;
    }
    boolean copied = false;
    try {
      PinnedExtents there = strand.map(write, wanted, reply.places(), deadlineNanos);
      if (there != null) {
        KnownBlocks noting = known;
        if (noting != null) {
          long now = strand.env().coarseNanoTime();
          noting.note(strand.slabs(), wanted, reply.places(), reply.end(), now);
        }
        window.copy(strand.env(), write, there, payload.memory());
        copied = true;
      }
    } finally {
      due.add(new ReturnedPin(pin, copied && write, copied ? window.end() : 0));
    }
    if (copied && write) {
      unconfirmed.put(pin, window);
    } else if (!copied) {
      strand.slabs().giveUp();
      moveByList(window, deadlineNanos);
    }
  }

  /** What was written into blocks that had been taken away is written again. */
  private void confirm(List<ReturnedPin> returned, List<Long> refused, long deadlineNanos)
      throws IOException {
    for (ReturnedPin one : returned) {
      PinWindow window = unconfirmed.remove(one.pin());
      if (window != null && refused.contains(one.pin())) {
        moveByList(window, deadlineNanos);
      }
    }
  }

  private void moveByList(PinWindow window, long deadlineNanos) throws IOException {
    Access part = access.part(window.from(), window.to());
    NodeRequest list =
        write
            ? new NodeRequest.Scatter(strand.strand(), strand.layout(), part, false)
            : new NodeRequest.Gather(strand.strand(), strand.layout(), part);
    strand.link().start(list, payload.part(window.from(), window.to())).await(deadlineNanos);
  }

  /** Gives back what is pinned, and what will be when the answers come. */
  @Override
  public void abandon() {
    finished = true;
    if (!due.isEmpty()) {
      send(List.of());
    }
    List<Pending> replies = new ArrayList<>();
    for (RequestedWindow one : requested) {
      if (one.reply != null) {
        replies.add(one.reply);
      }
    }
    strand.giveBackLater(write, replies);
    requested.clear();
  }
}
