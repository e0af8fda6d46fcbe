package org.millrace.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.millrace.env.Env;
import org.millrace.message.Board;
import org.millrace.message.Boards;
import org.millrace.wire.Net;

/**
 * Rank 1 of two that meet on a board, in a process of its own: it takes one step at a time, so that
 * it can be killed or stopped between any two.
 */
final class BoardChild {

  private BoardChild() {}

  /** Arguments: both parts of the board's name. */
  public static void main(String[] arguments) throws IOException {
    Env env = Env.real();
    Boards boards = new Boards(env, Net.SOCKETS.memory(env, true));
    long place = Long.parseLong(arguments[0]);
    Board board =
        Objects.requireNonNull(boards.find(place, Long.parseLong(arguments[1]), 2, 1), "board");
    say("ready");
    Board.Visit visit = null;
    var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ", 2);
      switch (words[0]) {
        case "come" -> {
          visit = BoardProcessesTest.come(board, 1, Long.parseLong(words[1]));
          say(visit == null ? "in person" : visit.isLast() ? "last" : "waits");
        }
        case "meet" -> {
          Objects.requireNonNull(visit).meet(0);
          say("ok");
        }
        case "await" -> {
          Objects.requireNonNull(visit).await(Env.NEVER);
          say(visit.isMet() ? "met" : "apart");
        }
        case "leave" -> {
          Objects.requireNonNull(visit).leave();
          say("ok");
        }
        default -> throw new IOException(line);
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
