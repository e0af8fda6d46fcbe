package org.millrace.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The start time of a process as text for a file, so that a later process with the same number is
 * not mistaken for it. Where the kernel reports it, this is the number of ticks since boot and the
 * id of the boot: the JDK computes its value from the wall clock, which may be changed.
 *
 * <pre>
 *   0f3c...-... 4711002         which boot of the host, and field 22 of /proc/PID/stat
 *   2026-11-16T03:12:00.120Z    where there is no /proc
 * </pre>
 *
 * <p>Stateless; safe for use by several threads.
 */
public final class ProcessStart {

  private static final Path PROC = Path.of("/proc");
  private static final String BOOT = "sys/kernel/random/boot_id";

  /** Of field 22, counted from the one after the name, which may itself have blanks in it. */
  private static final int START_FIELD = 19;

  private ProcessStart() {}

  /** When a process began; empty if that cannot be told. */
  public static String of(ProcessHandle process) {
    return fromKernel(process.pid())
        .or(() -> process.info().startInstant().map(Instant::toString))
        .orElse("");
  }

  /**
   * The living process of this number, if it began then.
   *
   * @param began what {@link #of} said; empty for a process of which that is not known
   */
  public static Optional<ProcessHandle> find(long pid, String began) {
    return ProcessHandle.of(pid)
        .filter(process -> process.isAlive() && !isZombie(pid))
        .filter(
            process -> {
              String now = of(process);
              return began.isEmpty() || now.isEmpty() || began.equals(now);
            });
  }

  /** Whether a process has ended, and nobody has asked how. */
  private static boolean isZombie(long pid) {
    try {
      return fields(pid)[0].equals("Z");
    } catch (IOException e) {
      return false; // another kind of system, or nothing for us to see
    }
  }

  /** What the kernel says of a process, from the field behind its name on. */
  private static String[] fields(long pid) throws IOException {
    // the name of a process is bytes of any kind
    String stat =
        Files.readString(
            PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
    return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
  }

  private static Optional<String> fromKernel(long pid) {
    try {
      String boot = Files.readString(PROC.resolve(BOOT)).strip();
      String[] fields = fields(pid);
      return fields.length > START_FIELD
          ? Optional.of(boot + " " + fields[START_FIELD])
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // another kind of system, or nothing for us to see
    }
  }
}
