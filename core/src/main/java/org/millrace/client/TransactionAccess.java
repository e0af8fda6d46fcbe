package org.millrace.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * An access that is part of a transaction, as {@link FileAccess#in} makes it. Immutable; belongs to
 * the thread of the transaction's rank.
 */
final class TransactionAccess implements DataAccess {

  private final Transaction transaction;
  private final FileAccess access;

  TransactionAccess(Transaction transaction, FileAccess access) {
    this.transaction = transaction;
    this.access = access;
  }

  @Override
  public long read(Memory into) throws IOException {
    return transaction.read(access, into);
  }

  @Override
  public long write(Memory from) throws IOException {
    return transaction.write(access, from);
  }

  @Override
  public CompletableFuture<Long> readAsync(Memory into) {
    throw blocking("read");
  }

  @Override
  public CompletableFuture<Long> writeAsync(Memory from) {
    throw blocking("write");
  }

  private static IllegalStateException blocking(String call) {
    return new IllegalStateException("a transaction has no asynchronous accesses; use " + call);
  }
}
