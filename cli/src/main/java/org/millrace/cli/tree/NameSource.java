package org.millrace.cli.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.client.FileNames;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.layout.FileEntry;

/** The names that patterns are compared with. Used by one thread. */
public interface NameSource {

  /** Names in a directory, in their order; those of directories end in a slash. */
  List<String> list(String directory) throws IOException;

  /** Whether a path names a directory; empty if it names nothing. */
  Optional<Boolean> isDirectory(String path) throws IOException;

  /** The names that a rank sees. */
  static NameSource of(FileNames names) {
    return new NameSource() {
      @Override
      public List<String> list(String directory) throws IOException {
        return names.list(directory);
      }

      @Override
      public Optional<Boolean> isDirectory(String path) throws IOException {
        return path.isEmpty()
            ? Optional.of(true)
            : FilePaths.find(names, path).map(FileEntry::isDirectory);
      }
    };
  }

  /** The names that a program sees that is no rank. */
  static NameSource of(FileTree tree) {
    return new NameSource() {
      private static final int PAGE = 1000;

      @Override
      public List<String> list(String directory) throws IOException {
        List<String> names = new ArrayList<>();
        String after = "";
        boolean more = true;
        while (more) {
          FileListing part = tree.list(FilePath.of(directory), after, PAGE);
          for (FileListing.Entry one : part.entries()) {
            boolean below = one.status().kind() == FileKind.DIRECTORY;
            names.add(below ? one.name() + "/" : one.name());
            after = one.name();
          }
          more = part.more() && !part.entries().isEmpty();
        }
        return names;
      }

      @Override
      public Optional<Boolean> isDirectory(String path) throws IOException {
        try {
          return Optional.of(tree.stat(FilePath.of(path)).kind() == FileKind.DIRECTORY);
        } catch (MillraceException e) {
          if (e.code() == ErrorCode.NO_SUCH_NAME || e.code() == ErrorCode.NOT_A_DIRECTORY) {
            return Optional.empty();
          }
          throw e;
        }
      }
    };
  }
}
