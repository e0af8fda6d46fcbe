package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.Eventually;
import org.millrace.wire.Address;

/** Threads that wait for an answer and read their socket, or their ring, themselves. */
abstract class AnswerReaderContract {

  private static final long LONG = 300_000_000_000L;

  @TempDir private Path folder;

  private final boolean sharedMemory;
  private final Env env = Env.real();
  private final TestEndpoint endpoint = new TestEndpoint(1 << 10);
  private Transport server;
  private Transport client;
  private Link link;

  AnswerReaderContract(boolean sharedMemory) {
    this.sharedMemory = sharedMemory;
  }

  @BeforeEach
  void connect() throws IOException {
    TransportOptions options = TransportOptions.DEFAULT.withSharedMemory(sharedMemory);
    server = Transport.open(env, new TestEndpoint.Words(), options);
    client = Transport.open(env, new TestEndpoint.Words(), options);
    Acceptor acceptor = server.listen(new Address.Unix(folder.resolve("s").toString()));
    acceptor.serve("test", endpoint);
    link = client.connect(acceptor.address(), "test", env.deadlineAfter(LONG));
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  /** A thread that waits for the answer to a request, which the endpoint delays. */
  private final class Waiting {

    final CompletableFuture<Message> outcome = new CompletableFuture<>();
    final AtomicReference<Thread> told = new AtomicReference<>();
    final Thread thread;
    final ReplyTo gate;

    Waiting(Function<Runnable, Thread> maker, long timeoutNanos) throws IOException {
      Pending call = link.start(new TestEndpoint.Wait(), MemorySegment.NULL);
      call.whenDone(() -> told.set(Thread.currentThread()));
      thread =
          maker.apply(
              () -> {
                try {
                  outcome.complete(call.await(env.deadlineAfter(timeoutNanos)));
                } catch (IOException | RuntimeException e) {
                  outcome.completeExceptionally(e);
                }
              });
      Eventually.holds("the request has come", () -> !endpoint.waiting.isEmpty());
      gate = endpoint.waiting.remove();
    }

    boolean isReading() {
      return isIn(AnswerReader.class);
    }

    boolean isIn(Class<?> where) {
      return Arrays.stream(thread.getStackTrace())
          .anyMatch(at -> at.getClassName().equals(where.getName()));
    }
  }

  /** One that reads itself, which it does not where the event loop is reading just then. */
  private Waiting reader() throws IOException {
    while (true) {
      Waiting one = platform(LONG);
      Eventually.holds("it waits", () -> one.isReading() || one.isIn(PendingReply.class));
      if (one.isReading()) {
        return one;
      }
      one.gate.reply(new TestEndpoint.Total(0));
      assertThat(one.outcome.join()).isEqualTo(new TestEndpoint.Total(0));
    }
  }

  private Waiting platform(long timeoutNanos) throws IOException {
    return new Waiting(Thread.ofPlatform()::start, timeoutNanos);
  }

  @Test
  void manyThreadsThatComeAndGoAllHaveTheirAnswers() throws IOException {
    for (int i = 0; i < 200; i++) {
      Waiting first = platform(LONG);
      Waiting second = i % 3 == 0 ? new Waiting(Thread.ofVirtual()::start, LONG) : platform(LONG);
      second.gate.reply(new TestEndpoint.Total(i));
      first.gate.reply(new TestEndpoint.Total(-i));
      assertThat(second.outcome.join()).isEqualTo(new TestEndpoint.Total(i));
      assertThat(first.outcome.join()).isEqualTo(new TestEndpoint.Total(-i));
    }
  }

  @Test
  void threadThatWaitsReadsItsAnswer() throws IOException {
    Waiting one = reader();
    one.gate.reply(new TestEndpoint.Total(7));
    assertThat(one.outcome.join()).isEqualTo(new TestEndpoint.Total(7));
    assertThat(one.told.get()).isSameAs(one.thread);
  }

  /** It would take the carrier with it, on which other ranks wait to go on. */
  @Test
  void virtualThreadDoesNotSleepInAReader() throws IOException {
    Waiting one = new Waiting(Thread.ofVirtual()::start, LONG);
    Eventually.holds("it is parked", () -> !one.isReading() && one.isIn(PendingReply.class));
    one.gate.reply(new TestEndpoint.Total(7));
    assertThat(one.outcome.join()).isEqualTo(new TestEndpoint.Total(7));
    Eventually.holds("somebody else told", () -> one.told.get() != null);
    assertThat(one.told.get()).isNotSameAs(one.thread);
  }

  @Test
  void answersOfOthersAreReadByItAndAfterIt() throws IOException {
    Waiting reader = reader();
    Waiting before = platform(LONG);
    Waiting after = new Waiting(Thread.ofVirtual()::start, LONG);
    before.gate.reply(new TestEndpoint.Total(1));
    assertThat(before.outcome.join()).isEqualTo(new TestEndpoint.Total(1));
    Eventually.holds("the reader told", () -> before.told.get() == reader.thread);
    reader.gate.reply(new TestEndpoint.Total(2));
    assertThat(reader.outcome.join()).isEqualTo(new TestEndpoint.Total(2));
    after.gate.reply(new TestEndpoint.Total(3));
    assertThat(after.outcome.join()).isEqualTo(new TestEndpoint.Total(3));
    // nobody waits for this one: the event loop reads again though the last reader left it nothing
    // to do
    Pending alone = link.start(new TestEndpoint.Echo("a"), MemorySegment.NULL);
    Eventually.holds("it is answered", alone::isDone);
  }

  @Test
  void readerIsToldThatTheLinkWasClosed() throws IOException {
    Waiting one = reader();
    link.close();
    assertThat(one.outcome)
        .failsWithin(Duration.ofMinutes(5))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
  }

  @Test
  void readerWaitsNoLongerThanItsDeadline() throws IOException {
    Waiting one = platform(50_000_000);
    assertThat(one.outcome)
        .failsWithin(Duration.ofMinutes(5))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(DeadlineException.class);
  }

  @Test
  void interruptedReaderStillHasItsAnswer() throws IOException {
    Waiting one = reader();
    one.thread.interrupt();
    Eventually.holds("it reads no more", () -> !one.isReading());
    one.gate.reply(new TestEndpoint.Total(7));
    assertThat(one.outcome.join()).isEqualTo(new TestEndpoint.Total(7));
  }
}
