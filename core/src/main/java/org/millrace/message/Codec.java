package org.millrace.message;

import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;

/**
 * Encodes and decodes messages. The transport does not know any message; {@code protocol} provides
 * this.
 *
 * <p>Safe for use by several threads; holds no state.
 */
public interface Codec {

  /** Writes a message, its kind first. */
  void encode(Message message, Encoder to);

  /**
   * Reads a message of another process, which may be wrong or hostile: takes nothing for granted,
   * and no more memory than the bytes it was given justify.
   *
   * @throws MillraceException PROTOCOL if the bytes are no message, with what and where
   */
  Message decode(Decoder from) throws MillraceException;

  /**
   * As {@link #decode}, of what must be a request: anything else is refused before a field of it is
   * read, as answers may be short and yet large in memory.
   */
  default Message decodeRequest(Decoder from) throws MillraceException {
    return decode(from);
  }

  /** How large a request's payload is, and what of it travels. */
  PayloadLayout payloadLayout(Message request);

  /**
   * The request for the bytes {@code from} to before {@code to} of a request's payload, so that its
   * parts together do what the request does; null if it cannot be divided.
   */
  @Nullable Message part(Message request, long from, long to);

  /**
   * Whether handling a request twice has the effect of handling it once: then it is simply sent
   * again when a connection was lost. The answers of all others are kept until they have arrived.
   */
  boolean isRepeatable(Message request);

  /**
   * Whether the endpoint answers without waiting for anything but its own locks and memory, so that
   * the thread that reads a connection may handle it.
   */
  boolean isQuick(Message request);
}
