package org.millrace.message;

/**
 * An endpoint that an acceptor serves.
 *
 * @param name by which clients ask for it
 * @param endpoint the endpoint
 * @param epoch new with each start, so that clients that reconnect notice a restart
 * @param memory for payloads
 * @param workers threads for requests that may block
 * @param active the requests that it is handling
 */
record ServedEndpoint(
    String name,
    Endpoint endpoint,
    long epoch,
    TransferMemory memory,
    Workers workers,
    ActiveRequests active) {}
