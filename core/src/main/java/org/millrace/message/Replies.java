package org.millrace.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.NobodyListensException;
import org.millrace.wire.Secret;
import org.millrace.wire.SharedMemory;

/**
 * A connection that this process made: first the greeting, then answers to a link's requests.
 *
 * <p>Called by one thread at a time, as {@link Connection.Handler} says; {@link #greet} by whoever
 * connects.
 */
final class Replies implements Connection.Handler {

  /** The welcome, as the answer to the greeting. */
  record Welcomed(Greeting.Welcome welcome) implements Message {}

  /** The refusal, as the answer to the greeting. */
  record TurnedAway(MillraceException why) implements Message {}

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Conversation link;

  // set before the connection starts
  private Connection connection;
  private PendingReply greeting;
  private Greeting.Hello hello;
  private @Nullable Secret secret;
  private @Nullable SharedMemory ring;
  private long silenceNanos;

  // owned by the thread that reads
  private boolean greeted;
  private String challenge = "";

  @SuppressWarnings("NullAway.Init") // set before the connection starts
  Replies(Conversation link) {
    this.link = link;
  }

  /**
   * Says who comes, and waits for the welcome.
   *
   * @throws NobodyListensException if there is a door, but nobody of that name behind it
   */
  Greeting.Welcome greet(
      Env env,
      Connection its,
      Greeting.Hello with,
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
    greeting = new PendingReply(env, "a greeting");
    its.start();
    its.send(FrameKind.HELLO, 0, 0, with.bytes());
    try {
      Message said = greeting.await(deadlineNanos);
      if (said instanceof TurnedAway refusal) {
        throw refusal.why.code() == ErrorCode.NODE
            ? new NobodyListensException(String.valueOf(refusal.why.getMessage()))
            : refusal.why.again();
      }
      return ((Welcomed) said).welcome;
    } catch (IOException e) {
      its.lose("the greeting failed");
      throw e;
    }
  }

  @Override
  public @Nullable Sink sink(Frame frame, ByteBuffer body) {
    return link.call(frame.id());
  }

  @Override
  public void onFrame(Frame frame, ByteBuffer body, @Nullable Sink sink) throws IOException {
    if (!greeted) {
      onGreeting(frame, body);
      return;
    }
    switch (frame.kind()) {
      case REPLY -> {
        Message message = link.codec().decode(new Decoder(body));
        RemoteCall call = link.answered(frame.id());
        if (call != null) {
          call.onAnswer(message);
        }
      }
      case DONE -> {
        long value = new Decoder(body).getLong();
        RemoteCall call = link.answered(frame.id());
        if (call != null) {
          call.onAnswer(new RemoteCall.Value(value));
        }
      }
      case FAILED -> {
        MillraceException error = Greeting.error(body);
        RemoteCall call = link.answered(frame.id());
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

  private void onGreeting(Frame frame, ByteBuffer body) throws IOException {
    switch (frame.kind()) {
      case CHALLENGE -> {
        Secret mine = secret;
        if (mine == null) {
          throw new MillraceException(ErrorCode.REFUSED, "the cluster's secret is needed");
        }
        challenge = new Decoder(body).getText();
        String proof = mine.seal(Greeting.proof("client", challenge, hello.nonce()));
        connection.send(FrameKind.PROOF, 0, 0, new Encoder().putText(proof).written());
      }
      case WELCOME -> {
        Greeting.Welcome welcome = Greeting.Welcome.of(body);
        Secret mine = secret;
        if (!connection.wire().identity().isKnown()
            && (mine == null
                || !mine.sealed(
                    Greeting.proof("server", hello.nonce(), challenge), welcome.proof()))) {
          throw new MillraceException(
              ErrorCode.REFUSED, "who answers does not know the cluster's secret");
        }
        greeted = true;
        connection.greeted();
        SharedMemory offered = ring;
        if (welcome.ring() && offered != null) {
          connection.share(offered.segment(), true);
        }
        greeting.reply(new Welcomed(welcome));
      }
      case REFUSED -> {
        greeting.reply(new TurnedAway(Greeting.error(body)));
        greeted = true;
        connection.lose("refused");
      }
      default -> throw new MillraceException(ErrorCode.PROTOCOL, "out of order: " + frame.kind());
    }
  }

  @Override
  public void onTick(long nowNanos) {
    if (nowNanos - connection.heardNanos() > silenceNanos) {
      connection.lose("nothing was heard for " + silenceNanos / 1_000_000 + " ms");
    } else if (connection.isStuck(nowNanos, silenceNanos)) {
      connection.lose("a frame did not become whole in " + silenceNanos / 1_000_000 + " ms");
    } else if (greeted && nowNanos - connection.saidNanos() > silenceNanos / 4) {
      connection.send(FrameKind.PING, 0, 0, NOTHING);
    }
  }

  @Override
  public void onLost(String why) {
    if (!greeted) {
      greeting.fail(new MillraceException(ErrorCode.NODE, why));
      return;
    }
    link.onLost(connection, why);
  }
}
