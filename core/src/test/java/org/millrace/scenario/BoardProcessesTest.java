package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.env.Env;
import org.millrace.message.Board;
import org.millrace.message.Boards;
import org.millrace.wire.Net;

/** Two processes on a board, of which one is killed or stopped at each place of a call. */
final class BoardProcessesTest {

  private static final byte[] ALIKE = {1};

  private final Env env = Env.real();

  @BeforeEach
  void assumeSharedMemory() {
    assumeThat(Files.isDirectory(Path.of("/proc/self/fd"))).isTrue();
  }

  static Board.@Nullable Visit come(Board board, int rank, long call) {
    return board.arrive(0, call, ALIKE, new byte[] {(byte) rank, (byte) call});
  }

  /** What a test does with its own end of the board and with the other process. */
  private interface Body {
    void run(Board board, Jvm other) throws IOException;
  }

  private void run(Body body) throws IOException {
    Boards boards = new Boards(env, Net.SOCKETS.memory(env, true));
    try (Boards.Offer offer = boards.offer(2);
        Jvm other =
            Jvm.start(
                BoardChild.class,
                Map.of(),
                Long.toString(offer.place()),
                Long.toString(offer.chance()))) {
      other.expect("ready");
      Board own = boards.find(offer.place(), offer.chance(), 2, 0);
      body.run(Objects.requireNonNull(own), other);
    }
  }

  private static Board.Visit visit(Board board, long call) {
    return Objects.requireNonNull(come(board, 0, call));
  }

  private static void say(Jvm other, String command, String answer) throws IOException {
    other.send(command);
    other.expect(answer);
  }

  private static void lose(Jvm other, String how) throws IOException {
    if (how.equals("kill")) {
      other.kill();
      other.await();
    } else {
      other.stop();
    }
  }

  /** As a rank does that has waited for too long. */
  private void timeOut(Board.Visit visit) throws IOException {
    assertThat(visit.await(env.deadlineAfter(1_000_000))).isFalse();
    visit.part();
  }

  /** What a process that was only stopped finds when it goes on. */
  private static void expectAfter(Jvm other, String how, String command, String answer)
      throws IOException {
    if (how.equals("stop")) {
      other.resume();
      say(other, command, answer);
    }
  }

  @Test
  void processesMeetAndReadWhatEachSaid() throws IOException {
    run(
        (board, other) -> {
          for (long call = 1; call <= 20; call++) {
            Board.Visit first = visit(board, call);
            say(other, "come " + call, "last");
            say(other, "meet", "ok");
            assertThat(first.await(Env.NEVER)).isTrue();
            assertThat(first.isMet()).isTrue();
            assertThat(first.contribution(1)).containsExactly(1, (byte) call);
            first.leave();
            say(other, "await", "met");
            say(other, "leave", "ok");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill", "stop"})
  void oneIsLostBeforeItComes(String how) throws IOException {
    run(
        (board, other) -> {
          lose(other, how);
          Board.Visit visit = visit(board, 1);
          timeOut(visit);
          assertThat(visit.isApart()).isTrue();
          expectAfter(other, how, "come 1", "in person");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill", "stop"})
  void oneIsLostAfterItHasCome(String how) throws IOException {
    run(
        (board, other) -> {
          say(other, "come 1", "waits");
          lose(other, how);
          Board.Visit visit = visit(board, 1);
          assertThat(visit.isLast()).isTrue();
          visit.meet(0);
          assertThat(visit.isMet()).isTrue();
          visit.leave();
          assertThat(come(board, 0, 5)).isNull(); // its cell is not free: in person, at once
          timeOut(visit(board, 6));
          expectAfter(other, how, "await", "met");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill", "stop"})
  void theLastIsLostBeforeItDecides(String how) throws IOException {
    run(
        (board, other) -> {
          Board.Visit visit = visit(board, 1);
          say(other, "come 1", "last");
          lose(other, how);
          timeOut(visit);
          assertThat(visit.isApart()).isTrue();
          expectAfter(other, how, "meet", "ok");
          expectAfter(other, how, "await", "apart");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"kill", "stop"})
  void theLastIsLostAfterItHasDecided(String how) throws IOException {
    run(
        (board, other) -> {
          Board.Visit visit = visit(board, 1);
          say(other, "come 1", "last");
          say(other, "meet", "ok");
          lose(other, how);
          visit.part(); // too late: it is met
          assertThat(visit.isMet()).isTrue();
          assertThat(visit.contribution(1)).containsExactly(1, 1);
          visit.leave();
          expectAfter(other, how, "await", "met");
        });
  }
}
