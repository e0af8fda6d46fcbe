package org.millrace.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.RankRequest;
import org.millrace.testing.Eventually;

/** A rank that has received a message and ends at once. */
final class MailboxTest {

  private final Env env = Env.real();
  private final List<String> course = new CopyOnWriteArrayList<>();
  private final CountDownLatch goOn = new CountDownLatch(1);

  /** A sender that is told late: the message is there before. */
  private final class Slow implements ReplyTo {
    @Override
    public void reply(Message reply) {
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      course.add("the sender knows");
    }

    @Override
    public void fail(MillraceException error) {
      course.add(error.code() + " " + error);
    }
  }

  /**
   * Between processes the sender would else take it for a failure that the receiver has ended. The
   * bytes come with the message, or are fetched.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void endsWhenTheSendersOfWhatItReceivedKnow(boolean whole) throws Exception {
    Mailbox mailbox = new Mailbox(env, 1000, new Outbox(env), (_, into) -> into.fill((byte) 7));
    var head = new RankRequest.Deliver(1, 0, 5, 1, 3, 0, whole);
    Payload bytes = Payload.of(MemorySegment.ofArray(new byte[] {7, 7, 7}));
    FutureTask<Void> delivering =
        new FutureTask<>(() -> mailbox.onRequest(new Peer(1, "u"), head, bytes, new Slow()), null);
    Thread.ofPlatform().daemon().start(delivering);
    FutureTask<Void> receiver =
        new FutureTask<>(
            () -> {
              course.add(received(mailbox));
              mailbox.close();
              course.add("ended");
              return null;
            });
    Thread thread = Thread.ofPlatform().daemon().start(receiver);
    Eventually.holds(
        "it waits for its sender, or has ended",
        () -> receiver.isDone() || (!course.isEmpty() && isParked(thread)));
    goOn.countDown();
    receiver.get();
    delivering.get();
    assertThat(course).containsExactly("received 3", "the sender knows", "ended");
  }

  @Test
  void aSenderWhoseMessageCannotBeFetchedIsTold() throws Exception {
    Mailbox mailbox =
        new Mailbox(
            env,
            1000,
            new Outbox(env),
            (_, _) -> {
              throw new IllegalStateException("a mistake");
            });
    var head = new RankRequest.Deliver(1, 0, 5, 1, 3, 0, false);
    mailbox.onRequest(new Peer(1, "u"), head, Payload.NONE, new Slow());
    Eventually.holds("the sender is told", () -> !course.isEmpty());
    assertThat(course.getFirst()).contains("RANK_FAILED").contains("a mistake");
    mailbox.close();
  }

  private static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  private static String received(Mailbox mailbox) throws IOException {
    Mailbox.Incoming message = mailbox.take(1, 0, 5, 100, Env.NEVER);
    return "received " + requireNonNull(message).head().bytes();
  }
}
