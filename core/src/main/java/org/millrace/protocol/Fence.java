package org.millrace.protocol;

/**
 * A session that ended at the coordinator while it held locks: no write in its name is carried out
 * any more. Immutable.
 *
 * @param number counted up by the coordinator, from 1 in each of its lives
 * @param session the session at the coordinator
 * @param untilMillis when the last of its capabilities expires, in milliseconds since 1970; then
 *     nobody need remember this
 */
public record Fence(long number, long session, long untilMillis) {}
