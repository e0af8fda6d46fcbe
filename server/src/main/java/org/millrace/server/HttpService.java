package org.millrace.server;

import java.net.InetSocketAddress;

/**
 * Something that answers over HTTP until it is closed. Safe for use by several threads. Closing
 * lets requests under way end for a moment and cuts the rest; it is idempotent.
 */
public interface HttpService extends AutoCloseable {

  /** Where it listens. */
  InetSocketAddress address();

  /** Where clients find it. */
  String url();

  @Override
  void close();
}
