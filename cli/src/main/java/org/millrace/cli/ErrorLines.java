package org.millrace.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.run.RankProgramException;
import org.millrace.cli.terminal.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Turns what went wrong into one line on standard error and an exit code. The stack trace follows
 * only where {@code --trace} asks for it. Stateless.
 */
final class ErrorLines implements IParameterExceptionHandler, IExecutionExceptionHandler {

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    StringBuilder line = new StringBuilder("millrace: ").append(what(e));
    String see = "; see ";
    if (e instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().getFirst();
      List<String> near =
          unmatched.getSuggestions().stream().filter(one -> isNear(word, one)).toList();
      if (!near.isEmpty()) {
        line.append("; did you mean ").append(String.join(" or ", near)).append('?');
        see = " See ";
      }
    }
    line.append(see).append(command.getCommandSpec().qualifiedName()).append(" --help");
    command.getErr().println(line);
    return ExitCode.USAGE;
  }

  /** What is wrong with the line: of a command that is not there, not what stands behind it. */
  private static String what(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched
        && !e.getCommandLine().getSubcommands().isEmpty()) {
      String word = unmatched.getUnmatched().getFirst();
      if (!word.startsWith("-")) {
        return "there is no command '" + word + "'";
      }
    }
    return plain(oneLine(e.getMessage()));
  }

  /** Whether one word may have been typed for the other: two letters of five are wrong at most. */
  private static boolean isNear(String typed, String meant) {
    int longer = Math.max(typed.length(), meant.length());
    return distance(typed, meant) <= Math.max(1, 2 * longer / 5);
  }

  /** How many letters have to be put in, taken out or changed (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = IntStream.rangeClosed(0, b.length()).toArray();
    for (int i = 1; i <= a.length(); i++) {
      int corner = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = corner + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        corner = row[j];
        row[j] = Math.min(change, Math.min(row[j - 1], row[j]) + 1);
      }
    }
    return row[b.length()];
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    return report(e, command);
  }

  /** Prints what went wrong while the command ran; returns the exit code. */
  int report(Throwable e, CommandLine command) {
    Throwable cause = unwrap(e);
    PrintWriter err = command.getErr();
    if (cause instanceof InterruptedException || cause instanceof InterruptedIOException) {
      String came = oneLine(cause.getMessage()); // of it, if the command can tell
      boolean told = cause instanceof InterruptedIOException && came.contains(" ");
      err.println("millrace: interrupted" + (told ? ": " + came : ""));
      return ExitCode.INTERRUPTED;
    }
    boolean trace = isTraceAsked(command);
    String hint = trace || isExpected(cause) ? "" : " (--trace shows where)";
    err.println("millrace: " + describe(cause) + hint);
    if (trace) {
      cause.printStackTrace(err);
      err.flush();
    }
    return ExitCode.FAILED;
  }

  /** What really happened: picocli wraps errors, and reflection what a user's program throws. */
  private static Throwable unwrap(Throwable e) {
    Throwable cause = e;
    while (cause instanceof ExecutionException || cause instanceof InvocationTargetException) {
      Throwable inner = cause.getCause();
      if (inner == null) {
        break;
      }
      cause = inner;
    }
    return cause;
  }

  private static boolean isTraceAsked(CommandLine command) {
    CommandLine top = command;
    while (top.getParent() != null) {
      top = top.getParent();
    }
    return top.getCommand() instanceof MillraceCommand millrace && millrace.trace();
  }

  /** Errors whose message is written for the user; of others the kind is part of the message. */
  private static boolean isExpected(Throwable e) {
    return e instanceof IOException && e.getMessage() != null;
  }

  private static String describe(Throwable e) {
    if (e instanceof RankProgramException one && one.getCause() != null) {
      String who = "rank " + one.rank();
      String what = describe(one.getCause());
      return what.matches("(?s)" + who + "\\b.*") ? what : who + ": " + what;
    }
    String message = oneLine(e.getMessage()) + reason(e);
    if (isExpected(e)) {
      return message;
    }
    String kind = e.getClass().getSimpleName();
    return message.isEmpty() ? kind : kind + ": " + message;
  }

  /** What the JDK leaves to the type of an exception whose message is nothing but a path. */
  private static String reason(Throwable e) {
    Throwable inner = e;
    while (inner.getCause() != null && !(inner instanceof FileSystemException)) {
      inner = inner.getCause();
    }
    if (!(inner instanceof FileSystemException file) || file.getReason() != null) {
      return "";
    }
    return switch (file) {
      case AccessDeniedException _ -> ": permission denied";
      case FileAlreadyExistsException _ -> ": something else has that name";
      case NoSuchFileException _ -> ": no such file or folder";
      default -> "";
    };
  }

  /** The library's words for programmers, in those of a person at a terminal. */
  private static String plain(String message) {
    return message
        .replaceFirst("^Error: ", "")
        .replaceFirst(
            "^Unmatched arguments? (at index \\d+|from index \\d+): ", "Unknown argument: ")
        .replaceFirst("is not an int$", "is not a whole number up to " + Integer.MAX_VALUE);
  }

  private static String oneLine(@Nullable String message) {
    return message == null ? "" : message.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
