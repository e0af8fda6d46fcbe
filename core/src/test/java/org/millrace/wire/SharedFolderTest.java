package org.millrace.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;

final class SharedFolderTest {

  private static final long BYTES = 10_000;

  @TempDir private Path base;
  private SharedFolder folder;

  SharedFolderTest() {}

  @BeforeEach
  void open() throws IOException {
    folder = SharedFolder.open(Env.real(), base);
  }

  @Test
  void whatOneSideWritesTheOtherReads() throws IOException {
    try (SharedMemory one = folder.create(BYTES);
        SharedMemory two = folder.attach(one.path(), BYTES)) {
      assertThat(one.segment().mismatch(MemorySegment.ofArray(new byte[(int) BYTES])))
          .isEqualTo(-1);
      one.segment().set(ValueLayout.JAVA_LONG, 8, 42);
      assertThat(two.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
      assertThat(two.bytes()).isEqualTo(BYTES);
    }
    assertThat(left()).isEmpty();
  }

  @Test
  void onlyTheUserMayEnterOrRead() throws IOException {
    try (SharedMemory memory = folder.create(BYTES)) {
      assertThat(mode(folder.path())).isEqualTo("rwx------");
      assertThat(mode(memory.path())).isEqualTo("rw-------");
    }
  }

  @Test
  void allPagesAreThereFromTheStart() throws IOException {
    try (SharedMemory memory = folder.create(1 << 20)) {
      long blocks = Long.parseLong(stat("%b", memory.path()));
      assertThat(blocks * 512).isGreaterThanOrEqualTo(1 << 20);
    }
  }

  @Test
  void unlinkedMemoryStaysUsableButCannotBeAttached() throws IOException {
    try (SharedMemory one = folder.create(BYTES);
        SharedMemory two = folder.attach(one.path(), BYTES)) {
      one.unlink();
      one.segment().set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 7);
      assertThat(two.segment().get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) 7);
      assertRefused(one.path(), BYTES, "is not there");
    }
  }

  @Test
  void otherSizeIsRefused() throws IOException {
    try (SharedMemory memory = folder.create(BYTES)) {
      assertRefused(memory.path(), BYTES + 1, "10000 bytes, not 10001");
      assertRefused(memory.path(), BYTES - 1, "10000 bytes, not 9999");
    }
  }

  @Test
  void symbolicLinksAreRefused() throws IOException {
    try (SharedMemory memory = folder.create(BYTES)) {
      Path link = Files.createSymbolicLink(folder.path().resolve("link"), memory.path());
      assertRefused(link, BYTES, "is not a regular file");
      Path around = Files.createSymbolicLink(base.resolve("around"), folder.path());
      assertRefused(around.resolve(memory.path().getFileName()), BYTES, "not a directory");
    }
  }

  @Test
  void foldersAndRelativePathsAreRefused() throws IOException {
    assertRefused(
        Files.createDirectory(folder.path().resolve("folder")), BYTES, "is not a regular file");
    assertRefused(Path.of("x"), BYTES, "whole path");
    assertRefused(folder.path().resolve("../" + folder.path().getFileName()), 1, "whole path");
  }

  @Test
  void filesThatOthersMayUseAreRefused() throws IOException {
    try (SharedMemory memory = folder.create(BYTES)) {
      Files.setPosixFilePermissions(memory.path(), PosixFilePermissions.fromString("rw-r-----"));
      assertRefused(memory.path(), BYTES, "open to others");
      Files.setPosixFilePermissions(memory.path(), PosixFilePermissions.fromString("rw-------"));
      Files.setPosixFilePermissions(folder.path(), PosixFilePermissions.fromString("rwx-wx---"));
      assertRefused(memory.path(), BYTES, "open to others");
      assertThatThrownBy(() -> SharedFolder.open(Env.real(), base))
          .hasMessageContaining("open to others");
    }
  }

  @Test
  void filesOfOthersAreRefused() throws IOException {
    try (SharedMemory memory = folder.create(BYTES)) {
      try {
        Files.setAttribute(memory.path(), "unix:uid", 54321);
      } catch (FileSystemException e) {
        // Not everybody can give files away; but then there are files of somebody else.
        assertRefused(Path.of("/etc/passwd"), Files.size(Path.of("/etc/passwd")), "belongs to");
        return;
      }
      assertRefused(memory.path(), BYTES, "belongs to 54321");
      Files.setAttribute(folder.path(), "unix:uid", 54321);
      assertThatThrownBy(() -> SharedFolder.open(Env.real(), base))
          .hasMessageContaining("belongs to 54321");
    }
  }

  @Test
  void memoryThatCannotBeHadIsAnErrorAndLeavesNothing() throws IOException {
    assertThatThrownBy(() -> folder.create(0)).isInstanceOf(IllegalArgumentException.class);
    Files.delete(folder.path());
    assertThatThrownBy(() -> folder.create(1)).isInstanceOf(IOException.class);
  }

  @Test
  void whatDeadProcessesLeftIsRemovedAndNothingElse() throws IOException {
    Creator self = Creator.self();
    Path pidOfAnother =
        Files.createFile(folder.path().resolve(new Creator(self.space(), self.pid(), 1).name(1)));
    Path otherSpace =
        Files.createFile(folder.path().resolve(new Creator(1, self.pid(), 1).name(2)));
    Path foreign = Files.createFile(folder.path().resolve("foreign"));
    try (SharedMemory first = folder.create(BYTES);
        SharedMemory second = SharedFolder.open(Env.real(), base).create(BYTES)) {
      assertThat(left())
          .containsExactlyInAnyOrder(first.path(), second.path(), otherSpace, foreign);
      assertThat(pidOfAnother).doesNotExist();
    }
  }

  @Test
  void killedProcessLeavesNothingAfterTheNextStart() throws Exception {
    Process child = Child.start("leave", base.toString());
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8))) {
      assertThat(output.readLine()).contains("5000 bytes");
      assertThat(left()).hasSize(2);
      folder.create(BYTES).close();
      assertThat(left()).as("of the living").hasSize(2);
    } finally {
      child.destroyForcibly().waitFor();
    }
    assertThat(left()).as("the child had no chance to tidy up").hasSize(2);
    folder.create(BYTES).close();
    assertThat(left()).isEmpty();
  }

  private void assertRefused(Path path, long bytes, String reason) {
    assertThatThrownBy(() -> folder.attach(path, bytes))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(reason);
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(folder.path())) {
      return files.toList();
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static String stat(String format, Path path) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", format, path.toString()).start();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(stat.getInputStream(), UTF_8))) {
      return output.readLine();
    }
  }
}
