import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
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
    List<String> changed = new ArrayList<>();
    for (Path file : sources(root)) {
      String before = Files.readString(file);
      String after;
      try {
        after = format(formatter, before);
      } catch (FormatterException e) {
        System.err.println(root.relativize(file) + ": cannot be parsed: " + e.getMessage());
        System.exit(1);
        return;
      }
      if (!after.equals(before)) {
        changed.add(root.relativize(file).toString());
        if (apply) {
          Files.writeString(file, after);
        }
      }
    }
    changed.forEach(file -> System.err.println((apply ? "formatted " : "not formatted: ") + file));
    if (!apply && !changed.isEmpty()) {
      System.err.println("To format: mvn -N verify -Dformat.mode=apply");
      System.exit(1);
    }
  }

  private static String format(Formatter formatter, String source) throws FormatterException {
    String ordered = ImportOrderer.reorderImports(source, JavaFormatterOptions.Style.GOOGLE);
    return formatter.formatSource(RemoveUnusedImports.removeUnusedImports(ordered));
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
