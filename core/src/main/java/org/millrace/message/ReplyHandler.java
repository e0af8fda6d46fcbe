package org.millrace.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.NoListenerException;
import org.millrace.wire.Secret;
import org.millrace.wire.SharedMemory;

/**
 * A connection that this process made: first the handshake, then replies to a link's requests.
 *
 * <p>Called by one thread at a time, as {@link Connection.Handler} says; {@link #handshake} by the
 * thread that connects.
 */
final class ReplyHandler implements Connection.Handler {

  /** The server's WELCOME. */
  record Accepted(Handshake.Welcome welcome) implements Message {}

  /** The server's refusal. */
  record Refused(MillraceException reason) implements Message {}

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final ClientSession link;

  // set before the connection starts
  private Connection connection;
  private PendingReply handshake;
  private Handshake.Hello hello;
  private @Nullable Secret secret;
  private @Nullable SharedMemory ring;
  private long silenceNanos;

  // owned by the thread that reads
  private boolean handshakeDone;
  private String challenge = "";

  @SuppressWarnings("NullAway.Init") // set before the connection starts
  ReplyHandler(ClientSession link) {
    this.link = link;
  }

  /**
   * Sends HELLO and waits for WELCOME.
   *
   * @throws NoListenerException if a process listens there but serves no endpoint of that name
   */
  Handshake.Welcome handshake(
      Env env,
      Connection its,
      Handshake.Hello with,
      @Nullable Secret known,
      @Nullable SharedMemory offered,
      long silence,
      long deadlineNanos)
      throws IOException {
    connection = its;
    hello = with;
    secret = known;
    ring = offered;
    silenceNanos = silence;
    handshake = new PendingReply(env, "a handshake");
    its.start();
    its.send(FrameKind.HELLO, 0, 0, with.bytes());
    try {
      Message said = handshake.await(deadlineNanos);
      if (said instanceof Refused refusal) {
        throw refusal.reason.code() == ErrorCode.NODE
            ? new NoListenerException(String.valueOf(refusal.reason.getMessage()))
            : refusal.reason.again();
      }
      return ((Accepted) said).welcome;
    } catch (IOException e) {
      its.lose("the handshake failed");
      throw e;
    }
  }

  @Override
  public @Nullable Sink sink(FrameHeader frame, ByteBuffer body) {
    return link.call(frame.id());
  }

  @Override
  public void onFrame(FrameHeader frame, ByteBuffer body, @Nullable Sink sink) throws IOException {
    if (!handshakeDone) {
      onGreeting(frame, body);
      return;
    }
    switch (frame.kind()) {
      case REPLY -> {
        Message message = link.codec().decode(new Decoder(body));
        RemoteCall call = link.answered(connection, frame.id(), message);
        if (call != null) {
          call.onAnswer(message);
        }
      }
      case DONE -> {
        Decoder from = new Decoder(body);
        var value = new RemoteCall.Value(from.getLong());
        long stamp = from.left() == 0 ? RequestDispatcher.UNSURE : from.getLong();
        RemoteCall call = link.moved(connection, frame.id(), value, stamp);
        if (call != null) {
          call.onAnswer(value);
        }
      }
      case FAILED -> {
        MillraceException error = Handshake.error(body);
        RemoteCall call = link.failed(connection, frame.id(), error);
        if (call != null) {
          call.onRefusal(error);
        }
      }
      case PULL -> link.onPull(connection, frame.id());
      case BYE -> link.onBye();
      case PING -> connection.send(FrameKind.PONG, 0, 0, NOTHING);
      case PONG -> {}
      default -> throw new MillraceException(ErrorCode.PROTOCOL, "out of order: " + frame.kind());
    }
  }

  private void onGreeting(FrameHeader frame, ByteBuffer body) throws IOException {
    switch (frame.kind()) {
      case CHALLENGE -> {
        Secret mine = secret;
        if (mine == null) {
          throw new MillraceException(ErrorCode.REFUSED, "the cluster's secret is needed");
        }
        challenge = new Decoder(body).getText();
        String proof = mine.seal(Handshake.proof("client", challenge, hello.nonce()));
        connection.send(FrameKind.PROOF, 0, 0, new Encoder().putText(proof).written());
      }
      case WELCOME -> {
        Handshake.Welcome welcome = Handshake.Welcome.of(body);
        Secret mine = secret;
        if (!connection.wire().identity().isKnown()
            && (mine == null
                || !mine.sealed(
                    Handshake.proof("server", hello.nonce(), challenge), welcome.proof()))) {
          throw new MillraceException(
              ErrorCode.REFUSED, "the server does not know the cluster's secret");
        }
        handshakeDone = true;
        connection.endHandshake();
        SharedMemory offered = ring;
        if (welcome.ring() && offered != null) {
          connection.share(offered.segment(), true);
        }
        handshake.reply(new Accepted(welcome));
      }
      case REFUSED -> {
        handshake.reply(new Refused(Handshake.error(body)));
        handshakeDone = true;
        connection.lose("refused");
      }
      default -> throw new MillraceException(ErrorCode.PROTOCOL, "out of order: " + frame.kind());
    }
  }

  @Override
  public void onTick(long nowNanos) {
    if (nowNanos - connection.lastReceivedNanos() > silenceNanos) {
      connection.lose("nothing was received for " + silenceNanos / 1_000_000 + " ms");
    } else if (connection.isStuck(nowNanos, silenceNanos)) {
      connection.lose("a frame was incomplete after " + silenceNanos / 1_000_000 + " ms");
    } else if (handshakeDone && nowNanos - connection.lastSentNanos() > silenceNanos / 4) {
      connection.send(FrameKind.PING, 0, 0, NOTHING);
    }
  }

  @Override
  public void onLost(String reason) {
    if (!handshakeDone) {
      handshake.fail(new MillraceException(ErrorCode.NODE, reason));
      return;
    }
    link.onLost(connection, reason);
  }
}
