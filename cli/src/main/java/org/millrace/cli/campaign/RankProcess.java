package org.millrace.cli.campaign;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * One rank of a campaign as a process, and what it says. Used by one thread; another reads its
 * output.
 */
final class RankProcess {

  private final Process process;
  private final ConcurrentLinkedDeque<String> lines = new ConcurrentLinkedDeque<>();
  private final CompletableFuture<Boolean> heard = new CompletableFuture<>();
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();

  /**
   * Starts it.
   *
   * @param line what to wait for; empty if nothing
   */
  RankProcess(
      Env env, Class<?> program, List<String> args, Map<String, String> variables, String line)
      throws IOException {
    List<String> command = new ArrayList<>(JavaCommand.of(List.of()));
    command.set(command.size() - 1, program.getName());
    command.addAll(args);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectInput(new File("/dev/null"));
    builder.environment().putAll(variables);
    process = builder.start();
    env.start(ThreadKind.HELPER, "output of " + process.pid(), () -> read(line));
  }

  private void read(String awaited) {
    try (BufferedReader from =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String said = from.readLine(); said != null; said = from.readLine()) {
        lines.add(said);
        if (said.equals(awaited)) {
          heard.complete(true);
        }
      }
    } catch (IOException e) {
      lines.add("its output broke: " + e);
    } finally {
      heard.complete(false);
      end.complete(true);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Waits for the line that it was to wait for; false if it ended before. */
  boolean awaitLine() {
    return heard.join();
  }

  /** Waits for its end; false if it takes longer. */
  boolean awaitEnd(long seconds) throws InterruptedException {
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      return false;
    }
    end.join();
    return true;
  }

  int exitCode() {
    return process.exitValue();
  }

  void kill() {
    process.destroyForcibly();
  }

  /** The last line it said that begins so; empty if there is none. */
  String lastLine(String beginning) {
    for (var all = lines.descendingIterator(); all.hasNext(); ) {
      String one = all.next();
      if (one.startsWith(beginning)) {
        return one;
      }
    }
    return "";
  }
}
