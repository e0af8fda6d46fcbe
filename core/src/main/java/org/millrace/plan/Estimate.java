package org.millrace.plan;

/**
 * The estimated cost of a strategy for a request. Immutable.
 *
 * <p>A transfer is one request that storage serves: a run of the direct method, a list of the
 * sieved one, a chunk of the two-phase ones, a block of the disk-directed one. A byte passed over
 * is one that lies within a transfer though nobody wants it, or once more for each time beyond the
 * first that it is transferred.
 *
 * @param strategy which
 * @param nanos how long it would take
 * @param transfers how many requests storage would serve
 * @param transferBytes how many bytes of the file each would cover, on average
 * @param unwantedBytes bytes passed over, in all
 * @param messages between ranks, and between ranks and nodes
 * @param bufferBytes memory for buffers, on all ranks and nodes together
 */
public record Estimate(
    Strategy strategy,
    double nanos,
    long transfers,
    long transferBytes,
    long unwantedBytes,
    long messages,
    long bufferBytes) {}
