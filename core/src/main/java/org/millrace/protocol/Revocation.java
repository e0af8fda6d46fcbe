package org.millrace.protocol;

/**
 * Revoked capabilities: all that were issued for one open. Immutable.
 *
 * @param open the number that they bear
 * @param untilMillis when the last of them expires, in milliseconds since 1970; then nobody need
 *     remember this
 */
public record Revocation(long open, long untilMillis) {}
