package org.millrace.cli.campaign;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;

/**
 * Runs of {@code millrace run heat --procs}, one after the other, and their checksums. Used by one
 * thread; another one waits for the runs, and is waited for by {@link #end}.
 */
final class HeatRuns {

  private static final Pattern CHECKSUM = Pattern.compile("checksum ([0-9a-f]+)");

  private static final List<String> WORK =
      List.of("--size", "240", "--steps", "3000", "--every", "100", "--ranks", "2");

  // constant after construction
  private final Env env;
  private final Path place;
  private final String expected;
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

  // written by the thread that waits for the runs
  private final List<String> findings = new ArrayList<>();
  private final AtomicInteger runs = new AtomicInteger();

  private volatile boolean over;

  /** Finds the right checksum by a run that nobody disturbs. */
  HeatRuns(Env env, Path place) throws IOException, InterruptedException {
    this.env = env;
    this.place = place;
    this.expected = run(List.of("--dir", place.resolve("calm").toString()));
  }

  void start(Path directory) {
    env.start(ThreadKind.HELPER, "heat", () -> serve(directory));
  }

  private void serve(Path directory) {
    try {
      while (!over) {
        runOnce(directory);
      }
    } catch (IOException e) {
      findings.add("heat failed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ended.complete(true);
    }
  }

  private void runOnce(Path directory) throws IOException, InterruptedException {
    String found = run(List.of("--procs", "--dir", directory.toString()));
    if (!found.equals(expected)) {
      findings.add("heat ended with checksum %s, not %s".formatted(found, expected));
    }
    runs.incrementAndGet();
  }

  private String run(List<String> more) throws IOException, InterruptedException {
    List<String> args = new ArrayList<>(List.of("run", "heat"));
    args.addAll(WORK);
    args.addAll(List.of("--out", place.resolve("heat.png").toString()));
    args.addAll(more);
    String said = Shell.run(JavaCommand.of(args), Map.of());
    Matcher found = CHECKSUM.matcher(said);
    return found.find() ? found.group(1) : "none in: " + said.strip();
  }

  /** Waits for the last run. */
  void end() {
    over = true;
    ended.join();
  }

  String expected() {
    return expected;
  }

  int runs() {
    return runs.get();
  }

  List<String> findings() {
    return findings;
  }
}
