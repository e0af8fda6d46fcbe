package org.millrace.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A strand through the cache (signatures first). */
public final class CachedStrand {

  CachedStrand() {}

  /** Copies what lies before the end of {@code [offset, offset + length)} and returns how many bytes that were. */
  public long read(long offset, MemorySegment into, long at, long length) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Writes {@code length} bytes and moves the end to at least {@code offset + length}. */
  public void write(long offset, MemorySegment from, long at, long length) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Packs {@code count} runs of {@code length} bytes, {@code stride} apart; bytes beyond the end are zero. */
  public void gather(
      long offset, long length, long stride, long count, MemorySegment into, long at)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Writes {@code count} packed runs of {@code length} bytes to places {@code stride} apart. */
  public void scatter(
      long offset, long length, long stride, long count, MemorySegment from, long at)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /** One past the highest byte written. */
  public long end() {
    throw new UnsupportedOperationException();
  }

  /** Cuts or extends; what an extension adds is zero. */
  public void resize(long end) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Takes room in the store for the bytes up to {@code end}, without moving the end. */
  public void preallocate(long end) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Returns after all that was written before is durable. */
  public void flush() throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Fills empty slots, and only those, from {@code fromBlock} on, and waits for it. */
  public void preload(long fromBlock) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Starts to load what is absent of the range. Does not wait, does not fail. */
  public void hint(long offset, long length) {
    throw new UnsupportedOperationException();
  }

  /** Ends the use: flushes first, or drops what is dirty if {@code discard}. Idempotent. */
  public void detach(boolean discard) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Throws if the books do not balance. For tests. */
  public void checkInvariants() {}
}
