package org.millrace.protocol;

/**
 * Names one collective call among all: the sequence number of its begin on a channel of a group.
 *
 * @param group the group
 * @param channel the channel, that of an open file
 * @param sequence the number of its begin
 */
public record CollectiveId(long group, long channel, long sequence) {}
