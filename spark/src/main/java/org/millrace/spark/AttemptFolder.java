package org.millrace.spark;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.apache.spark.BarrierTaskContext;
import org.jspecify.annotations.Nullable;

/**
 * Where the node of one rank keeps its files, in one attempt of a stage:
 *
 * <pre>
 *   DIRECTORY/RUN.STAGE.ATTEMPT/rank-N
 * </pre>
 *
 * Making it removes what earlier attempts of the run have left on this host, whose executors were
 * killed. Closing removes it. Used by one thread.
 */
final class AttemptFolder implements AutoCloseable {

  private final Path own;

  private AttemptFolder(Path own) {
    this.own = own;
  }

  static AttemptFolder make(Path directory, String run, BarrierTaskContext context)
      throws IOException {
    return make(
        directory, run, context.stageId(), context.stageAttemptNumber(), context.partitionId());
  }

  static AttemptFolder make(Path directory, String run, int stage, int attempt, int rank)
      throws IOException {
    Files.createDirectories(directory);
    String prefix = run + "." + stage + ".";
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, prefix + "*")) {
      for (Path one : all) {
        String number = one.getFileName().toString().substring(prefix.length());
        if (number.matches("[0-9]{1,9}") && Integer.parseInt(number) < attempt) {
          remove(one);
        }
      }
    }
    Path own = directory.resolve(prefix + attempt, "rank-" + rank);
    Files.createDirectories(own);
    return new AttemptFolder(own);
  }

  Path path() {
    return own;
  }

  /** Several ranks may remove the same at once. */
  private static void remove(Path top) throws IOException {
    Files.walkFileTree(
        top,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
              throws IOException {
            if (e != null && !(e instanceof NoSuchFileException)) {
              throw e;
            }
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  @Override
  public void close() throws IOException {
    try {
      remove(own);
      Files.deleteIfExists(own.getParent()); // the last rank of this host
    } catch (DirectoryNotEmptyException e) {
      // another rank of this host still has its own
    }
  }
}
