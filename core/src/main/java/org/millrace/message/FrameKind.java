package org.millrace.message;

import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** The kind of a frame. The numbers are part of the protocol. */
enum FrameKind {
  /** The client's identity and the endpoint it wants. */
  HELLO(1),
  /** Asks the client to prove that it knows the secret. */
  CHALLENGE(2),
  /** The proof. */
  PROOF(3),
  /** The client is accepted. */
  WELCOME(4),
  /** The client is refused, with the reason. */
  REFUSED(5),
  /** A request: a message. */
  REQUEST(6),
  /** The answer to a request: a message, and what of the payload travels back. */
  REPLY(7),
  /** A request or verb failed: code and text. */
  FAILED(8),
  /** Reads: key, offset, length. */
  GET(9),
  /** Writes: key, offset, length; the bytes are the payload. */
  PUT(10),
  /** Moves a pointer: key, delta, floor, limit. */
  ADVANCE(11),
  /** The answer to a verb: a number; bytes that were read are the payload. */
  DONE(12),
  /** Says what will be wanted: key, offset, length. Not answered. */
  HINT(13),
  /** The receiver of a request has memory for its payload now. */
  PULL(14),
  /** The payload that was pulled. */
  PAYLOAD(15),
  /** Are you there? */
  PING(16),
  /** Yes. */
  PONG(17),
  /** The session ends in order. */
  BYE(18),
  /** Shared memory in which payloads may lie from now on: number, bytes, name of its file. */
  SLAB(19),
  /** Answers have arrived above one that has not: how many, their numbers. */
  ARRIVED(20);

  private final int number;

  FrameKind(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  static FrameKind of(int number) throws MillraceException {
    for (FrameKind kind : values()) {
      if (kind.number == number) {
        return kind;
      }
    }
    throw new MillraceException(ErrorCode.PROTOCOL, "a frame of the unknown kind " + number);
  }
}
