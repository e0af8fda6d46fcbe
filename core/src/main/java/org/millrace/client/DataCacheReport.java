package org.millrace.client;

/**
 * What a rank's copies of remote blocks take, and what they were good for.
 *
 * @param limitBytes what they may take
 * @param bytes what they take
 * @param hits blocks, or parts of them, that were read from a copy
 * @param misses blocks that were asked for at their nodes
 */
public record DataCacheReport(long limitBytes, long bytes, long hits, long misses) {}
