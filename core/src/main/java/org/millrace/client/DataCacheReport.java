package org.millrace.client;

/**
 * Size and hit counts of a rank's cache of remote blocks.
 *
 * @param limitBytes what they may take
 * @param bytes what they take
 * @param hits blocks, or parts of them, that were read from a copy
 * @param misses blocks that were asked for at their nodes
 */
public record DataCacheReport(long limitBytes, long bytes, long hits, long misses) {}
