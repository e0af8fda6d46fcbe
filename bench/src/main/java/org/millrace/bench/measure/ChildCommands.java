package org.millrace.bench.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The child's side of a {@link ChildJvm}: reads commands and answers them. No state. */
public final class ChildCommands {

  /** Carries out one order. */
  public interface Handler {

    /** The answer, in one line. */
    String handle(String[] words) throws IOException;
  }

  private ChildCommands() {}

  /** Where orders come from; a handler may look whether there is another. */
  public static BufferedReader input() {
    return new BufferedReader(new InputStreamReader(System.in, UTF_8));
  }

  /** Carries out orders until nobody can give one. */
  public static void serve(Handler handler) throws IOException {
    serve(input(), handler);
  }

  /** Carries out orders from {@link #input()} until nobody can give one, or one fails. */
  public static void serve(BufferedReader in, Handler handler) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      try {
        String answer = handler.handle(line.split(" ", -1));
        System.out.println(ChildJvm.ANSWER + answer);
      } catch (IOException | RuntimeException e) {
        // at once: this process may not end before others do that wait for orders
        System.out.println(ChildJvm.FAILURE + e.toString().replaceAll("\\s*\\R\\s*", "; "));
        throw e;
      }
    }
  }
}
