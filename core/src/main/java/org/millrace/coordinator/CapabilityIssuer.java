package org.millrace.coordinator;

import java.math.BigInteger;
import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.message.Peer;
import org.millrace.protocol.Capabilities;
import org.millrace.protocol.Capability;
import org.millrace.protocol.Holder;
import org.millrace.wire.Secret;

/**
 * Issues capabilities for the user whose group opened a file, with the rights of that open and a
 * limited time. Without a secret they cannot be checked, and all are {@link Capability#NONE}. It
 * also determines the holder in whose name a session writes. Immutable.
 */
final class CapabilityIssuer {

  private final Env env;
  private final Optional<Secret> secret;
  private final long lifetimeMillis;
  private final long firstNumber;
  private final long epoch;

  CapabilityIssuer(Env env, CoordinatorOptions options) {
    this.env = env;
    this.secret = options.secret();
    this.lifetimeMillis = options.capabilityMillis();
    this.firstNumber = env.random("numbers of opens").nextLong(1L << 62);
    this.epoch = new BigInteger(1, env.secretBytes(Long.BYTES)).longValue() | 1; // never 0
  }

  /** A number that no other epoch of the coordinator uses. */
  long epoch() {
    return epoch;
  }

  /** In whose name a session writes. */
  Holder holder(Peer peer) {
    return secret.isPresent() ? new Holder(epoch, peer.session()) : Holder.NONE;
  }

  /**
   * The number by which nodes know an open. The coordinator counts opens anew when it is restarted,
   * while capabilities and what was revoked live on: so it counts from a point of its own.
   */
  long numberOf(Open open) {
    return firstNumber + open.number();
  }

  /** When what is issued now expires. */
  long untilMillis() {
    return env.wallMillis() + lifetimeMillis;
  }

  /** All ranks of a group have the same user, so one capability is good for all. */
  Capability issue(Open open) {
    String user = open.group().founder.user();
    return secret
        .map(
            key ->
                Capabilities.seal(
                    key,
                    open.file(),
                    numberOf(open),
                    open.flags().read(),
                    open.flags().write(),
                    user,
                    untilMillis()))
        .orElse(Capability.NONE);
  }
}
