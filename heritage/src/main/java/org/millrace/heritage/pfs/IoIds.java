package org.millrace.heritage.pfs;

import java.io.IOException;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.millrace.client.Rank;

/**
 * The ids of a process's asynchronous operations. An id is free again when somebody has been told
 * that its operation is over.
 *
 * <pre>
 *   free -> {@link #put} -> under way -> {@link #isDone} says so, or {@link #await} -> free
 * </pre>
 *
 * <p>Belongs to the rank's thread; operations' threads complete the futures.
 */
final class IoIds {

  private record Operation(PfsFile file, long bytes, CompletableFuture<Long> result) {}

  // constant after construction
  private final Rank rank;
  private final StatusNotes notes;

  // owned by the rank's thread
  private final @Nullable Operation[] operations = new @Nullable Operation[Pfs.MAX_IO_IDS];

  /** No operation of {@code rank} yet. */
  IoIds(Rank rank, StatusNotes notes) {
    this.rank = rank;
    this.notes = notes;
  }

  /** An id that nobody has. */
  int requireFree() throws PfsException {
    for (int id = 0; id < operations.length; id++) {
      if (operations[id] == null) {
        return id;
      }
    }
    throw new PfsException(Epfsl.EPFSLMREQUEST, "all " + operations.length + " ids are in use");
  }

  /** Gives an id to an operation. */
  void put(int id, PfsFile file, long bytes, CompletableFuture<Long> result) {
    operations[id] = new Operation(file, bytes, result);
  }

  /** The file of an operation, for people. */
  String path(long id) {
    Operation operation = find(id);
    return operation == null ? "" : operation.file.path();
  }

  /** How many bytes an operation is about; 0 if there is none. */
  long bytes(long id) {
    Operation operation = find(id);
    return operation == null ? 0 : operation.bytes;
  }

  /** The ids of a file's operations, for people. */
  String of(PfsFile file) {
    StringJoiner all = new StringJoiner(" ").setEmptyValue("-");
    for (int id = 0; id < operations.length; id++) {
      Operation operation = operations[id];
      if (operation != null && operation.file == file) {
        all.add(Integer.toString(id));
      }
    }
    return all.toString();
  }

  private @Nullable Operation find(long id) {
    return id < 0 || id >= operations.length ? null : operations[(int) id];
  }

  private Operation require(long id) throws PfsException {
    Operation operation = find(id);
    if (operation == null) {
      throw new PfsException(Epfsl.EPFSLBADID, "no operation has the id " + id);
    }
    return operation;
  }

  /** Whether it is over; then the id is free. */
  boolean isDone(long id) throws PfsException {
    if (!require(id).result.isDone()) {
      return false;
    }
    await(id);
    return true;
  }

  /** Waits until it is over; then the id is free. Fails as the operation did. */
  void await(long id) throws PfsException {
    Operation operation = require(id);
    if (!operation.result.isDone()) {
      notes.changed(operation.file, this);
    }
    try {
      rank.await(operation.result);
    } catch (IOException | RuntimeException e) {
      throw operation.file.failure(Page.IOWAIT, e);
    } finally {
      operations[(int) id] = null;
    }
  }

  /** Waits for all operations on a file, whose ids stay. */
  void awaitAll(PfsFile file) throws IOException {
    for (Operation operation : operations) {
      if (operation != null && operation.file == file && !operation.result.isDone()) {
        notes.changed(file, this);
        rank.await(operation.result.handle((_, _) -> 0L)); // its own iowait tells how it ended
      }
    }
  }
}
