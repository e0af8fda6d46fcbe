package org.millrace.protocol;

import java.nio.ByteBuffer;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Cargo;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.message.Message;

/**
 * What any bytes must pass: they are a message that is read again as it was written, and whose
 * cargo can be told, or they are refused with PROTOCOL. Jazzer calls this by its name; the seeded
 * test calls it, too.
 */
public final class FuzzTarget {

  /** Cargo beyond this is refused by its size before anybody walks through it. */
  private static final long MOST_MEMORY = 1 << 16;

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
    Cargo cargo = codec.cargo(message);
    if (cargo.size() <= MOST_MEMORY && cargo.bytes() > cargo.size()) {
      throw new AssertionError(message + " has " + cargo.bytes() + " bytes of cargo");
    }
    return true;
  }
}
