package org.millrace.testing.files;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;

/**
 * Where a path leads.
 *
 * @param directory what the last name is in; the node itself if the path ends without a name
 * @param name the last name; empty, {@code .} or {@code ..} if it is none
 * @param node what has the name, if anything
 * @param slash whether a slash follows, so that it must be a directory
 */
record Place(MemoryNode directory, String name, Optional<MemoryNode> node, boolean slash) {

  private static final int MOST_LINKS = 40;

  static Place find(MemoryStore store, Caller caller, FilePath path) throws MillraceException {
    MemoryNode at = path.path().startsWith("/") ? store.root() : store.node(path.from());
    Deque<String> names = new ArrayDeque<>(split(path.path()));
    boolean slash = path.path().endsWith("/");
    Place place = new Place(at, "", Optional.of(at), slash);
    int links = 0;
    while (!names.isEmpty()) {
      MemoryNode directory = place.require(path);
      if (!directory.isDirectory()) {
        throw Refused.notDirectory(path);
      }
      caller.require(directory, Caller.SEARCH, path);
      String name = names.pop();
      place = step(directory, name, slash, path);
      boolean last = names.isEmpty();
      if (isLink(place) && (!last || path.follow() || slash)) {
        if (++links > MOST_LINKS) {
          throw Refused.tooManyLinks(path);
        }
        String target = place.require(path).target;
        List<String> more = split(target);
        for (int i = more.size() - 1; i >= 0; i--) {
          names.push(more.get(i));
        }
        MemoryNode next = target.startsWith("/") ? store.root() : directory;
        place = new Place(next, "", Optional.of(next), slash);
      }
    }
    if (slash && place.node().isPresent() && !place.require(path).isDirectory()) {
      throw Refused.notDirectory(path);
    }
    return place;
  }

  /** What is there. */
  MemoryNode require(Object path) throws MillraceException {
    return node.orElseThrow(() -> Refused.missing(path));
  }

  /** Whether the path ends with a name that can be given and taken. */
  boolean isNamed() {
    return !name.isEmpty() && !name.equals(".") && !name.equals("..");
  }

  private static boolean isLink(Place place) {
    return place.node().filter(node -> node.kind == FileKind.LINK).isPresent();
  }

  private static Place step(MemoryNode directory, String name, boolean slash, FilePath path)
      throws MillraceException {
    if (name.getBytes(StandardCharsets.UTF_8).length > 255) {
      throw Refused.longName(path);
    }
    Optional<MemoryNode> node =
        switch (name) {
          case "." -> Optional.of(directory);
          case ".." -> Optional.of(directory.parent == null ? directory : directory.parent);
          default -> Optional.ofNullable(directory.names.get(name));
        };
    return new Place(directory, name, node, slash);
  }

  private static List<String> split(String path) {
    return Arrays.stream(path.split("/")).filter(name -> !name.isEmpty()).toList();
  }
}
