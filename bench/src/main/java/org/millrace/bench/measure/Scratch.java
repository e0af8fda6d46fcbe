package org.millrace.bench.measure;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder for the time of a run. Closing removes it with all that is in it. So does the end of the
 * JVM, when it is interrupted or asked to terminate; first it ends the processes that it has
 * started, which would go on to write.
 *
 * <p>Used by one thread.
 */
public final class Scratch implements AutoCloseable {

  private static final long TIMEOUT_SECONDS = 5;
  private static final int MAX_TRIES = 20;

  private final Path parent;
  private final Path folder;
  private final boolean parentIsOurs;
  private final Thread hook;

  /** Makes a folder in {@code parent}, which is created if it is missing. */
  public Scratch(Path parent) throws IOException {
    this.parent = parent;
    parentIsOurs = !Files.exists(parent);
    folder = Files.createTempDirectory(Files.createDirectories(parent), "bench-");
    // Not from an Env: the JVM itself starts it, and only wants to be given it unstarted.
    hook = Thread.ofPlatform().name("scratch").unstarted(this::abandon);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** An empty folder of that name. */
  public Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  /** Throws if the disk has less room: when it is full, many things fail, and few say why. */
  public void checkSpace(long bytes) throws IOException {
    long room = Files.getFileStore(folder).getUsableSpace();
    if (room < bytes) {
      throw new IOException(
          "%s: the disk has room for %s MiB, but %s are needed"
              .formatted(parent, room >> 20, (bytes >> 20) + 1));
    }
  }

  @Override
  public void close() throws IOException {
    try {
      removeAll();
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        stay(); // the hook is at work
      }
    }
  }

  private void removeAll() throws IOException {
    if (Files.exists(folder)) {
      remove(folder);
    }
    if (parentIsOurs) {
      try {
        Files.deleteIfExists(parent);
      } catch (DirectoryNotEmptyException e) {
        // another run has begun in it, and leaves it behind
      }
    }
  }

  /** A run that is cut short has nothing to say but that its processes have ended. */
  private static void stay() {
    while (true) {
      LockSupport.park(); // until the hooks are done and the JVM halts
    }
  }

  private void abandon() {
    try (Stream<ProcessHandle> children = ProcessHandle.current().children()) {
      children.forEach(ProcessHandle::destroy); // a launcher of others ends them, too
    }
    try (Stream<ProcessHandle> left = ProcessHandle.current().descendants()) {
      await(left.map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new));
    }
    try (Stream<ProcessHandle> left = ProcessHandle.current().descendants()) {
      left.forEach(ProcessHandle::destroyForcibly);
    }
    for (int i = 0; i < MAX_TRIES; i++) {
      try {
        removeAll();
        return;
      } catch (IOException e) {
        // a thread of this JVM has made or removed a file meanwhile; it will soon find none
      }
    }
  }

  private static void await(CompletableFuture<?>[] ends) {
    try {
      CompletableFuture.allOf(ends).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // they will be made to
    }
  }

  /** Removes a folder with all that is in it. */
  public static void remove(Path tree) throws IOException {
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
