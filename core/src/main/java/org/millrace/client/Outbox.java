package org.millrace.client;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The messages that this participant has sent and whose memory their receivers may still read. A
 * receiver that has no room for a message when it arrives fetches the bytes from here later.
 *
 * <p>Safe for use by several threads: one lock guards the table; bytes are copied outside of it.
 */
final class Outbox {

  /** A message's memory, and how many threads are reading it. Guarded by the lock. */
  private static final class Sent {
    final MemorySegment bytes;
    int readers;

    Sent(MemorySegment bytes) {
      this.bytes = bytes;
    }
  }

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();
  private final Signal unread;

  // guarded by lock
  private final Map<Long, Sent> byMessageId = new HashMap<>();
  private long lastMessageId;

  Outbox(Env env) {
    this.unread = env.signal(lock);
  }

  /** Lets receivers read these bytes; returns the message's number. */
  long add(MemorySegment bytes) {
    lock.lock();
    try {
      byMessageId.put(++lastMessageId, new Sent(bytes));
      return lastMessageId;
    } finally {
      lock.unlock();
    }
  }

  /** After this no rank reads the message's memory. Idempotent. */
  void remove(long messageId) {
    lock.lock();
    try {
      Sent sent = byMessageId.remove(messageId);
      while (sent != null && sent.readers > 0) {
        unread.await(Env.NEVER); // ends: a copy does not wait
      }
    } finally {
      lock.unlock();
    }
  }

  /** Copies a part of a message to {@code into}; returns how many bytes there were. */
  long read(long messageId, long offset, MemorySegment into, long at, long length)
      throws MillraceException {
    Sent sent = enter(messageId);
    if (sent == null) {
      throw new MillraceException(
          ErrorCode.RANK_FAILED, "the sender has taken message " + messageId + " back");
    }
    try {
      long size = sent.bytes.byteSize();
      if (offset < 0 || offset > size) {
        throw new MillraceException(
            ErrorCode.INVALID, "byte " + offset + " of a message of " + size + " bytes");
      }
      long count = Math.min(length, size - offset);
      MemorySegment.copy(sent.bytes, offset, into, at, count);
      return count;
    } finally {
      leave(sent);
    }
  }

  private @Nullable Sent enter(long messageId) {
    lock.lock();
    try {
      Sent sent = byMessageId.get(messageId);
      if (sent != null) {
        sent.readers++;
      }
      return sent;
    } finally {
      lock.unlock();
    }
  }

  private void leave(Sent sent) {
    lock.lock();
    try {
      if (--sent.readers == 0) {
        unread.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** How many messages wait to be received. */
  int size() {
    lock.lock();
    try {
      return byMessageId.size();
    } finally {
      lock.unlock();
    }
  }
}
