package org.millrace.message;

import org.millrace.wire.Security;

/**
 * Options of the transport. Immutable; start from {@link #DEFAULT}.
 *
 * @param silenceNanos a peer from which nothing was received for so long counts as lost; pings are
 *     sent in time
 * @param graceNanos how long a session outlives its connection, for the peer to come back
 * @param handshakeNanos how long a new connection may take to identify itself
 * @param connections how many connections an acceptor has at most
 * @param inFlight how many requests of one session are under way at most; more are refused
 * @param transferBytes payload memory of each served endpoint; requests wait for it
 * @param sharedMemory whether processes of one user on one host talk through shared memory
 * @param sharedBufferBytes how much memory this process shares with others at most, for payloads
 * @param security who may connect, and how that is proved
 */
public record TransportOptions(
    long silenceNanos,
    long graceNanos,
    long handshakeNanos,
    int connections,
    int inFlight,
    long transferBytes,
    boolean sharedMemory,
    long sharedBufferBytes,
    Security security) {

  private static final long SECOND = 1_000_000_000L;

  /**
   * 20 s of silence, 5 s of grace, 5 s for a handshake, 4,096 connections, 1,024 requests, 64 MiB
   * for transfers, shared memory of up to 64 MiB.
   */
  public static final TransportOptions DEFAULT =
      new TransportOptions(
          20 * SECOND,
          5 * SECOND,
          5 * SECOND,
          4096,
          1024,
          64L << 20,
          true,
          64L << 20,
          Security.LOCAL);

  /** The same with other timeouts. */
  public TransportOptions withTimeouts(long newSilenceNanos, long newGraceNanos) {
    return new TransportOptions(
        newSilenceNanos,
        newGraceNanos,
        handshakeNanos,
        connections,
        inFlight,
        transferBytes,
        sharedMemory,
        sharedBufferBytes,
        security);
  }

  /**
   * The most memory for payloads at an endpoint with {@code sessions} senders: what requests wait
   * for, and the little that each sender may send unasked.
   */
  public long maxTransferBytes(int sessions) {
    return transferBytes + (long) sessions * RequestDispatcher.MAX_EAGER;
  }

  /** The same with or without shared memory. */
  public TransportOptions withSharedMemory(boolean use) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        handshakeNanos,
        connections,
        inFlight,
        transferBytes,
        use,
        sharedBufferBytes,
        security);
  }

  /** The same with another bound of memory for payloads. */
  public TransportOptions withTransferBytes(long bytes) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        handshakeNanos,
        connections,
        inFlight,
        bytes,
        sharedMemory,
        sharedBufferBytes,
        security);
  }

  /** The same with another number of connections. */
  public TransportOptions withConnections(int max, long newHandshakeNanos) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        newHandshakeNanos,
        max,
        inFlight,
        transferBytes,
        sharedMemory,
        sharedBufferBytes,
        security);
  }

  /** The same with other security. */
  public TransportOptions withSecurity(Security newSecurity) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        handshakeNanos,
        connections,
        inFlight,
        transferBytes,
        sharedMemory,
        sharedBufferBytes,
        newSecurity);
  }
}
