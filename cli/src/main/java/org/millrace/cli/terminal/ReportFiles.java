package org.millrace.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files that a benchmark may write its rows to, as options. Used by one thread. */
public final class ReportFiles {

  @Option(names = "--json", paramLabel = "FILE", description = "Write the rows to FILE as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write the rows to FILE as a page that needs nothing else.")
  private @Nullable Path html;

  /** Minutes of measuring would be lost if only writing their result found out. */
  public void check() throws IOException {
    check(json);
    check(html);
  }

  private static void check(@Nullable Path file) throws IOException {
    if (file != null) {
      Files.write(file, new byte[0], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  /** Writes what was asked for. */
  public void write(Supplier<String> asJson, Supplier<String> asPage) throws IOException {
    if (json != null) {
      Files.writeString(json, asJson.get());
    }
    if (html != null) {
      Files.writeString(html, asPage.get());
    }
  }
}
