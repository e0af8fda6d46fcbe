package org.millrace.message;

import org.jspecify.annotations.Nullable;

/**
 * An endpoint that an acceptor serves.
 *
 * @param name by which clients ask for it
 * @param endpoint the endpoint
 * @param epoch new with each start, so that clients that reconnect notice a restart
 * @param memory for payloads
 * @param workers threads for requests that may block
 * @param active the requests that it is handling
 * @param returning which sessions of earlier lives may return; null if none ever may
 */
record ServedEndpoint(
    String name,
    Endpoint endpoint,
    long epoch,
    TransferMemory memory,
    Workers workers,
    ActiveRequests active,
    @Nullable ReturningSessions returning) {}
