package org.millrace.message;

/**
 * An endpoint behind a door.
 *
 * @param name how it is asked for
 * @param endpoint the endpoint
 * @param epoch new with each start, so that who comes back notices
 * @param memory for payloads
 * @param workers who handle what may wait
 */
record Served(String name, Endpoint endpoint, long epoch, TransferMemory memory, Workers workers) {}
