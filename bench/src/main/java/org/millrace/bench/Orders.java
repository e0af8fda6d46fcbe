package org.millrace.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The other end of a {@link Companion}: reads orders and answers them. No state. */
final class Orders {

  /** Carries out one order. */
  interface Handler {

    /** The answer, in one line. */
    String handle(String[] words) throws IOException;
  }

  private Orders() {}

  /** Carries out orders until nobody can give one. */
  static void serve(Handler handler) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer = handler.handle(line.split(" ", -1));
      System.out.println(Companion.ANSWER + answer);
    }
  }
}
