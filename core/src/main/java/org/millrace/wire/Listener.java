package org.millrace.wire;

import java.io.IOException;

/**
 * An address at which connections come in. {@link #accept} is for one thread; any thread may close
 * it.
 */
public interface Listener extends AutoCloseable {

  /** Where it really listens. */
  Address address();

  /** Waits for the next connection. Throws when the listener was closed. */
  Wire accept() throws IOException;

  /** Whether it was closed. */
  boolean isClosed();

  @Override
  void close();
}
