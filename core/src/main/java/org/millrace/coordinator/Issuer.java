package org.millrace.coordinator;

import java.util.Optional;
import org.millrace.env.Env;
import org.millrace.protocol.Capabilities;
import org.millrace.protocol.Capability;
import org.millrace.wire.Secret;

/**
 * Makes capabilities: for the user whose group opened a file, for what it was opened for, and for a
 * limited time. Without a secret nobody can check any, and all are {@link Capability#NONE}.
 * Immutable.
 */
final class Issuer {

  private final Env env;
  private final Optional<Secret> secret;
  private final long lifeMillis;

  Issuer(Env env, CoordinatorOptions options) {
    this.env = env;
    this.secret = options.secret();
    this.lifeMillis = options.capabilityMillis();
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
                    open.flags().read(),
                    open.flags().write(),
                    user,
                    env.wallMillis() + lifeMillis))
        .orElse(Capability.NONE);
  }
}
