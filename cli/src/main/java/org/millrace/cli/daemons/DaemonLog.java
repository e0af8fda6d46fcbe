package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.millrace.disk.RunFolder;

/**
 * A daemon's log: a line for each event, with the time in UTC and the process. One that has grown
 * large is moved aside when a daemon starts. Safe for use by several threads. Closing closes the
 * file.
 */
final class DaemonLog implements Consumer<String>, AutoCloseable {

  private static final long LARGE_BYTES = 16L << 20;

  private static final String AUDIT = "audit: ";

  private final PrintWriter out;
  private final String who;
  private final Optional<DaemonLog> audit;

  private DaemonLog(PrintWriter out, String who, Optional<DaemonLog> audit) {
    this.out = out;
    this.who = who;
    this.audit = audit;
  }

  /** As {@link #open}, with another log beside it that has refusals only. */
  static DaemonLog withAudit(RunFolder folder, String daemon) throws IOException {
    DaemonLog audit = open(folder.file(daemon + ".audit.log"), daemon);
    try {
      DaemonLog log = open(folder.file(daemon + ".log"), daemon);
      return new DaemonLog(log.out, log.who, Optional.of(audit));
    } catch (IOException | RuntimeException e) {
      audit.close();
      throw e;
    }
  }

  /** Goes on with the log of {@code daemon}, or begins it. */
  static DaemonLog open(Path file, String daemon) throws IOException {
    if (Files.exists(file) && Files.size(file) > LARGE_BYTES) {
      Path old = file.resolveSibling(file.getFileName() + ".old");
      Files.move(file, old, StandardCopyOption.REPLACE_EXISTING);
    }
    make(file);
    PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(file, StandardOpenOption.APPEND), true);
    return new DaemonLog(out, daemon + "[" + ProcessHandle.current().pid() + "]", Optional.empty());
  }

  /** Makes the file if it is not there; nobody but its owner may read it, either way. */
  static void make(Path file) throws IOException {
    var rights = PosixFilePermissions.fromString("rw-------");
    Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            PosixFilePermissions.asFileAttribute(rights))
        .close();
    Files.setPosixFilePermissions(file, rights);
  }

  @Override
  public void accept(String event) {
    if (event.startsWith(AUDIT)) {
      audit.ifPresent(refusals -> refusals.accept(event.substring(AUDIT.length())));
    }
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    out.println(now + " " + who + " " + event.replaceAll("\\s*\\R\\s*", "; "));
  }

  @Override
  public void close() {
    audit.ifPresent(DaemonLog::close);
    out.close();
    if (out.checkError()) {
      throw new UncheckedIOException(new IOException("the log of " + who + " is incomplete"));
    }
  }
}
