package org.millrace.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process that made a file of shared memory, as the file's name says. Process numbers are
 * reused, and valid only within one namespace of the kernel, so the name also contains the
 * namespace and the start time of the process. Immutable.
 *
 * @param space the kernel's namespace of processes, 0 where there are none
 * @param pid the process
 * @param started when it was started, in the kernel's own units; 0 if unknown
 */
record Creator(long space, long pid, long started) {

  private static final Path PROCESSES = Path.of("/proc");
  private static final Pattern NAME =
      Pattern.compile("([0-9]{1,18})-([0-9]{1,18})-([0-9]{1,18})-[0-9a-f]{16}");

  /** In {@code /proc/N/stat}, counted from the one after the command, which may hold anything. */
  private static final int STATE = 0;

  private static final int START_TIME = 19;

  /** This process. */
  static Creator self() throws IOException {
    long pid = ProcessHandle.current().pid();
    List<String> facts = facts(pid);
    return new Creator(ownSpace(), pid, facts.isEmpty() ? 0 : startTime(facts));
  }

  /** The creator of a file of that name, empty if it is not a name of ours. */
  static Optional<Creator> ofName(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new Creator(
                Long.parseLong(matcher.group(1)),
                Long.parseLong(matcher.group(2)),
                Long.parseLong(matcher.group(3))))
        : Optional.empty();
  }

  /** The name of a file that this process makes. */
  String name(long random) {
    return "%s-%s-%s-%016x".formatted(space, pid, started, random);
  }

  /** The process itself, as text. */
  String process() {
    return "%s-%s-%s".formatted(space, pid, started);
  }

  /** Whether {@code self} knows that this process has ended. */
  boolean isGone(Creator self) throws IOException {
    if (space != self.space || equals(self)) {
      return false;
    }
    if (started == 0) {
      return ProcessHandle.of(pid).isEmpty();
    }
    List<String> facts = facts(pid);
    return facts.isEmpty() || startTime(facts) != started || "ZX".contains(facts.get(STATE));
  }

  private static long ownSpace() throws IOException {
    Path link = PROCESSES.resolve("self/ns/pid");
    if (!Files.isSymbolicLink(link)) {
      return 0;
    }
    String digits = Files.readSymbolicLink(link).toString().replaceAll("[^0-9]", "");
    return digits.isEmpty() ? 0 : Long.parseLong(digits);
  }

  private static long startTime(List<String> facts) {
    return Long.parseLong(facts.get(START_TIME));
  }

  /**
   * What the kernel says of a process; empty if there is no such process, or the kernel cannot be
   * asked.
   */
  private static List<String> facts(long pid) throws IOException {
    try {
      String text = Files.readString(PROCESSES.resolve(pid + "/stat"));
      return List.of(text.substring(text.lastIndexOf(')') + 1).strip().split(" +"));
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      if (ProcessHandle.of(pid).isEmpty()) {
        return List.of(); // it ended while we were reading
      }
      throw e;
    }
  }
}
