package org.millrace.transfer;

import java.util.function.IntFunction;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.SharedBuffers;

/**
 * What a participant needs for transfers: links, memory that others can reach, and the timeout for
 * an answer.
 *
 * <p>Safe for use by several threads: holds no state of its own. The session that made it closes
 * what it names.
 *
 * @param env its clock
 * @param operationNanos the longest time of one request
 * @param participant its number
 * @param nodes links to the nodes
 * @param participants gives a link to another participant
 * @param sharedBuffers memory that nodes and participants in other processes can reach
 * @param buffers memory of collective calls
 */
public record TransferContext(
    Env env,
    long operationNanos,
    int participant,
    NodeLinks nodes,
    IntFunction<Link> participants,
    SharedBuffers sharedBuffers,
    CallBuffers buffers) {

  /** The instant at which an operation that begins now must have ended. */
  long deadline() {
    return env.deadlineAfter(operationNanos);
  }
}
