package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.env.ThreadKind;
import org.millrace.error.DeadlineException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.testing.Seeds;

final class LocalLinkTest {

  private static final MemorySegment NO_PAYLOAD = MemorySegment.NULL;

  private final Env env = Env.real();
  private final Fake endpoint = new Fake();
  private final Link link = Links.local(env, new Peer(7, "ada"), endpoint);

  private record Word(String text) implements Message {}

  /** Keeps what comes; answers when told. */
  private static final class Fake implements Endpoint {
    final List<ReplyTo> asked = new ArrayList<>();
    final List<Payload> payloads = new ArrayList<>();
    final List<String> gone = new ArrayList<>();
    final List<String> hints = new ArrayList<>();

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      asked.add(replyTo);
      payloads.add(payload);
    }

    @Override
    public long onAdvance(Peer from, long key, long delta, long floor, long limit) {
      return from.session() + key + delta + floor + limit;
    }

    @Override
    public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length) {
      return key + offset + at + length;
    }

    @Override
    public void onHint(Peer from, long key, long offset, long length) {
      hints.add(key + " " + offset + " " + length);
    }

    @Override
    public void onSessionEnd(Peer from, String reason) {
      gone.add(from.session() + " " + reason);
    }
  }

  @Test
  void anAnswerThatIsThereIsReturnedWithoutWaiting() throws IOException {
    Pending pending = link.start(new Word("ask"), NO_PAYLOAD);
    assertThat(pending.isDone()).isFalse();
    endpoint.asked.getFirst().reply(new Word("answer"));
    assertThat(pending.isDone()).isTrue();
    assertThat(pending.await(Long.MIN_VALUE)).isEqualTo(new Word("answer"));
    assertThat(pending.await(Env.NEVER)).isEqualTo(new Word("answer"));
  }

  @Test
  void thePayloadIsTheSendersMemory() {
    Payload payload = Payload.of(MemorySegment.ofArray(new byte[8]));
    link.start(new Word("ask"), payload);
    assertThat(endpoint.payloads.getFirst()).isSameAs(payload);
  }

  @Test
  void eachWaiterGetsItsOwnExceptionOfTheSameKind() {
    Pending pending = link.start(new Word("ask"), NO_PAYLOAD);
    endpoint.asked.getFirst().fail(new MixedCallException("mixed"));
    Throwable first = catchThrowable(() -> pending.await(Env.NEVER));
    Throwable second = catchThrowable(() -> pending.await(Env.NEVER));
    assertThat(first)
        .isInstanceOf(MixedCallException.class)
        .hasMessage("mixed")
        .isNotSameAs(second);
    assertThat(second).isInstanceOf(MixedCallException.class).hasMessage("mixed");
  }

  @Test
  void aDeadlineThatPassesNamesTheRequestAndTheRequestGoesOn() throws IOException {
    Pending pending = link.start(new Word("ask"), NO_PAYLOAD);
    assertThatThrownBy(() -> pending.await(env.nanoTime()))
        .isInstanceOf(DeadlineException.class)
        .hasMessageContaining("ask");
    endpoint.asked.getFirst().reply(new Word("late"));
    assertThat(pending.await(Env.NEVER)).isEqualTo(new Word("late"));
  }

  @Test
  void answeringTwiceIsAnError() {
    link.start(new Word("ask"), NO_PAYLOAD);
    ReplyTo replyTo = endpoint.asked.getFirst();
    replyTo.reply(new Word("one"));
    assertThatThrownBy(() -> replyTo.reply(new Word("two")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void manyThreadsWaitForOneAnswerUnderEverySchedule() {
    for (long seed : Seeds.of(50)) {
      SeededEnv seeded = SeededEnv.of(seed);
      List<Message> got = new ArrayList<>();
      seeded.run(
          () -> {
            Fake fake = new Fake();
            Pending pending =
                Links.local(seeded, new Peer(1, "u"), fake).start(new Word("ask"), NO_PAYLOAD);
            for (int i = 0; i < 4; i++) {
              long deadline = i == 0 ? seeded.deadlineAfter(1_000_000_000) : Env.NEVER;
              seeded.start(
                  ThreadKind.RANK,
                  "waiter " + i,
                  () -> {
                    try {
                      got.add(pending.await(deadline));
                    } catch (IOException e) {
                      throw new AssertionError(Seeds.replay(seed), e);
                    }
                  });
            }
            seeded.start(
                ThreadKind.RANK, "answerer", () -> fake.asked.getFirst().reply(new Word("yes")));
          });
      assertThat(got).as(Seeds.replay(seed)).hasSize(4).containsOnly(new Word("yes"));
    }
  }

  @Test
  void anInterruptIsRememberedAndTheWaitGoesOn() throws Exception {
    Pending pending = link.start(new Word("ask"), NO_PAYLOAD);
    List<Object> seen = new ArrayList<>();
    Thread waiter =
        env.start(
            ThreadKind.RANK,
            "waiter",
            () -> {
              Thread.currentThread().interrupt();
              try {
                seen.add(pending.await(Env.NEVER));
              } catch (IOException e) {
                seen.add(e);
              }
              seen.add(Thread.currentThread().isInterrupted());
            });
    while (waiter.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    endpoint.asked.getFirst().reply(new Word("yes"));
    waiter.join();
    assertThat(seen).containsExactly(new Word("yes"), true);
  }

  @Test
  void oneSidedVerbsAreCalls() throws IOException {
    assertThat(link.advance(1, 2, 3, 4, Env.NEVER)).isEqualTo(17);
    assertThat(link.get(1, 2, NO_PAYLOAD, 3, 4, Env.NEVER)).isEqualTo(10);
    link.hint(1, 2, 3);
    assertThat(endpoint.hints).containsExactly("1 2 3");
    assertThatThrownBy(() -> link.put(1, 2, NO_PAYLOAD, 0, 0, Env.NEVER))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aClosedLinkRefusesEverythingAndTellsTheEndpointOnce() {
    link.close();
    link.close();
    assertThat(endpoint.gone).containsExactly("7 its link was closed");
    link.hint(1, 2, 3);
    assertThat(endpoint.hints).isEmpty();
    for (Throwable refusal :
        List.of(
            catchThrowable(() -> link.call(new Word("ask"), NO_PAYLOAD, Env.NEVER)),
            catchThrowable(() -> link.get(1, 2, NO_PAYLOAD, 0, 0, Env.NEVER)),
            catchThrowable(() -> link.put(1, 2, NO_PAYLOAD, 0, 0, Env.NEVER)),
            catchThrowable(() -> link.advance(1, 2, 0, 0, Env.NEVER)))) {
      assertThat(refusal)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }
    assertThat(endpoint.asked).isEmpty();
  }
}
