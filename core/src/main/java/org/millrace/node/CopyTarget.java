package org.millrace.node;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.disk.StrandStore;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * What a node knows of one strand that has copies, while another node owns it, and between two
 * times that this one has it open.
 *
 * <p>A copy is <em>clean</em> if it holds all that its owner had taken when it was last heard of:
 * the owner says before its first write after a flush that it will write, and the flush says that
 * nothing is left. A node that starts knows of no copy whether it is clean.
 *
 * <pre>
 *   not owned --claim--> owned --disown, unclaim--> not owned
 * </pre>
 *
 * <p>Guarded by its lock.
 */
final class CopyTarget {

  /**
   * What is known of a strand whose owner is another one now.
   *
   * @param clean whether it holds all that its owner had taken
   * @param since the epoch since which that owner vouched
   */
  record Known(boolean clean, long since) {}

  // constant after construction
  final StrandId id;
  final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  long mark; // that the owner said last
  long cleanMark; // up to which it has flushed
  long since; // that the owner vouches for, as it said with the mark
  int blockBytes;
  @Nullable StrandStore store;
  private long epoch = -1; // the highest that was heard of
  private boolean owned;
  private long ownEpoch; // when this node closed it as its owner
  private boolean gone;

  CopyTarget(StrandId id) {
    this.id = id;
  }

  boolean isGone() {
    return gone;
  }

  void onGone() {
    gone = true;
  }

  boolean isEpochKnown() {
    return epoch >= 0;
  }

  /** The coordinator has said which epoch the strand has. */
  void learn(long known) {
    epoch = Math.max(epoch, known);
  }

  void checkEpoch(NodeRequest.OfCopy request) throws MillraceException {
    if (request.epoch() < epoch) {
      throw new MillraceException(
          ErrorCode.MOVED,
          "%s has epoch %s now, its owner of epoch %s writes no more"
              .formatted(id, epoch, request.epoch()));
    }
    checkNotOwned();
    epoch = request.epoch();
    ownEpoch = 0;
  }

  void checkNotOwned() throws MillraceException {
    if (owned) {
      throw new MillraceException(ErrorCode.NODE, id + " is open here as its owner's, try again");
    }
  }

  boolean isClean() {
    return mark > 0 && mark <= cleanMark;
  }

  boolean isForgettable() {
    return !owned && store == null && (isClean() || mark == 0);
  }

  /** What was sent before this node started may be lost: the owner must know. */
  void checkBegun() throws MillraceException {
    if (mark == 0) {
      throw new MillraceException(
          ErrorCode.RESTARTED, "the node of a copy of %s has started since".formatted(id));
    }
  }

  /** The owner is about to write. Marks of another owner say nothing of this one's. */
  void begin(long newMark, long vouched) {
    cleanMark = 0;
    mark = newMark;
    since = vouched;
  }

  /** Nothing is known any more. */
  void clear() {
    mark = 0;
    cleanMark = 0;
  }

  Known claim(long atEpoch) {
    Known known = new Known(isClean() || ownEpoch == atEpoch, since);
    epoch = Math.max(atEpoch, epoch);
    owned = true;
    return known;
  }

  boolean isClaimed(long atEpoch) {
    return owned && epoch == atEpoch;
  }

  void unclaim() {
    owned = false;
  }

  void disown(long atEpoch, long vouched) {
    owned = false;
    clear();
    ownEpoch = atEpoch;
    since = vouched;
    epoch = Math.max(epoch, atEpoch);
  }

  void closeStore(boolean lasting) throws IOException {
    StrandStore open = store;
    store = null;
    if (open == null) {
      return;
    }
    if (!lasting) {
      open.close(false);
      return;
    }
    try (open) {
      open.flush(open.end());
    }
  }
}
