package org.millrace.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The files of a machine that tell about it. Immutable.
 *
 * @param root where its files are: / of this machine
 * @param path folders with commands, as the PATH has them
 */
record Host(Path root, List<Path> path) {

  /** The machine that this runs on. */
  static Host here() {
    String path = System.getenv().getOrDefault("PATH", "");
    return new Host(
        Path.of("/"),
        List.of(path.split(":", -1)).stream().filter(one -> !one.isEmpty()).map(Path::of).toList());
  }

  /** A file by its absolute path. */
  Path file(String name) {
    return root.resolve(name.substring(1));
  }

  /** The text of a file without spaces around it; empty if it cannot be read. */
  Optional<String> read(String name) {
    try {
      return Optional.of(Files.readString(file(name)).strip());
    } catch (IOException e) {
      return Optional.empty(); // a kernel, or a container, without it
    }
  }

  /** Where a command is. */
  Optional<Path> command(String name) {
    return path.stream()
        .map(folder -> folder.resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
