package org.millrace.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.error.CorruptBlockException;
import org.millrace.files.FileHandle;
import org.millrace.files.FileTree;

/** In which order a small file is written, forced, compared and named. */
final class SmallUploadsTest {

  @TempDir private Path folder;
  private RunningCluster cluster;
  private FileTree tree;

  /** What was called, in order. */
  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

  private boolean damaged;
  private boolean stopped;

  @BeforeEach
  void makeCluster() throws IOException {
    cluster = RunningCluster.embedded(folder.resolve("cluster"), 2);
    tree = cluster.files();
  }

  @AfterEach
  void closeCluster() throws IOException {
    tree.close();
    cluster.close();
  }

  private void put(String name, boolean replace) throws IOException {
    Path source = folder.resolve(name);
    FileCopier courier = new FileCopier(Env.real(), _ -> {}, () -> stopped);
    new SmallUploads(courier, replace, true, new CopiesOutcome(1, "put"))
        .put(
            new SmallFiles(Env.real(), () -> watched(FileTree.class, tree)),
            List.of(new Uploads.Wanted(source, name, replace)));
  }

  /** The same, with every call noted. */
  private <T> T watched(Class<T> kind, T real) {
    return kind.cast(
        Proxy.newProxyInstance(
            kind.getClassLoader(),
            new Class<?>[] {kind},
            (_, method, args) -> {
              calls.add(method.getName());
              Object result = call(real, method, args);
              if (damaged && method.getName().equals("read")) {
                MemorySegment bytes = (MemorySegment) args[1];
                bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) 'x');
              }
              return result instanceof FileHandle file ? watched(FileHandle.class, file) : result;
            }));
  }

  private static Object call(Object real, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(real, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private List<String> names() throws IOException {
    return SmallDownloads.children(tree, "").stream().map(Downloads.Child::name).toList();
  }

  @Test
  void aFileIsNamedAfterItIsDurableAndCompared() throws IOException {
    Files.writeString(folder.resolve("a"), "some bytes");
    put("a", false);
    assertThat(calls).containsExactly("open", "write", "force", "read", "close", "list", "rename");
    assertThat(names()).containsExactly("a");
  }

  @Test
  void whatArrivesDamagedGetsNoNameAndTheOldFileStays() throws IOException {
    Files.writeString(folder.resolve("a"), "old");
    put("a", false);
    Files.writeString(folder.resolve("a"), "new bytes");
    damaged = true;
    assertThatThrownBy(() -> put("a", true))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("nothing was kept");
    assertThat(names()).containsExactly("a");
    assertThat(SmallDownloads.children(tree, "").getFirst().bytes()).isEqualTo(3);
  }

  @Test
  void aCommandThatWasInterruptedBeginsNoFile() throws IOException {
    Files.writeString(folder.resolve("a"), "some bytes");
    stopped = true;
    assertThatThrownBy(() -> put("a", false)).isInstanceOf(InterruptedIOException.class);
    assertThat(calls).isEmpty();
  }

  @Test
  void directoriesOfManyNamesAreListedInPages() throws IOException {
    Files.writeString(folder.resolve("a"), "");
    List<String> wanted =
        IntStream.range(0, 2100).mapToObj("f%04d"::formatted).toList(); // three pages
    try (SmallFiles files = new SmallFiles(Env.real(), cluster::files)) {
      FileCopier courier = new FileCopier(Env.real(), _ -> {}, () -> false);
      new SmallUploads(courier, false, true, new CopiesOutcome(1, "put"))
          .put(
              files,
              wanted.stream()
                  .map(name -> new Uploads.Wanted(folder.resolve("a"), name, false))
                  .toList());
    }
    assertThat(names()).containsExactlyElementsOf(wanted);
  }
}
