package org.millrace.nio;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;

/** Follows the links of a path, name by name. Stateless. */
final class RealPath {

  private static final int MAX_LINKS = 40;

  private RealPath() {}

  /** The path without links and dots; with NOFOLLOW_LINKS links stay, and {@code ..} is cut. */
  static Path of(MillracePath path, LinkOption... options) throws IOException {
    boolean follow = !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS);
    MillracePath absolute = (MillracePath) path.toAbsolutePath();
    MillraceFileSystem fileSystem = path.fileSystem();
    if (!follow) {
      MillracePath normal = (MillracePath) absolute.normalize();
      fileSystem.run(normal, tree -> tree.stat(normal.inTree(options)));
      return normal;
    }
    Deque<String> left = new ArrayDeque<>(names(absolute.toString()));
    Path found = fileSystem.getPath("/");
    int links = 0;
    while (!left.isEmpty()) {
      String name = left.removeFirst();
      if (name.equals("..")) {
        found = found.getParent() == null ? found : found.getParent();
      } else if (!name.equals(".")) {
        Path next = found.resolve(name);
        FilePath at = FilePath.of(next.toString()).notFollowing();
        FileStatus status = fileSystem.call(path, tree -> tree.stat(at));
        if (status.kind() != FileKind.LINK) {
          found = next;
        } else if (++links > MAX_LINKS) {
          throw new FileSystemLoopException(path.toString());
        } else {
          String target = fileSystem.call(path, tree -> tree.readLink(at));
          found = target.startsWith("/") ? fileSystem.getPath("/") : found;
          names(target).reversed().forEach(left::addFirst);
        }
      }
    }
    return found;
  }

  private static List<String> names(String path) {
    return Arrays.stream(path.split("/")).filter(name -> !name.isEmpty()).toList();
  }
}
