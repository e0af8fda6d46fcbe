package org.millrace.message;

import org.millrace.wire.Security;

/**
 * How processes talk. Immutable; start from {@link #DEFAULT}.
 *
 * @param silenceNanos a peer from which nothing was heard for so long is gone; pings go out in time
 * @param graceNanos how long a session outlives its connection, for the peer to come back
 * @param greetingNanos how long a new connection may take to say who it is
 * @param connections how many connections a door has at most
 * @param inFlight how many requests of one session are under way at most; more are refused
 * @param transferBytes memory for payloads that each endpoint behind a door has; requests wait for
 *     it
 * @param sharedMemory whether processes of one user on one host talk through shared memory
 * @param stagingBytes how much memory this process shares with others at most, for payloads
 * @param security who may connect, and how that is proved
 */
public record TransportOptions(
    long silenceNanos,
    long graceNanos,
    long greetingNanos,
    int connections,
    int inFlight,
    long transferBytes,
    boolean sharedMemory,
    long stagingBytes,
    Security security) {

  private static final long SECOND = 1_000_000_000L;

  /**
   * 20 s of silence, 5 s of grace, 5 s for a greeting, 4,096 connections, 1,024 requests, 64 MiB
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

  /** The same with other patience. */
  public TransportOptions withPatience(long newSilenceNanos, long newGraceNanos) {
    return new TransportOptions(
        newSilenceNanos,
        newGraceNanos,
        greetingNanos,
        connections,
        inFlight,
        transferBytes,
        sharedMemory,
        stagingBytes,
        security);
  }

  /** The same with or without shared memory. */
  public TransportOptions withSharedMemory(boolean use) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        greetingNanos,
        connections,
        inFlight,
        transferBytes,
        use,
        stagingBytes,
        security);
  }

  /** The same with another bound of memory for payloads. */
  public TransportOptions withTransferBytes(long bytes) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        greetingNanos,
        connections,
        inFlight,
        bytes,
        sharedMemory,
        stagingBytes,
        security);
  }

  /** The same with another number of connections. */
  public TransportOptions withConnections(int most, long newGreetingNanos) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        newGreetingNanos,
        most,
        inFlight,
        transferBytes,
        sharedMemory,
        stagingBytes,
        security);
  }

  /** The same with other security. */
  public TransportOptions withSecurity(Security newSecurity) {
    return new TransportOptions(
        silenceNanos,
        graceNanos,
        greetingNanos,
        connections,
        inFlight,
        transferBytes,
        sharedMemory,
        stagingBytes,
        newSecurity);
  }
}
