package org.millrace.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Greeting.Hello;
import org.millrace.wire.Hub;
import org.millrace.wire.Identity;
import org.millrace.wire.SharedMemory;
import org.millrace.wire.Wire;

/**
 * A connection that came in through a door: first the greeting, then a session's frames.
 *
 * <pre>
 *   new --HELLO--&gt; [challenged --PROOF--&gt;] serving --BYE, lost--&gt; over
 * </pre>
 *
 * <p>Called by one thread at a time, as {@link Connection.Handler} says.
 */
final class Incoming implements Connection.Handler {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // constant after construction
  private final Env env;
  private final OpenDoor door;
  private final long bornNanos;
  private final Connection connection;
  private volatile boolean welcomed;

  // owned by the thread that reads
  private @Nullable Hello hello;
  private String challenge = "";
  private @Nullable ServerSession session;
  private @Nullable Service service;

  Incoming(Env env, OpenDoor door, Hub hub, Wire wire) {
    this.env = env;
    this.door = door;
    this.bornNanos = env.nanoTime();
    this.connection = new Connection(env, hub, wire, this);
  }

  Connection connection() {
    return connection;
  }

  @Override
  public @Nullable Sink sink(Frame frame, ByteBuffer body) throws IOException {
    Service now = service;
    if (now == null) {
      throw new MillraceException(ErrorCode.PROTOCOL, "a payload before the greeting");
    }
    return now.sink(frame, body);
  }

  @Override
  public void onFrame(Frame frame, ByteBuffer body, @Nullable Sink sink) throws IOException {
    Service now = service;
    ServerSession its = session;
    if (now == null || its == null) {
      greet(frame, body);
      return;
    }
    switch (frame.kind()) {
      case PING -> connection.send(FrameKind.PONG, 0, 0, NOTHING);
      case PONG -> {}
      case BYE -> {
        door.end(its, "its link was closed");
        connection.lose("the session has ended");
      }
      case SLAB -> its.onSlab(body);
      case ARRIVED -> its.onArrived(body);
      default -> now.onFrame(frame, body, (MemorySink) sink);
    }
  }

  /** The door is being closed; for any thread. */
  void sayGoodbye() {
    if (welcomed) {
      connection.send(FrameKind.BYE, 0, 0, NOTHING);
    }
  }

  private void greet(Frame frame, ByteBuffer body) throws IOException {
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
    if (fresh.version() != Greeting.VERSION) {
      refuse(
          "this is version %d of the protocol, you speak version %d"
              .formatted(Greeting.VERSION, fresh.version()));
      return;
    }
    hello = fresh;
    Identity identity = connection.wire().identity();
    if (identity.isKnown()) {
      admit(fresh, identity, "");
      return;
    }
    if (door.secret() == null) {
      refuse("nobody vouches for you: connect through a Unix-domain socket or TLS");
      return;
    }
    challenge = Greeting.nonce(env);
    connection.send(FrameKind.CHALLENGE, 0, 0, new Encoder().putText(challenge).written());
  }

  private void onProof(Hello known, String proof) throws IOException {
    var secret = door.secret();
    if (secret == null
        || !secret.sealed(Greeting.proof("client", challenge, known.nonce()), proof)) {
      refuse("you do not know the cluster's secret");
      return;
    }
    String mine = secret.seal(Greeting.proof("server", known.nonce(), challenge));
    admit(known, door.owner(), mine);
  }

  private void admit(Hello known, Identity identity, String proof) {
    try {
      SharedMemory ring = door.ring(known, connection);
      boolean near = known.ring().isEmpty() || ring != null; // else nothing can be shared
      OpenDoor.Admission admission = door.admit(known, identity, near ? connection : null);
      session = admission.session();
      service = new Service(env, admission.session());
      connection.greeted();
      Served served = admission.session().served;
      var welcome =
          new Greeting.Welcome(
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

  private void refuse(String why) {
    refuse(ErrorCode.REFUSED, why);
  }

  private void refuse(ErrorCode code, String why) {
    connection.send(FrameKind.REFUSED, 0, 0, Greeting.error(code, why));
    connection.lose("refused: " + why);
  }

  @Override
  public void onTick(long nowNanos) {
    if (session == null) {
      if (nowNanos - bornNanos > door.options().greetingNanos()) {
        connection.lose("it did not say who it is");
      }
      return;
    }
    long silence = door.options().silenceNanos();
    if (nowNanos - connection.heardNanos() > silence) {
      ServerSession its = session;
      if (its != null) {
        door.end(its, "nothing was heard of it for " + silence / 1_000_000 + " ms");
      }
    } else if (session.isStalled(nowNanos, silence) || connection.isBlocked(nowNanos, silence)) {
      door.end(session, "it neither sends nor reads what it should");
    } else if (connection.isStuck(nowNanos, silence)) {
      connection.lose("a frame did not become whole in " + silence / 1_000_000 + " ms");
    } else if (nowNanos - connection.saidNanos() > silence / 4) {
      connection.send(FrameKind.PING, 0, 0, NOTHING);
    }
  }

  @Override
  public void onLost(String why) {
    ServerSession its = session;
    if (its != null) {
      its.detach(connection);
    }
    door.forget(this);
  }
}
