package org.millrace.cli.terminal;

import java.io.Console;
import java.util.Map;

/**
 * What is known of the terminal. Java can tell neither whether standard output or standard error is
 * one, nor how wide it is; the launcher can, and says so. Without the launcher the console is
 * asked. Stateless.
 */
public final class Terminal {

  private static final String COLUMNS = "millrace.columns";
  private static final String OUT = "millrace.out";
  private static final int USUAL_COLUMNS = 80;

  private Terminal() {}

  /** The width of the terminal that standard error writes to, 0 if it is none. */
  public static int columns() {
    String told = System.getProperty(COLUMNS);
    if (told != null) {
      return told.matches("[0-9]{1,4}") ? Integer.parseInt(told) : 0;
    }
    return isLaunched() || !isConsole() ? 0 : USUAL_COLUMNS;
  }

  /** Whether standard output is a terminal. */
  public static boolean isOut() {
    String told = System.getProperty(OUT);
    return told != null ? told.equals("terminal") : !isLaunched() && isConsole();
  }

  /** Whether standard output takes colours. */
  public static boolean hasColours() {
    return hasColours(System.getenv(), isOut());
  }

  /** As no-color.org has it: any value but an empty one of NO_COLOR switches them off. */
  static boolean hasColours(Map<String, String> environment, boolean terminal) {
    return terminal
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }

  private static boolean isLaunched() {
    return System.getProperty("millrace.command") != null;
  }

  @SuppressWarnings("SystemConsoleNull") // the default of JDK 25 may be null again (JDK-8351435)
  private static boolean isConsole() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
