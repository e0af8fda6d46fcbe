package org.millrace.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.testing.ChildJava;

/** One holder at a time, in this process and in others. */
final class DirectoryLockTest {

  @TempDir Path directory;

  /** Run in another process: exits with 3 if the directory is in use, printing why. */
  public static void main(String[] args) throws IOException {
    try (DirectoryLock lock = DirectoryLock.acquire(Path.of(args[0]))) {
      System.out.println("locked " + lock.directory());
    } catch (MillraceException e) {
      System.out.println(e.code() + " " + e.getMessage());
      System.exit(3);
    }
  }

  private String otherProcess() throws Exception {
    Process process =
        new ProcessBuilder(
                ChildJava.command(
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    DirectoryLockTest.class.getName(),
                    directory.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + " " + output;
  }

  private void assertInUse() {
    assertThatThrownBy(() -> DirectoryLock.acquire(directory))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("pid " + ProcessHandle.current().pid());
  }

  @Test
  void secondHolderIsRefusedUntilTheFirstIsClosed() throws Exception {
    DirectoryLock lock = DirectoryLock.acquire(directory);
    assertInUse();
    assertInUse();
    assertThat(otherProcess())
        .as("the refused attempts in this process must not have given up the lock")
        .startsWith("3 IN_USE")
        .contains(directory.toString(), "pid " + ProcessHandle.current().pid());
    lock.close();
    lock.close();
    assertThat(otherProcess()).startsWith("0 locked");
    DirectoryLock.acquire(directory).close();
  }

  @Test
  void anotherPathToTheSameDirectoryIsTheSame() throws Exception {
    Path link = directory.resolveSibling(directory.getFileName() + "-link");
    Files.createSymbolicLink(link, directory);
    try (DirectoryLock lock = DirectoryLock.acquire(link)) {
      assertThat(lock.directory()).isEqualTo(link);
      assertInUse();
    } finally {
      Files.delete(link);
    }
  }

  @Test
  void missingDirectoryIsNamed() {
    assertThatThrownBy(() -> DirectoryLock.acquire(directory.resolve("gone")))
        .hasMessageContaining("gone");
  }
}
