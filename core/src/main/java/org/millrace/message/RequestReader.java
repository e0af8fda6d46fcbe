package org.millrace.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Handshake.Hello;
import org.millrace.wire.EventLoop;
import org.millrace.wire.Identity;
import org.millrace.wire.SharedMemory;
import org.millrace.wire.TlsChannel;
import org.millrace.wire.Wire;

/**
 * An accepted connection: first the handshake, then a session's frames.
 *
 * <pre>
 *   new --HELLO--&gt; [challenged --PROOF--&gt;] serving --BYE, lost--&gt; over
 * </pre>
 *
 * <p>Called by one thread at a time, as {@link Connection.Handler} says.
 */
final class RequestReader implements Connection.Handler {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  private final Env env;
  private final ListeningAcceptor acceptor;
  private final long bornNanos;
  private final Connection connection;
  private volatile boolean welcomed;

  // owned by the thread that reads
  private @Nullable Hello hello;
  private String challenge = "";
  private @Nullable ServerSession session;
  private @Nullable RequestDispatcher service;

  RequestReader(Env env, ListeningAcceptor acceptor, EventLoop loop, Wire wire) {
    this.env = env;
    this.acceptor = acceptor;
    this.bornNanos = env.nanoTime();
    this.connection = new Connection(env, loop, wire, this);
  }

  Connection connection() {
    return connection;
  }

  @Override
  public @Nullable Sink sink(FrameHeader frame, ByteBuffer body) throws IOException {
    RequestDispatcher now = service;
    if (now == null) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a payload before the handshake");
    }
    return now.sink(frame, body);
  }

  @Override
  public void onFrame(FrameHeader frame, ByteBuffer body, @Nullable Sink sink) throws IOException {
    RequestDispatcher now = service;
    ServerSession its = session;
    if (now == null || its == null) {
      handshake(frame, body);
      return;
    }
    switch (frame.kind()) {
      case PING -> connection.send(FrameKind.PONG, 0, 0, NOTHING);
      case PONG -> {}
      case BYE -> {
        acceptor.end(its, "its link was closed");
        connection.lose("the session has ended");
      }
      case SLAB -> its.onSlab(body);
      case ARRIVED -> its.onArrived(body);
      default -> now.onFrame(frame, body, (MemorySink) sink);
    }
  }

  /** Says goodbye because the acceptor is being closed. Any thread may call it. */
  void sayGoodbye() {
    if (welcomed) {
      connection.send(FrameKind.BYE, 0, 0, NOTHING);
    }
  }

  private void handshake(FrameHeader frame, ByteBuffer body) throws IOException {
    try {
      shakeHands(frame, body);
    } catch (MillraceException e) {
      acceptor.onRefused("a connection: " + e.getMessage());
      throw e;
    }
  }

  private void shakeHands(FrameHeader frame, ByteBuffer body) throws IOException {
    Hello known = hello;
    if (known == null && frame.kind() == FrameKind.HELLO) {
      onHello(Hello.of(body));
    } else if (known != null && frame.kind() == FrameKind.PROOF) {
      onProof(known, new Decoder(body).getText());
    } else {
      throw new MillraceException(ErrorCode.PROTOCOL, "out of order: " + frame.kind());
    }
  }

  private void onHello(Hello fresh) throws IOException {
    if (fresh.version() != Handshake.VERSION) {
      refuse(
          "this is version %s of the protocol, you speak version %s"
              .formatted(Handshake.VERSION, fresh.version()));
      return;
    }
    hello = fresh;
    Identity identity = connection.wire().identity();
    if (identity.isKnown()) {
      admit(fresh, identity, "");
      return;
    }
    if (acceptor.secret() == null) {
      refuse("your user is not authenticated: connect through a Unix-domain socket or TLS");
      return;
    }
    challenge = Handshake.nonce(env);
    connection.send(FrameKind.CHALLENGE, 0, 0, new Encoder().putText(challenge).written());
  }

  private void onProof(Hello known, String proof) throws IOException {
    var secret = acceptor.secret();
    if (secret == null
        || !secret.sealed(Handshake.proof("client", challenge, known.nonce()), proof)) {
      refuse("you do not know the cluster's secret");
      return;
    }
    String mine = secret.seal(Handshake.proof("server", known.nonce(), challenge));
    admit(known, acceptor.owner(), mine);
  }

  private void admit(Hello known, Identity identity, String proof) {
    try {
      SharedMemory ring = acceptor.ring(known, connection);
      boolean sameHost = known.ring().isEmpty() || ring != null; // else nothing can be shared
      ListeningAcceptor.Admission admission =
          acceptor.admit(known, identity, sameHost ? connection : null);
      session = admission.session();
      service = new RequestDispatcher(env, admission.session());
      connection.endHandshake();
      ServedEndpoint served = admission.session().served;
      var welcome =
          new Handshake.Welcome(
              served.epoch(),
              admission.session().peer.session(),
              admission.session().token,
              served.memory().bound(),
              proof,
              admission.session().isShared(),
              ring != null);
      connection.send(FrameKind.WELCOME, 0, 0, welcome.bytes());
      if (ring != null) {
        connection.share(ring.segment(), false);
      }
      welcomed = true;
      admission.session().attach(connection);
    } catch (MillraceException e) {
      refuse(e.code(), String.valueOf(e.getMessage()));
    }
  }

  private void refuse(String reason) {
    String user = connection.wire().identity().user();
    acceptor.onRefused(
        "a session%s: it was told: %s".formatted(user.isEmpty() ? "" : " of user " + user, reason));
    refuse(ErrorCode.REFUSED, reason);
  }

  private void refuse(ErrorCode code, String reason) {
    connection.send(FrameKind.REFUSED, 0, 0, Handshake.error(code, reason));
    connection.lose("refused: " + reason);
  }

  @Override
  public void onTick(long nowNanos) {
    if (session == null) {
      if (nowNanos - bornNanos > acceptor.options().handshakeNanos()) {
        connection.lose("it did not identify itself in time");
      }
      return;
    }
    long silence = acceptor.options().silenceNanos();
    if (nowNanos - connection.lastReceivedNanos() > silence) {
      ServerSession its = session;
      if (its != null) {
        acceptor.end(its, "nothing was received from it for " + silence / 1_000_000 + " ms");
      }
    } else if (session.isStalled(nowNanos, silence) || connection.isBlocked(nowNanos, silence)) {
      acceptor.end(session, "it neither sends nor reads what it should");
    } else if (connection.isStuck(nowNanos, silence)) {
      connection.lose("a frame was incomplete after " + silence / 1_000_000 + " ms");
    } else if (nowNanos - connection.lastSentNanos() > silence / 4) {
      connection.send(FrameKind.PING, 0, 0, NOTHING);
    }
  }

  @Override
  public void onLost(String reason) {
    ServerSession its = session;
    if (its != null) {
      its.detach(connection);
    } else if (reason.startsWith(TlsChannel.FAILED)) {
      acceptor.onRefused("a connection: " + reason);
    }
    acceptor.forget(this);
  }
}
