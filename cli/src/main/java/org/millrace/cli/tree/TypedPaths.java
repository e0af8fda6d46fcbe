package org.millrace.cli.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.error.NoSuchNameException;

/**
 * Paths in the cluster as people type them, patterns included: a shell expands only patterns of its
 * own files, so those of the cluster are quoted and expanded here. {@code **} stands for any number
 * of directories. Stateless.
 */
public final class TypedPaths {

  private static final String ANY_DEPTH = "**";

  private TypedPaths() {}

  /**
   * All paths that the words name, in the order of the words and of the names that each matches.
   *
   * @throws NoSuchNameException if a pattern matches nothing
   */
  public static List<String> expand(NameSource names, List<String> words) throws IOException {
    List<String> all = new ArrayList<>();
    for (String word : words) {
      all.addAll(expand(names, word));
    }
    return all;
  }

  private static List<String> expand(NameSource names, String word) throws IOException {
    String path = FilePaths.of(word);
    if (!NamePattern.isPattern(path) || names.isDirectory(path).isPresent()) {
      return List.of(path); // a name with a bracket in it names itself
    }
    List<String> found = List.of("");
    String[] parts = path.split("/+", -1);
    for (int i = 0; i < parts.length; i++) {
      boolean last = i == parts.length - 1;
      found = step(names, found, parts[i], last && !word.endsWith("/"));
    }
    if (found.isEmpty()) {
      throw new NoSuchNameException("nothing in the cluster matches " + FilePaths.shown(path));
    }
    return found;
  }

  /** One step down from each directory: to what {@code part} matches there. */
  private static List<String> step(
      NameSource names, List<String> directories, String part, boolean files) throws IOException {
    List<String> found = new ArrayList<>();
    for (String above : directories) {
      if (part.equals(ANY_DEPTH)) {
        addBelow(names, above, files, found);
      } else if (!NamePattern.isPattern(part)) {
        String path = FilePaths.in(above, part);
        if (names.isDirectory(path).filter(directory -> files || directory).isPresent()) {
          found.add(path);
        }
      } else {
        NamePattern pattern = NamePattern.of(part);
        for (String name : names.list(above)) {
          String plain = FilePaths.of(name);
          if ((files || name.endsWith("/")) && pattern.matches(plain)) {
            found.add(FilePaths.in(above, plain));
          }
        }
      }
    }
    return found;
  }

  private static void addBelow(
      NameSource names, String directory, boolean files, List<String> found) throws IOException {
    if (!files) {
      found.add(directory); // ** stands for no directory, too
    }
    for (String name : names.list(directory)) {
      String path = FilePaths.in(directory, FilePaths.of(name));
      if (name.endsWith("/")) {
        addBelow(names, path, files, found);
      } else if (files) {
        found.add(path);
      }
    }
  }
}
