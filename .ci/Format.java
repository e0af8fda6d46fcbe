import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs google-java-format over every source below a folder: {@code check} lists files that it would change and fails,
 * {@code apply} changes them. The build starts it, see the root pom.
 */
final class Format {

  private Format() {}

  public static void main(String[] args) throws IOException {
    boolean apply = args[0].equals("apply");
    if (!apply && !args[0].equals("check")) {
      System.err.println("format.mode must be check or apply, was " + args[0]);
      System.exit(2);
    }
    Path root = Path.of(args[1]);
    Formatter formatter = new Formatter(JavaFormatterOptions.defaultOptions());
    List<Result> results = sources(root).parallelStream().map(file -> format(formatter, root, file, apply)).toList();
    List<String> failures = results.stream().map(Result::failure).filter(text -> !text.isEmpty()).toList();
    if (!failures.isEmpty()) {
      failures.forEach(System.err::println);
      System.exit(1);
    }
    List<String> changed = results.stream().filter(Result::changed).map(Result::file).toList();
    changed.forEach(file -> System.err.println((apply ? "formatted " : "not formatted: ") + file));
    if (!apply && !changed.isEmpty()) {
      System.err.println("To format: mvn -N verify -Dformat.mode=apply");
      System.exit(1);
    }
  }

  /** What became of a file; no failure is an empty one. */
  private record Result(String file, boolean changed, String failure) {}

  private static Result format(Formatter formatter, Path root, Path file, boolean apply) {
    String name = root.relativize(file).toString();
    try {
      String before = Files.readString(file);
      String ordered = ImportOrderer.reorderImports(before, JavaFormatterOptions.Style.GOOGLE);
      String after = formatter.formatSource(RemoveUnusedImports.removeUnusedImports(ordered));
      boolean changed = !after.equals(before);
      if (changed && apply) {
        Files.writeString(file, after);
      }
      return new Result(name, changed, "");
    } catch (FormatterException e) {
      return new Result(name, false, name + ": cannot be parsed: " + e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> sources(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.sorted().toList()) {
        Path sources = module.resolve("src");
        if (Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(found::add);
          }
        }
      }
    }
    return found;
  }
}
