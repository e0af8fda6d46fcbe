package org.millrace.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.millrace.coordinator.ChangeLog;
import org.millrace.coordinator.Lease;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The group's log in one term of this member's leading. An append returns when most members have it
 * on their disks and this one has applied it. It fails only if this member does not lead any more,
 * as far as it knows: then the outcome is the next leader's to tell, and this log is lost.
 *
 * <p>Appended to by one thread, while another sends beats.
 */
final class RaftChangeLog implements ChangeLog {

  /** Appends an entry, and says what became of it. */
  interface Submit {
    /** The members' verdict; fails if this member does not lead. */
    CompletableFuture<ByteBuffer> entry(Batch batch);
  }

  private static final long LOOK_MILLIS = 20;

  // constant after construction
  private final Env env;
  private final String name;
  private final Submit submit;
  private final long term;
  private final long writer;
  private final Batch found;
  private final Lease lease;
  private final long leaseNanos;

  private long number; // owned by the thread that appends

  RaftChangeLog(
      Env env, String name, Submit submit, long term, Batch found, Lease lease, long leaseNanos) {
    this.env = env;
    this.name = name;
    this.submit = submit;
    this.term = term;
    this.writer = env.random("office of " + name).nextLong();
    this.found = found;
    this.number = found.number();
    this.lease = lease;
    this.leaseNanos = leaseNanos;
  }

  @Override
  public String name() {
    return name;
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
  private CompletableFuture<Verdict> send(Batch batch) {
    long sentNanos = env.nanoTime();
    return submit
        .entry(batch)
        .thenApply(Verdict::decode)
        .thenApply(
            verdict -> {
              if (verdict.applied() && verdict.term() == term) {
                lease.renew(sentNanos + leaseNanos);
              } else {
                lease.end();
              }
              return verdict;
            });
  }

  private void await(CompletableFuture<Verdict> sent) throws IOException {
    while (true) {
      try {
        Verdict verdict = sent.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        if (verdict.applied() && verdict.term() == term) {
          return;
        }
        throw lost("another one has led since", null);
      } catch (TimeoutException e) {
        if (lease.isOver()) {
          throw lost("it does not lead any more", e);
        }
      } catch (ExecutionException e) {
        lease.end();
        throw lost(String.valueOf(e.getCause()), e);
      } catch (InterruptedException e) {
        lease.end();
        Thread.currentThread().interrupt();
        throw lost("interrupted", e);
      }
    }
  }

  private MillraceException lost(String why, @Nullable Exception cause) {
    return new MillraceException(
        ErrorCode.UNKNOWN,
        name + " cannot append to the coordinators' log: " + why,
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
