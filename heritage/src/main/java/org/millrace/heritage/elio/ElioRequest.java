package org.millrace.heritage.elio;

import java.io.IOException;

/** A read or write that was started. Belongs to the rank's thread. */
public interface ElioRequest {

  /** Whether it is complete, well or not; does not wait. */
  boolean isDone() throws IOException;

  /** Waits until it is complete; returns the bytes that moved. May be called again. */
  long await() throws IOException;

  /** A request that was complete at once. */
  static ElioRequest done(long moved) {
    return new ElioRequest() {
      @Override
      public boolean isDone() {
        return true;
      }

      @Override
      public long await() {
        return moved;
      }
    };
  }

  /** A request that failed at once. */
  static ElioRequest failed(IOException failure) {
    return new ElioRequest() {
      @Override
      public boolean isDone() {
        return true;
      }

      @Override
      public long await() throws IOException {
        throw failure;
      }
    };
  }
}
