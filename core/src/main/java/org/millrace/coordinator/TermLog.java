package org.millrace.coordinator;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The group's log in one term of this member's leading. An append returns when most members have it
 * on their disks and this one has applied it. It fails only if this member does not lead any more,
 * as far as it knows: then the outcome is the next leader's to tell, and this log is lost.
 *
 * <p>Appended to by one thread, while another sends beats.
 */
final class TermLog implements ChangeLog {

  private static final long LOOK_NANOS = 20_000_000;

  // constant after construction
  private final Env env;
  private final Consensus engine;
  private final long term;
  private final long writer;
  private final Batch found;
  private final Lease lease;
  private final long leaseNanos;

  private final ReentrantLock lock = new ReentrantLock();
  private final Signal answered;

  private long number; // owned by the thread that appends

  TermLog(Env env, Consensus engine, long term, Batch found, Lease lease, long leaseNanos) {
    this.env = env;
    this.engine = engine;
    this.term = term;
    this.writer = env.random("office of " + engine.name()).nextLong();
    this.found = found;
    this.answered = env.signal(lock);
    this.number = found.number();
    this.lease = lease;
    this.leaseNanos = leaseNanos;
  }

  @Override
  public String name() {
    return engine.name();
  }

  @Override
  public boolean open(Replay replay) throws IOException {
    for (byte[] record : found.records()) {
      replay.apply(record);
    }
    return found.number() > 0;
  }

  @Override
  public void append(List<byte[]> records) throws IOException {
    if (records.isEmpty()) {
      return; // who waits for it is answered while the lease is valid
    }
    if (lease.isOver()) {
      throw lost("it does not lead any more", null);
    }
    await(send(new Batch(writer, number + 1, records)));
    number++;
  }

  /** Shows that this member still leads: renews the lease when that is confirmed. */
  void beat() {
    var _ = send(Batch.beat(writer)); // one that fails renews nothing
  }

  /**
   * Sends an entry. When it is applied in this term, most members have heard this one after it was
   * sent: nobody else was elected before.
   */
  private CompletableFuture<BatchVerdict> send(Batch batch) {
    long sentNanos = env.nanoTime();
    return engine
        .submit(batch)
        .whenComplete(
            (verdict, error) -> {
              if (error == null && isMine(verdict)) {
                lease.renew(sentNanos + leaseNanos);
              } else if (error == null) {
                lease.end();
              }
              wake();
            });
  }

  private boolean isMine(BatchVerdict verdict) {
    return verdict.applied() && verdict.term() == term;
  }

  private void wake() {
    lock.lock();
    try {
      answered.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void await(CompletableFuture<BatchVerdict> sent) throws IOException {
    lock.lock();
    try {
      while (!sent.isDone() && !lease.isOver()) {
        answered.await(env.deadlineAfter(LOOK_NANOS));
      }
    } finally {
      lock.unlock();
    }
    if (!sent.isDone()) {
      throw lost("it does not lead any more", null);
    }
    if (sent.isCompletedExceptionally()) {
      lease.end();
      throw lost(String.valueOf(sent.exceptionNow()), sent.exceptionNow());
    }
    if (!isMine(sent.resultNow())) {
      throw lost("another one has led since", null);
    }
  }

  private MillraceException lost(String why, @Nullable Throwable cause) {
    return new MillraceException(
        ErrorCode.UNKNOWN,
        engine.name() + " cannot append to the coordinators' log: " + why,
        cause == null ? new IOException(why) : cause);
  }

  @Override
  public boolean isLong() {
    return false; // Ratis takes snapshots
  }

  @Override
  public boolean rewrite(List<byte[]> all, boolean must) {
    return false;
  }

  @Override
  public boolean isLost() {
    return lease.isOver();
  }

  @Override
  public void close() {
    lease.end();
  }
}
