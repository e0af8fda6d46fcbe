package org.millrace.protocol;

import java.nio.ByteBuffer;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.message.Message;
import org.millrace.message.PayloadLayout;

/**
 * What any bytes must pass: they are a message that is read again as it was written, and whose
 * payload layout can be told, or they are refused with PROTOCOL. Jazzer calls this by its name; the
 * seeded test calls it, too.
 */
public final class FuzzTarget {

  /** A payload beyond this is refused by its size before anybody walks through it. */
  private static final long MAX_MEMORY = 1 << 16;

  private FuzzTarget() {}

  /** Decodes some bytes. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    check(bytes);
  }

  /** Decodes some bytes. True if they were a message. */
  static boolean check(byte[] bytes) {
    WireCodec codec = WireCodec.INSTANCE;
    Message message;
    try {
      message = codec.decode(new Decoder(ByteBuffer.wrap(bytes)));
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.PROTOCOL) {
        throw new AssertionError("refused with " + e.code(), e);
      }
      return false;
    }
    Encoder again = new Encoder();
    codec.encode(message, again);
    try {
      Message second = codec.decode(new Decoder(again.written()));
      if (!second.equals(message)) {
        throw new AssertionError(message + " became " + second);
      }
    } catch (MillraceException e) {
      throw new AssertionError(message + " was refused", e);
    }
    codec.isQuick(message);
    codec.isRepeatable(message);
    PayloadLayout payloadLayout = codec.payloadLayout(message);
    if (payloadLayout.size() <= MAX_MEMORY && payloadLayout.bytes() > payloadLayout.size()) {
      throw new AssertionError(message + " has " + payloadLayout.bytes() + " bytes of payload");
    }
    return true;
  }
}
