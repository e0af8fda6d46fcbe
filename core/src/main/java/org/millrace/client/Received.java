package org.millrace.client;

/**
 * A message from another rank.
 *
 * @param from the sender's number in the group
 * @param tag what it was sent with
 * @param bytes what it sent; the receiver's to keep
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record Received(int from, long tag, byte[] bytes) {}
