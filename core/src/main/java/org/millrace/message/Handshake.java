package org.millrace.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** The first messages of a connection, and their encoding. */
final class Handshake {

  static final int VERSION = 15;

  private static final byte[] MAGIC = "MILLRACE".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_NAME = 256;

  private Handshake() {}

  /**
   * What a client announces.
   *
   * @param version of the protocol that it speaks
   * @param endpoint what it wants to reach
   * @param session of the link, if it was here before; else 0
   * @param token what it was given then; else empty
   * @param nonce chance, for the proof
   * @param ring file of shared memory for frames; empty if there is none
   */
  record Hello(
      int version, String endpoint, long session, String token, String nonce, String ring) {

    ByteBuffer bytes() {
      Encoder to = new Encoder().putBytes(MAGIC).putInt(version).putText(endpoint);
      return to.putLong(session).putText(token).putText(nonce).putText(ring).written();
    }

    /** Reads a HELLO; if its version is another one, only the version is read. */
    static Hello of(ByteBuffer bytes) throws MillraceException {
      Decoder from = new Decoder(bytes);
      for (byte expected : MAGIC) {
        if ((byte) from.getByte() != expected) {
          throw new MillraceException(ErrorCode.PROTOCOL, "not a handshake of Millrace");
        }
      }
      int version = from.getInt();
      if (version != VERSION) {
        return new Hello(version, "", 0, "", "", "");
      }
      Hello hello =
          new Hello(
              version,
              from.getText(),
              from.getLong(),
              from.getText(),
              from.getText(),
              from.getText());
      from.end();
      if (hello.endpoint.length() > MAX_NAME) {
        throw from.wrong("a name of " + hello.endpoint.length() + " characters");
      }
      return hello;
    }
  }

  /**
   * What an accepted client is told.
   *
   * @param epoch of the endpoint
   * @param session its session, now or as before
   * @param token to come back with
   * @param transferBytes how much memory the endpoint has for payloads
   * @param proof that the listener knows the secret; empty where that was not asked
   * @param shared whether payloads may lie in memory that both share
   * @param ring whether frames go through shared memory from now on
   */
  record Welcome(
      long epoch,
      long session,
      String token,
      long transferBytes,
      String proof,
      boolean shared,
      boolean ring) {

    ByteBuffer bytes() {
      Encoder to = new Encoder().putInt(VERSION).putLong(epoch).putLong(session).putText(token);
      return to.putLong(transferBytes).putText(proof).putBoolean(shared).putBoolean(ring).written();
    }

    static Welcome of(ByteBuffer bytes) throws MillraceException {
      Decoder from = new Decoder(bytes);
      int version = from.getInt();
      if (version != VERSION) {
        throw from.wrong("a welcome of version " + version);
      }
      Welcome welcome =
          new Welcome(
              from.getLong(),
              from.getLong(),
              from.getText(),
              from.getLong(),
              from.getText(),
              from.getBoolean(),
              from.getBoolean());
      from.end();
      return welcome;
    }
  }

  /** An error as the body of a frame; of a refusal every version reads it. */
  static ByteBuffer error(ErrorCode code, String message) {
    return new Encoder().putInt(code.number()).putText(message).written();
  }

  /** The same of a request that failed, with a detail if there is one. */
  static ByteBuffer error(ErrorCode code, String message, int detail) {
    return detail == 0
        ? error(code, message)
        : new Encoder().putInt(code.number()).putText(message).putInt(detail).written();
  }

  /** The error in the body of a frame. */
  static MillraceException error(ByteBuffer body) throws MillraceException {
    Decoder from = new Decoder(body);
    ErrorCode code = ErrorCode.of(from.getInt());
    String message = from.getText();
    int detail = from.left() == 0 ? 0 : from.getInt();
    from.end();
    return MillraceException.of(code, message).withDetail(detail);
  }

  /** What is sealed to prove that one knows the secret. */
  static byte[] proof(String role, String mine, String theirs) {
    return (role + " " + mine + " " + theirs).getBytes(StandardCharsets.UTF_8);
  }

  /** Chance as text. */
  static String nonce(Env env) {
    return HexFormat.of().formatHex(env.secretBytes(16));
  }
}
