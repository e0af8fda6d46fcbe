package org.millrace.wire;

import java.io.IOException;

/** A place where connections come in. {@link #accept} is for one thread; any thread closes it. */
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
