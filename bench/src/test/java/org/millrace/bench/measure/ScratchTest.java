package org.millrace.bench.measure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ScratchTest {

  @TempDir private Path folder;

  /** A run that never ends by itself, with a process that does not, either. */
  static final class Endless {

    private Endless() {}

    /** Argument: the folder. */
    public static void main(String[] args) throws IOException {
      try (Scratch scratch = new Scratch(Path.of(args[0]))) {
        Files.writeString(scratch.folder("run").resolve("file"), "text");
        Process other = java(Waiting.class);
        System.out.println(other.pid());
        System.in.read();
        Files.writeString(scratch.folder("run").resolve("file"), "unexpected");
      }
    }
  }

  /** Waits for input that nobody gives. */
  static final class Waiting {

    private Waiting() {}

    /** No arguments. */
    public static void main(String[] args) throws IOException {
      System.in.read();
    }
  }

  private static Process java(Class<?> main, String... args) throws IOException {
    List<String> line = new ArrayList<>(ChildJvm.java());
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.add(main.getName());
    line.addAll(List.of(args));
    return new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @Test
  void aRunThatIsAskedToTerminateLeavesNeitherFilesNorProcesses() throws Exception {
    Path parent = folder.resolve("parent");
    Process run = java(Endless.class, parent.toString());
    try (BufferedReader out = run.inputReader(UTF_8)) {
      Optional<ProcessHandle> other = ProcessHandle.of(Long.parseLong(out.readLine()));
      assertThat(other).isPresent();
      assertThat(parent).isNotEmptyDirectory();
      run.destroy();
      assertThat(run.waitFor(5, TimeUnit.MINUTES)).isTrue();
      assertThat(parent).doesNotExist();
      other.orElseThrow().onExit().get(5, TimeUnit.MINUTES);
    } finally {
      run.destroyForcibly();
    }
  }

  @Test
  void theFolderAboveStaysWhileAnotherRunIsInIt() throws IOException {
    Path parent = folder.resolve("parent");
    Scratch first = new Scratch(parent);
    Scratch second = new Scratch(parent);
    first.close();
    assertThat(parent).exists();
    second.close();
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void tooLittleRoomIsSaidBeforeTheDiskIsFull() throws IOException {
    try (Scratch scratch = new Scratch(folder.resolve("parent"))) {
      scratch.checkSpace(1);
      assertThatThrownBy(() -> scratch.checkSpace(Long.MAX_VALUE))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("parent: the disk has room for ");
    }
  }

  @Test
  void aFolderThatWasThereStays() throws IOException {
    Files.writeString(folder.resolve("mine"), "text");
    Scratch scratch = new Scratch(folder);
    Files.writeString(scratch.folder("run").resolve("file"), "text");
    scratch.close();
    assertThat(folder.resolve("mine")).hasContent("text");
    try (Stream<Path> all = Files.list(folder)) {
      assertThat(all).hasSize(1);
    }
  }
}
