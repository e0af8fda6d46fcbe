package org.millrace.nio;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.millrace.files.FilePath;

/**
 * A path of a cluster, as Unix has them: names between slashes, from the root if it begins with
 * one. Relative paths are relative to the root. Immutable.
 */
final class MillracePath implements Path {

  private final MillraceFileSystem fileSystem;
  private final boolean absolute;
  private final List<String> names; // one empty name: the empty path

  private MillracePath(MillraceFileSystem fileSystem, boolean absolute, List<String> names) {
    this.fileSystem = fileSystem;
    this.absolute = absolute;
    this.names = names;
  }

  /** The path that a text means; more than one slash is as one, and one at the end is as none. */
  static MillracePath parse(MillraceFileSystem fileSystem, String text) {
    int nul = text.indexOf('\0');
    if (nul >= 0) {
      throw new InvalidPathException(text, "a name contains the character NUL", nul);
    }
    boolean absolute = text.startsWith("/");
    List<String> names = Arrays.stream(text.split("/")).filter(name -> !name.isEmpty()).toList();
    return of(fileSystem, absolute, names);
  }

  private static MillracePath of(
      MillraceFileSystem fileSystem, boolean absolute, List<String> names) {
    return new MillracePath(
        fileSystem, absolute, names.isEmpty() && !absolute ? List.of("") : List.copyOf(names));
  }

  private MillracePath of(boolean rooted, List<String> other) {
    return of(fileSystem, rooted, other);
  }

  static MillracePath of(Path path) {
    if (path instanceof MillracePath ours) {
      return ours;
    }
    throw new ProviderMismatchException(
        path + " is a path of " + path.getFileSystem() + ", not of a Millrace cluster");
  }

  private MillracePath same(Path other) {
    MillracePath ours = of(other);
    if (ours.fileSystem != fileSystem) {
      throw new ProviderMismatchException(other + " is a path of another cluster");
    }
    return ours;
  }

  /** How the cluster's tree calls it. */
  FilePath inTree(LinkOption... options) {
    FilePath path = FilePath.of(toAbsolutePath().toString());
    return Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS) ? path.notFollowing() : path;
  }

  boolean isEmpty() {
    return !absolute && names.getFirst().isEmpty();
  }

  boolean isRoot() {
    return absolute && names.isEmpty();
  }

  @Override
  public FileSystem getFileSystem() {
    return fileSystem;
  }

  MillraceFileSystem fileSystem() {
    return fileSystem;
  }

  @Override
  public boolean isAbsolute() {
    return absolute;
  }

  @Override
  public @Nullable Path getRoot() {
    return absolute ? of(true, List.of()) : null;
  }

  @Override
  public @Nullable Path getFileName() {
    return names.isEmpty() ? null : of(false, List.of(names.getLast()));
  }

  @Override
  public @Nullable Path getParent() {
    if (names.isEmpty() || (names.size() == 1 && !absolute)) {
      return null;
    }
    return of(absolute, names.subList(0, names.size() - 1));
  }

  @Override
  public int getNameCount() {
    return names.size();
  }

  @Override
  public Path getName(int index) {
    if (index < 0 || index >= names.size()) {
      throw new IllegalArgumentException("name %s of %s".formatted(index, names.size()));
    }
    return of(false, List.of(names.get(index)));
  }

  @Override
  public Path subpath(int begin, int end) {
    if (begin < 0 || end > names.size() || begin >= end) {
      throw new IllegalArgumentException(
          "names %s to %s of %s".formatted(begin, end, names.size()));
    }
    return of(false, names.subList(begin, end));
  }

  @Override
  public boolean startsWith(Path other) {
    if (!(other instanceof MillracePath ours) || ours.fileSystem != fileSystem) {
      return false;
    }
    if (isEmpty() || ours.isEmpty()) {
      return isEmpty() && ours.isEmpty();
    }
    return ours.absolute == absolute
        && ours.names.size() <= names.size()
        && names.subList(0, ours.names.size()).equals(ours.names);
  }

  @Override
  public boolean endsWith(Path other) {
    if (!(other instanceof MillracePath ours) || ours.fileSystem != fileSystem) {
      return false;
    }
    if (isEmpty() || ours.isEmpty()) {
      return isEmpty() && ours.isEmpty();
    }
    if (ours.absolute) {
      return equals(ours);
    }
    int skipped = names.size() - ours.names.size();
    return skipped >= 0 && names.subList(skipped, names.size()).equals(ours.names);
  }

  @Override
  public Path normalize() {
    List<String> kept = new ArrayList<>();
    for (String name : names) {
      boolean back = name.equals("..");
      if (back && !kept.isEmpty() && !kept.getLast().equals("..")) {
        kept.removeLast();
      } else if (!name.equals(".") && !name.isEmpty() && !(back && absolute)) {
        kept.add(name);
      }
    }
    return of(absolute, kept);
  }

  @Override
  public Path resolve(Path other) {
    MillracePath ours = same(other);
    if (ours.absolute || isEmpty()) {
      return ours;
    }
    if (ours.isEmpty()) {
      return this;
    }
    List<String> all = new ArrayList<>(names);
    all.addAll(ours.names);
    return of(absolute, all);
  }

  @Override
  public Path relativize(Path other) {
    MillracePath ours = same(other);
    if (ours.absolute != absolute) {
      throw new IllegalArgumentException(
          "%s and %s: one is absolute and one is not".formatted(this, other));
    }
    List<String> from = isEmpty() ? List.of() : names;
    List<String> to = ours.isEmpty() ? List.of() : ours.names;
    int common = 0;
    while (common < Math.min(from.size(), to.size()) && from.get(common).equals(to.get(common))) {
      common++;
    }
    List<String> left = from.subList(common, from.size());
    if (left.contains("..")) {
      throw new IllegalArgumentException(
          "no path leads from %s to %s: it is not known what .. is".formatted(this, other));
    }
    List<String> steps = new ArrayList<>();
    left.stream().filter(name -> !name.equals(".")).forEach(_ -> steps.add(".."));
    steps.addAll(to.subList(common, to.size()));
    return of(false, steps);
  }

  @Override
  public URI toUri() {
    return ClusterUri.of(fileSystem.location(), toAbsolutePath().toString());
  }

  @Override
  public Path toAbsolutePath() {
    return absolute ? this : of(true, isEmpty() ? List.of() : names);
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    return RealPath.of(this, options);
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
      throws IOException {
    if (!(watcher instanceof PollingWatchService ours) || !ours.watches(fileSystem)) {
      throw new ProviderMismatchException("the watch service is not of this cluster");
    }
    return ours.register(this, List.of(events));
  }

  @Override
  public int compareTo(Path other) {
    MillracePath ours = (MillracePath) other; // the contract wants a ClassCastException
    int byText = toString().compareTo(ours.toString());
    return byText != 0 || equals(ours)
        ? byText
        : Integer.compare(
            System.identityHashCode(fileSystem), System.identityHashCode(ours.fileSystem));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MillracePath ours
        && ours.fileSystem == fileSystem
        && ours.absolute == absolute
        && ours.names.equals(names);
  }

  @Override
  public int hashCode() {
    return 31 * names.hashCode() + Boolean.hashCode(absolute);
  }

  @Override
  public String toString() {
    return (absolute ? "/" : "") + String.join("/", names);
  }
}
