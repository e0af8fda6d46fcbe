package org.millrace.heritage.pfs;

import java.io.IOException;
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

  private record Operation(PfsFile file, CompletableFuture<Long> result) {}

  // constant after construction
  private final Rank rank;

  // owned by the rank's thread
  private final @Nullable Operation[] operations = new @Nullable Operation[Pfs.MAX_IO_IDS];

  /** No operation of {@code rank} yet. */
  IoIds(Rank rank) {
    this.rank = rank;
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
  void put(int id, PfsFile file, CompletableFuture<Long> result) {
    operations[id] = new Operation(file, result);
  }

  private Operation require(long id) throws PfsException {
    Operation operation = id < 0 || id >= operations.length ? null : operations[(int) id];
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
    try {
      rank.await(operation.result);
    } catch (IOException | RuntimeException e) {
      throw Errors.of(Errors.Doing.ASYNC, e);
    } finally {
      operations[(int) id] = null;
    }
  }

  /** Waits for all operations on a file, whose ids stay. */
  void awaitAll(PfsFile file) throws IOException {
    for (Operation operation : operations) {
      if (operation != null && operation.file == file) {
        rank.await(operation.result.handle((_, _) -> 0L)); // its own iowait tells how it ended
      }
    }
  }
}
