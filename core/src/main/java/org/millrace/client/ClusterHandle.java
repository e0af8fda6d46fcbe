package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Opened;
import org.millrace.protocol.CoordinatorRequest.OfBytes;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.OpenFlags;
import org.millrace.transfer.Strands;

/**
 * A file that a session has open by itself. Bytes move as those of ranks do, between memory and the
 * nodes; the coordinator is asked for locks, for a place to append at, and when the file is closed.
 *
 * <p>Safe for use by several threads.
 */
final class ClusterHandle implements FileHandle {

  private static final long DAY_NANOS = 86_400_000_000_000L;

  // constant after construction
  private final ClusterTree tree;
  private final Session session;
  private final FilePath path; // for messages
  private final OpenFlags flags;
  private final Opened opened;
  private final FileStatus atOpening; // as the coordinator knew it: of a new file that is all
  private final Strands strands;
  private final Set<Long> lockOwners = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Written with the lock of {@link HeldDelegations} held, and by who makes this. */
  private volatile boolean delegated;

  // hints, set once each: a lost one only leaves the access time as it was
  private volatile boolean read;
  private volatile boolean written;

  ClusterHandle(
      ClusterTree tree,
      Session session,
      OfFile.Open request,
      CoordinatorReply.FileOpened reply,
      Strands strands) {
    this.tree = tree;
    this.session = session;
    this.path = request.path();
    this.flags = request.flags();
    this.opened = reply.opened();
    this.atOpening = reply.status();
    this.strands = strands;
    this.delegated = reply.delegated();
  }

  @Override
  public boolean isDelegated() {
    return delegated;
  }

  /** The right to keep bytes is gone, for good. */
  void endDelegation() {
    delegated = false;
  }

  @Override
  public long id() {
    return opened.file();
  }

  /** The coordinator's number of this open file. */
  long open() {
    return opened.open();
  }

  @Override
  public FileStatus status() throws IOException {
    checkOpen();
    return tree.stat(FilePath.of(id()));
  }

  @Override
  public FileStatus statusSinceOpening() throws IOException {
    return opened.created() ? atOpening : status();
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return strands.size();
  }

  @Override
  public long read(long position, MemorySegment into) throws IOException {
    checkOpen();
    if (!flags.read()) {
      throw new MillraceException(ErrorCode.NOT_PERMITTED, path + " was opened for writing only");
    }
    Memory.requireTarget(into, false);
    long length = into.byteSize();
    OpenFile.checkRange(position, length);
    if (!read) {
      read = true;
    }
    return length == 0 ? 0 : strands.read(position, into, 0, length);
  }

  @Override
  public void write(long position, MemorySegment from) throws IOException {
    checkWrite();
    Memory.requireSource(from, false);
    long length = from.byteSize();
    OpenFile.checkRange(position, length);
    if (length > 0) {
      strands.write(position, from, 0, length);
    }
  }

  @Override
  public long append(MemorySegment from) throws IOException {
    checkWrite();
    Memory.requireSource(from, false);
    long length = from.byteSize();
    long size = strands.size();
    if (length == 0) {
      return size;
    }
    OpenFile.checkRange(size, length);
    long timeout = session.limits().operationNanos();
    long at =
        session.coordinator().advance(opened.endPointer(), length, size, Long.MAX_VALUE, timeout);
    strands.write(at, from, 0, length);
    return at;
  }

  @Override
  public void resize(long bytes) throws IOException {
    checkWrite();
    if (bytes < 0) {
      throw new IllegalArgumentException("size of " + bytes + " bytes, must be at least 0");
    }
    strands.resize(bytes);
    FilePointer.forgetEnd(session, opened); // who appends goes by the size
  }

  @Override
  public void reserve(long position, long bytes, boolean lengthen) throws IOException {
    checkWrite();
    OpenFile.checkRange(position, bytes);
    strands.reserve(position + bytes);
    if (lengthen) {
      strands.extend(position + bytes);
    }
  }

  @Override
  public OptionalLong nextData(long position) throws IOException {
    checkOpen();
    OpenFile.checkRange(position, 0);
    long next = strands.nextData(position);
    return next < strands.size() ? OptionalLong.of(next) : OptionalLong.empty();
  }

  /** Names need nothing: the coordinator answers when they are durable. */
  @Override
  public void force(boolean name) throws IOException {
    checkOpen();
    strands.flush();
  }

  @Override
  public void force(long position, long length) throws IOException {
    checkOpen();
    OpenFile.checkRange(position, length);
    strands.flush(position, length);
  }

  @Override
  public boolean lock(ByteLock lock, long waitNanos) throws IOException {
    checkOpen();
    if (lock.kind() != ByteLock.Kind.NONE) {
      lockOwners.add(lock.owner());
    }
    long wait = Math.max(0, waitNanos);
    long allowed = session.limits().operationNanos() + wait;
    long deadline = session.env().deadlineAfter(allowed < 0 ? Long.MAX_VALUE : allowed);
    var asked = new OfBytes.LockBytes(opened.open(), lock, wait);
    var reply =
        (CoordinatorReply.Value) session.coordinator().call(asked, Session.NOTHING, deadline);
    return reply.value() == 1;
  }

  @Override
  public Optional<ByteLock> conflict(ByteLock lock) throws IOException {
    checkOpen();
    var asked = new OfBytes.AskConflict(opened.open(), lock);
    return ((CoordinatorReply.Conflict) session.ask(asked)).lock();
  }

  @Override
  public void unlockAll(long owner) throws IOException {
    checkOpen();
    session.ask(new OfBytes.UnlockBytes(opened.open(), owner));
  }

  private void checkOpen() throws MillraceException {
    if (closed.get()) {
      throw new MillraceException(ErrorCode.CLOSED, path + " is closed");
    }
  }

  /**
   * Whether the access time is to be set: as with {@code relatime}, if it is a day old or no later
   * than the last modification, as far as this handle knows of one.
   */
  private boolean isWorthNoting() {
    long now = session.env().wallMillis() * 1_000_000;
    FileStatus.Times times = atOpening.times();
    return read
        && (written || times.accessed() <= times.modified() || now - times.accessed() > DAY_NANOS);
  }

  private void checkWrite() throws MillraceException {
    checkOpen();
    if (!written) {
      written = true;
    }
    if (!flags.write()) {
      throw new MillraceException(ErrorCode.NOT_PERMITTED, path + " was opened for reading only");
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    tree.onClosed(this);
    strands.close();
    session.renewals().remove(opened.open());
    IOException failure = null;
    for (long owner : lockOwners) {
      try {
        session.ask(new OfBytes.UnlockBytes(opened.open(), owner));
      } catch (IOException e) {
        failure = e;
      }
    }
    var gone =
        (CoordinatorReply.FileGone) session.ask(new OfFile.Close(opened.open(), isWorthNoting()));
    tree.removeStrands(gone);
    if (failure != null) {
      throw failure;
    }
  }
}
