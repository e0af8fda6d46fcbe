package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.message.Peer;
import org.millrace.protocol.Asking;
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
  private final long epoch;

  CapabilityIssuer(Env env, CoordinatorOptions options, Life life) {
    this.env = env;
    this.secret = options.secret();
    this.lifetimeMillis = options.capabilityMillis();
    this.epoch = life.number();
  }

  /** The number of the coordinator's life, which no other has. */
  long epoch() {
    return epoch;
  }

  /**
   * In whose name a session writes. One that has come back from an earlier life stays the holder
   * that it was: nodes know it so.
   */
  Holder holder(Peer peer) {
    long since = Life.of(peer.session());
    return secret.isPresent()
        ? new Holder(since > 0 && since < epoch ? since : epoch, peer.session())
        : Holder.NONE;
  }

  /** Whether a capability is the seal of an open, and says what the open may do. */
  boolean isSealed(Capability capability) {
    return secret.filter(key -> Capabilities.isSealed(key, capability)).isPresent();
  }

  /** When what is issued now expires. */
  long untilMillis() {
    return env.wallMillis() + lifetimeMillis;
  }

  /** The right to ask nodes about files that an answer to a session speaks of, in its order. */
  Asking asking(Peer peer, List<Long> files) {
    return secret
        .map(key -> Capabilities.seal(key, peer.user(), untilMillis(), files))
        .orElse(Asking.NONE);
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
                    open.number(),
                    open.flags().read(),
                    open.flags().write(),
                    user,
                    untilMillis()))
        .orElse(Capability.NONE);
  }
}
