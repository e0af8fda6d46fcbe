package org.millrace.raft;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;
import org.millrace.coordinator.Batch;
import org.millrace.coordinator.BatchVerdict;
import org.millrace.coordinator.NameReplica;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The tree of names as most members have it. Every member applies the same entries in the same
 * order, and so comes to the same verdicts. A snapshot is the journal as one coordinator alone
 * would write it anew, as one {@link Batch} with its check sum:
 *
 * <pre>
 * snapshot = batch, CRC-32C of it u32
 * </pre>
 *
 * <p>An entry that cannot be read, for example because a newer version has written it, is not
 * skipped: this member would go on with another tree than the others. It fails instead, and applies
 * the entry when it can.
 *
 * <p>Called by Ratis' threads, and asked by others: one lock.
 */
final class NameStateMachine extends BaseStateMachine {

  /** Told once that this member is of no use any more. */
  interface OnFailure {
    /** Its log cannot be written, or its entries cannot be read. */
    void failed(Throwable cause);
  }

  // constant after construction
  private final OnFailure onFailure;
  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private NameReplica names = new NameReplica();

  NameStateMachine(OnFailure onFailure) {
    this.onFailure = onFailure;
  }

  /** All that is known, as one batch: its number is that of the last that was applied. */
  Batch state() {
    lock.lock();
    try {
      return names.state();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage where)
      throws IOException {
    getLifeCycle().transition(LifeCycle.State.STARTING);
    super.initialize(server, group, where);
    storage.init(where);
    load(storage.loadLatestSnapshot());
    getLifeCycle().transition(LifeCycle.State.RUNNING);
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() throws IOException {
    getLifeCycle().transition(LifeCycle.State.STARTING);
    load(storage.loadLatestSnapshot());
    getLifeCycle().transition(LifeCycle.State.RUNNING);
  }

  @Override
  public SimpleStateMachineStorage getStateMachineStorage() {
    return storage;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext context) {
    LogEntryProto entry = context.getLogEntry();
    TermIndex at = TermIndex.valueOf(entry);
    lock.lock();
    try {
      byte[] verdict = new BatchVerdict(names.apply(decode(entry)), at.getTerm()).encode();
      updateLastAppliedTermIndex(at);
      return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFrom(verdict)));
    } catch (IOException | RuntimeException e) {
      onFailure.failed(e);
      return CompletableFuture.failedFuture(e);
    } finally {
      lock.unlock();
    }
  }

  /** The batch of an entry. */
  static Batch decode(LogEntryProto entry) throws IOException {
    return Batch.decode(entry.getStateMachineLogEntry().getLogData().toByteArray());
  }

  /** Ratis' log does nothing any more after an error of the disk. */
  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto failedEntry) {
    onFailure.failed(cause);
  }

  @Override
  public long takeSnapshot() throws IOException {
    Batch state;
    TermIndex at;
    lock.lock();
    try {
      state = state();
      at = getLastAppliedTermIndex();
    } finally {
      lock.unlock();
    }
    Path file = storage.getSnapshotFile(at.getTerm(), at.getIndex()).toPath();
    Path fresh = file.resolveSibling("fresh-" + file.getFileName());
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      var summed = new CheckedOutputStream(Channels.newOutputStream(channel), new CRC32C());
      DataOutputStream out = new DataOutputStream(new BufferedOutputStream(summed));
      state.write(out);
      out.flush();
      out.writeInt((int) summed.getChecksum().getValue());
      out.flush();
      channel.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceNames(file.resolveSibling("")); // before the log that it replaces is purged
    MD5Hash sum = MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
    storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file, sum), at));
    return at.getIndex();
  }

  private static void forceNames(Path folder) throws IOException {
    try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  private void load(@Nullable SingleFileSnapshotInfo snapshot) throws IOException {
    if (snapshot == null) {
      return;
    }
    Path file = snapshot.getFile().getPath();
    NameReplica loaded = NameReplica.of(read(file));
    lock.lock();
    try {
      names = loaded;
      setLastAppliedTermIndex(
          SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file.toFile()));
    } finally {
      lock.unlock();
    }
  }

  /** Reads a snapshot. */
  static Batch read(Path file) throws IOException {
    var summed =
        new CheckedInputStream(new BufferedInputStream(Files.newInputStream(file)), new CRC32C());
    try (DataInputStream in = new DataInputStream(summed)) {
      Batch state = Batch.read(in);
      int sum = (int) summed.getChecksum().getValue();
      if (in.readInt() != sum) {
        throw new MillraceException(
            ErrorCode.CORRUPT,
            file
                + " is damaged: let another coordinator take this one's place with millrace"
                + " coordinators replace");
      }
      return state;
    }
  }
}
