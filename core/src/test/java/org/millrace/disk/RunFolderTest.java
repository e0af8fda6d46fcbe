package org.millrace.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.error.MillraceException;

final class RunFolderTest {

  private static final int MAX = 107;

  @TempDir private Path directory;

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void theFolderIsItsOwnersUnlessItIsShared() throws IOException {
    assertThat(mode(RunFolder.make(directory, false).path())).isEqualTo("rwx------");
    RunFolder shared = RunFolder.make(directory, true);
    assertThat(mode(shared.path())).isEqualTo("rwxr-xr-x");
    Path socket = Files.createFile(shared.file("socket"));
    shared.admit(socket);
    assertThat(mode(socket)).isEqualTo("rw-rw-rw-");
  }

  @Test
  void aFolderThatSomebodyElseMadeFirstIsNeitherUsedNorChanged() throws IOException {
    String user = System.getProperty("user.name");
    Path expected = directory.resolve("millrace-" + user);
    assertThat(RunFolder.ofUser(directory).path()).isEqualTo(expected);
    Files.delete(expected);
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.createSymbolicLink(expected, elsewhere);
    Path beside = RunFolder.ofUser(directory).path();
    assertThat(beside.toString()).startsWith(expected + "-");
    assertThat(mode(beside)).isEqualTo("rwx------");
    assertThat(mode(elsewhere)).isEqualTo("rwxrwxrwx");
    Files.delete(expected);
    assumeThat(user).as("only root can make a folder somebody else's").isEqualTo("root");
    Files.createDirectory(expected);
    Files.setOwner(
        expected,
        expected.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
    assertThat(RunFolder.ofUser(directory).path().toString()).startsWith(expected + "-");
    assertThat(expected).isEmptyDirectory();
  }

  /** A file that was renamed but not forced may have no bytes, or zeros, after a power loss. */
  @Test
  void aFileWithoutTextIsNone() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    for (String left : new String[] {"", "\0\0\0\0", "\n"}) {
      Files.writeString(folder.file("f"), left);
      assertThat(folder.read("f")).isEmpty();
    }
    folder.write("f", "text");
    assertThat(folder.read("f")).contains("text");
  }

  @Test
  void filesAreReplacedWhole() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    assertThat(folder.read("a")).isEmpty();
    folder.write("a", "one");
    folder.write("a", "two");
    assertThat(folder.read("a")).contains("two");
    try (var all = Files.list(folder.path())) {
      assertThat(all).containsExactly(folder.file("a"));
    }
    assertThat(folder.delete("a")).isTrue();
    assertThat(folder.delete("a")).isFalse();
  }

  @Test
  void aSocketWhosePathIsTooLongGoesElsewhereAndAlwaysToTheSamePlace() throws IOException {
    RunFolder near = RunFolder.make(directory, false);
    assertThat(near.socket("s", MAX)).isEqualTo(near.file("s"));
    Path deep = directory.resolve("x".repeat(100));
    RunFolder far = RunFolder.make(deep, false);
    Path socket = far.socket("s", MAX);
    assertThat(socket.toString().length()).isLessThanOrEqualTo(MAX);
    assertThat(RunFolder.make(deep, false).socket("s", MAX)).isEqualTo(socket);
    Path folder = requireNonNull(socket.getParent());
    assertThat(mode(folder)).isEqualTo("rwx------");
    Files.delete(folder);
  }

  @Test
  void namesAreNoPaths() throws IOException {
    RunFolder folder = RunFolder.make(directory, false);
    assertThatThrownBy(() -> folder.file("../x")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSecretIsMadeOnceAndForItsOwnerAlone() throws IOException {
    byte[] first = SecretFile.readOrMake(directory, () -> new byte[] {1, 2, 3});
    byte[] again = SecretFile.readOrMake(directory, () -> new byte[] {4, 5, 6});
    assertThat(first).containsExactly(1, 2, 3);
    assertThat(again).containsExactly(1, 2, 3);
    Path file = directory.resolve("secret");
    assertThat(mode(file)).isEqualTo("rw-------");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> SecretFile.read(directory))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("chmod 600")
        .hasMessageNotContaining("010203");
  }

  @Test
  void anEmptySecretIsAnErrorThatSaysWhatToDo() throws IOException {
    Path file = directory.resolve("secret");
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    assertThatThrownBy(() -> SecretFile.readOrMake(directory, () -> new byte[] {1, 2}))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("removed while no process");
  }
}
