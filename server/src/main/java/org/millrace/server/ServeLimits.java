package org.millrace.server;

/**
 * What a server spends on its clients.
 *
 * @param threads how many requests are served at once; more wait
 * @param connections how many connections are open at once; more are closed at once. For the whole
 *     JVM, as of its first server
 * @param headerNanos how long a client may take for the head of a request, and for a TLS handshake
 * @param stallNanos how long a client may neither send nor take a byte where it should
 * @param partBytes the largest partial write; also the size of a buffer of a transfer, at most one
 *     for each thread
 */
public record ServeLimits(
    int threads, int connections, long headerNanos, long stallNanos, int partBytes) {

  private static final long SECOND = 1_000_000_000L;

  /** For a server of one user or a small group. */
  public static final ServeLimits USUAL =
      new ServeLimits(64, 256, 10 * SECOND, 30 * SECOND, 4 << 20);

  /** Checks them. */
  public ServeLimits {
    if (threads < 1 || connections < 1 || headerNanos < 1 || stallNanos < 1 || partBytes < 1) {
      throw new IllegalArgumentException("limits of a server must be at least 1");
    }
  }

  /** The same with other times. */
  public ServeLimits withNanos(long header, long stall) {
    return new ServeLimits(threads, connections, header, stall, partBytes);
  }

  /** The same with other numbers of threads and connections. */
  public ServeLimits withCounts(int newThreads, int newConnections) {
    return new ServeLimits(newThreads, newConnections, headerNanos, stallNanos, partBytes);
  }
}
