package org.millrace.bench;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A folder for the time of a run. Closing removes it with all that is in it. */
final class Scratch implements AutoCloseable {

  private final Path parent;
  private final Path folder;
  private final boolean parentIsOurs;

  Scratch(Path parent) throws IOException {
    this.parent = parent;
    parentIsOurs = !Files.exists(parent);
    folder = Files.createTempDirectory(Files.createDirectories(parent), "bench-");
  }

  /** An empty folder of that name. */
  Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  @Override
  public void close() throws IOException {
    remove(folder);
    if (parentIsOurs) {
      Files.delete(parent);
    }
  }

  /** Removes a folder with all that is in it. */
  static void remove(Path tree) throws IOException {
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(dir);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
