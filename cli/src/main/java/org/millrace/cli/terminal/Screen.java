package org.millrace.cli.terminal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.millrace.env.Env;

/**
 * The whole terminal, for pictures that replace each other. Its content is restored at the end,
 * even if the program is interrupted.
 *
 * <p>Used by one thread. Closing gives the terminal back as it was; idempotent.
 */
public final class Screen implements AutoCloseable {

  private static final String ENTER = "\033[?1049h\033[?25l";
  private static final String LEAVE = "\033[?25h\033[?1049l";
  private static final String HOME = "\033[H";
  private static final String WIPE_LINE = "\033[K";
  private static final String WIPE_BELOW = "\033[J";
  private static final long LOOK_NANOS = 50_000_000;

  /** As key: none was pressed. */
  static final int NONE = -1;

  // constant after construction
  private final Env env;
  private final PrintWriter out;
  private final String settings;
  private final Thread hook;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Screen(Env env, PrintWriter out, String settings) {
    this.env = env;
    this.out = out;
    this.settings = settings;
    // Not from env: the JVM itself starts it, and only wants to be given it unstarted.
    this.hook = Thread.ofPlatform().name("screen").unstarted(this::leave);
  }

  /** Whether there is one: standard input and output are a terminal. */
  @SuppressWarnings("SystemConsoleNull") // the default of JDK 25 may be null again (JDK-8351435)
  public static boolean isTerminal() {
    return System.console() != null && System.console().isTerminal();
  }

  /** Takes the terminal. */
  public static Screen open(Env env, PrintWriter out) throws IOException, InterruptedException {
    Screen screen = new Screen(env, out, stty("-g").strip());
    Runtime.getRuntime().addShutdownHook(screen.hook);
    stty("-icanon", "-echo", "min", "0", "time", "0");
    out.print(ENTER);
    out.flush();
    return screen;
  }

  /** Shows a picture; what does not fit is left out. */
  public void draw(List<String> lines) throws IOException, InterruptedException {
    String[] size = stty("size").strip().split(" ", -1);
    int rows = size.length == 2 ? Integer.parseInt(size[0]) : 0;
    int columns = size.length == 2 ? Integer.parseInt(size[1]) : 0;
    // a terminal that does not know its size says 0
    out.print(picture(lines, rows > 0 ? rows : 24, columns > 0 ? columns : 80));
    out.flush();
  }

  /** What is sent to a terminal of the given size. */
  public static String picture(List<String> lines, int rows, int columns) {
    StringBuilder picture = new StringBuilder(HOME);
    for (int i = 0; i < Math.min(lines.size(), rows - 1); i++) {
      String line = lines.get(i);
      picture.append(line, 0, Math.min(line.length(), columns)).append(WIPE_LINE).append("\r\n");
    }
    return picture.append("q ends").append(WIPE_BELOW).toString();
  }

  /** Lets time pass, or less if a key is pressed; returns the key or {@link #NONE}. */
  public int waitForKey(long nanos) throws IOException, InterruptedException {
    long deadline = env.deadlineAfter(nanos);
    while (env.nanoTime() < deadline) {
      if (System.in.available() > 0) {
        return System.in.read();
      }
      env.sleep(Math.min(LOOK_NANOS, Math.max(1, deadline - env.nanoTime())));
    }
    return NONE;
  }

  private void leave() {
    if (closed.compareAndSet(false, true)) {
      out.print(LEAVE);
      out.flush();
      try {
        stty(settings);
      } catch (IOException e) {
        out.println("the terminal could not be set back: type reset");
        out.flush();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static String stty(String... args) throws IOException, InterruptedException {
    String[] line = new String[args.length + 1];
    line[0] = "stty";
    System.arraycopy(args, 0, line, 1, args.length);
    Process process =
        new ProcessBuilder(line).redirectInput(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("stty " + String.join(" ", args) + " failed");
    }
    return said;
  }

  @Override
  public void close() {
    leave();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM has begun to end, and the hook has nothing left to do
    }
  }
}
