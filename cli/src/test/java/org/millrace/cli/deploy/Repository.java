package org.millrace.cli.deploy;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.millrace.cli.Main;

/** The files of this repository, what is inside them, and the command. Stateless. */
final class Repository {

  private Repository() {}

  /** A file of the repository: surefire says in which module a test runs. */
  static Path file(String name) {
    Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath().normalize();
    for (Path folder = module; folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve("core/pom.xml"))) {
        return folder.resolve(name);
      }
    }
    throw new IllegalStateException("no repository around " + module);
  }

  /** Checks that {@code millrace} takes these arguments, without doing what they say. */
  static void parse(List<String> arguments) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Main.commandLine(nowhere, nowhere).parseArgs(arguments.toArray(String[]::new));
  }

  /** What lies at a path of names and indexes, such as {@code spec.containers.0.name}. */
  static Object at(Object from, String path) {
    Object now = from;
    for (String step : path.split("\\.", -1)) {
      now =
          Objects.requireNonNull(
              now instanceof List<?> list
                  ? list.get(Integer.parseInt(step))
                  : ((Map<?, ?>) now).get(step),
              path);
    }
    return now;
  }
}
