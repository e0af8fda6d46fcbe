package org.millrace.coordinator;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;

/**
 * The way through the tree that a path describes, as POSIX resolves it: empty names and {@code .}
 * stay where they are, {@code ..} goes up (in the root it stays), symbolic links on the way are
 * followed, and one at the end if that is wanted or a slash follows it. Every directory on the way
 * must let the user through.
 *
 * <p>Made for one path. Guarded by the coordinator's lock.
 */
final class PathWalk {

  /** How many symbolic links are followed. */
  static final int MAX_LINKS = 40;

  /** Lets a user go through a directory, or throws. */
  interface Gate {
    void pass(NameEntry directory) throws MillraceException;
  }

  /**
   * What a path names.
   *
   * @param parent the directory in which its last name lies, or would lie
   * @param name the last name; empty if the path ends in none, but in {@code ..} or itself
   * @param entry what has this name, if there is something
   * @param slash whether the path wants a directory
   */
  record Found(NameEntry parent, String name, Optional<NameEntry> entry, boolean slash) {

    private static Found of(NameEntry entry) {
      return new Found(entry.parent, "", Optional.of(entry), false);
    }
  }

  // constant after construction
  private final NameEntry root;
  private final String shown;
  private final Gate gate;

  // while it walks
  private final Deque<String> rest = new ArrayDeque<>();
  private boolean slash;
  private int links;

  /**
   * A walk.
   *
   * @param shown the path, for messages
   */
  PathWalk(NameEntry root, String shown, Gate gate) {
    this.root = root;
    this.shown = shown;
    this.gate = gate;
  }

  /** Walks from a directory; the empty path is {@code from} itself, which may be anything. */
  Found walk(NameEntry from, String path, boolean follow) throws MillraceException {
    Paths.checkText(path);
    Found found = Found.of(from);
    if (path.isEmpty()) {
      return found;
    }
    NameEntry at = turn(from, path);
    found = Found.of(at);
    while (!rest.isEmpty()) {
      String name = rest.pop();
      checkDirectory(at);
      gate.pass(at);
      if (name.equals(".") || name.equals("..")) {
        at = name.equals(".") ? at : at.parent;
        found = Found.of(at);
        continue;
      }
      Paths.checkLength(name, shown);
      NameEntry next = at.children.get(name);
      boolean last = rest.isEmpty();
      if (next == null) {
        if (!last) {
          throw absent(at, name, false);
        }
        return new Found(at, name, Optional.empty(), slash);
      }
      if (next.isLink() && (!last || follow || slash)) {
        at = follow(at, next);
        found = Found.of(at);
      } else {
        found = new Found(at, name, Optional.of(next), slash);
        at = next;
      }
    }
    if (slash) {
      checkDirectory(at);
    }
    return found;
  }

  /** What a path names that must be there. */
  NameEntry require(NameEntry from, String path, boolean follow) throws MillraceException {
    return require(walk(from, path, follow));
  }

  NameEntry require(Found found) throws NoSuchNameException {
    if (found.entry().isEmpty()) {
      throw absent(found.parent(), found.name(), true);
    }
    return found.entry().get();
  }

  private NameEntry follow(NameEntry at, NameEntry link) throws MillraceException {
    if (++links > MAX_LINKS) {
      throw new MillraceException(
          ErrorCode.LOOP,
          "more than %s symbolic links on the way to %s".formatted(MAX_LINKS, Paths.show(shown)));
    }
    return turn(at, link.target);
  }

  /** Goes on along a path; returns where it begins. */
  private NameEntry turn(NameEntry at, String path) {
    if (rest.isEmpty() && path.endsWith("/")) {
      slash = true;
    }
    for (String name : List.of(path.split("/")).reversed()) {
      if (!name.isEmpty()) {
        rest.push(name);
      }
    }
    return path.startsWith("/") ? root : at;
  }

  private NoSuchNameException absent(NameEntry directory, String name, boolean last) {
    String path = directory.isRoot() ? name : directory.path() + "/" + name;
    return new NoSuchNameException(
        last
            ? "there is no " + Paths.show(path)
            : "there is no directory %s; make it with millrace mkdir, or makeDirectory"
                .formatted(Paths.show(path)));
  }

  private void checkDirectory(NameEntry at) throws MillraceException {
    if (!at.isDirectory()) {
      throw new MillraceException(
          ErrorCode.NOT_A_DIRECTORY,
          "%s on the way to %s is %s, not a directory"
              .formatted(Paths.show(at.path()), Paths.show(shown), at.kindName()));
    }
  }
}
