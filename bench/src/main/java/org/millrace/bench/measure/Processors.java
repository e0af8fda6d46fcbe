package org.millrace.bench.measure;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The processors that this process may run on, for others to be bound to. Only Linux says which,
 * and its {@code taskset} binds. Immutable.
 *
 * @param numbers as the operating system counts them, ascending
 */
public record Processors(List<Integer> numbers) {

  private static final String COMMAND = "taskset";
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String FIELD = "Cpus_allowed_list:";

  public Processors {
    numbers = List.copyOf(numbers);
  }

  /** Those of this process; there are two at least. */
  public static Processors ofThis() throws IOException {
    if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux")) {
      throw new IOException("binding processes to processors needs Linux");
    }
    for (String line : Files.readAllLines(STATUS)) {
      if (line.startsWith(FIELD)) {
        Processors all = parse(line.substring(FIELD.length()).strip());
        if (all.numbers.size() < 2) {
          throw new IOException("binding processes to processors needs two of them at least");
        }
        return all;
      }
    }
    throw new IOException(STATUS + " does not say which processors there are");
  }

  /** Whether processes can be bound here: there are two processors, and the command for it. */
  public static boolean canBind() {
    try {
      ofThis();
    } catch (IOException e) {
      return false;
    }
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, COMMAND)));
  }

  /** A list as Linux writes it, such as 0-3,8. */
  static Processors parse(String list) {
    List<Integer> numbers = new ArrayList<>();
    for (String range : list.split(",", -1)) {
      String[] ends = range.split("-", -1);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
        numbers.add(i);
      }
    }
    return new Processors(numbers);
  }

  /** What a command begins with that is bound to one of all but the last, counted round. */
  public List<String> bound(int index) {
    return command(numbers.get(index % (numbers.size() - 1)));
  }

  /** What a command begins with that is bound to the last one. */
  public List<String> boundToLast() {
    return command(numbers.getLast());
  }

  private static List<String> command(int number) {
    return List.of(COMMAND, "-c", Integer.toString(number));
  }
}
