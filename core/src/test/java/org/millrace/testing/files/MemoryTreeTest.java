package org.millrace.testing.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.FileTree.Setting;
import org.millrace.files.NewFile;

/** The oracle is right about what POSIX is strict about. */
final class MemoryTreeTest {

  private static final Set<Opening> NEW = Set.of(Opening.READ, Opening.WRITE, Opening.EXCLUSIVE);

  private final MemoryTree tree = new MemoryTree();

  @Test
  void pathsGoThroughDotsSlashesAndLinks() throws IOException {
    directory("a");
    directory("a/b");
    file("a/b/f");
    tree.makeLink(path("a/up"), "../a/./b//", NewFile.with(0777));
    long id = tree.stat(path("a/b/f")).id();
    assertThat(tree.stat(path("a/up/f")).id()).isEqualTo(id);
    assertThat(tree.stat(path("/a//b/../b/f")).id()).isEqualTo(id);
    assertThat(tree.stat(FilePath.of(tree.stat(path("a")).id(), "b/f")).id()).isEqualTo(id);
    assertThat(tree.stat(path("a/up").notFollowing()).kind()).isEqualTo(FileKind.LINK);
    assertThat(tree.stat(path("..")).id()).isEqualTo(FilePath.ROOT);
    refused(ErrorCode.NOT_A_DIRECTORY, () -> tree.stat(path("a/b/f/")));
    tree.makeLink(path("loop"), "loop", NewFile.with(0777));
    refused(ErrorCode.LOOP, () -> tree.stat(path("loop")));
  }

  @Test
  void directoryCountsTheDirectoriesInIt() throws IOException {
    directory("a");
    directory("a/b");
    file("a/f");
    assertThat(tree.stat(path("a")).links()).isEqualTo(3);
    assertThat(tree.stat(path("")).links()).isEqualTo(3);
  }

  @Test
  void renameReplacesOnlyItsLike() throws IOException {
    directory("d");
    directory("full");
    file("full/x");
    file("f");
    refused(ErrorCode.IS_DIRECTORY, () -> rename("f", "d"));
    refused(ErrorCode.NOT_A_DIRECTORY, () -> rename("d", "f"));
    refused(ErrorCode.NOT_EMPTY, () -> rename("d", "full"));
    refused(ErrorCode.INVALID, () -> rename("full", "full/below"));
    refused(ErrorCode.NAME_EXISTS, () -> tree.rename(path("f"), path("full/x"), Replacing.NEVER));
    rename("full", "d");
    assertThat(names("")).containsExactly("d", "f");
    tree.rename(path("d"), path("f"), Replacing.EXCHANGE);
    assertThat(tree.stat(path("f")).kind()).isEqualTo(FileKind.DIRECTORY);
    assertThat(tree.stat(path("f/..")).id()).isEqualTo(FilePath.ROOT);
  }

  @Test
  void renameOfOneFileToItsOtherNameDoesNothing() throws IOException {
    file("a");
    tree.link(path("a"), path("b"));
    rename("a", "b");
    assertThat(names("")).containsExactly("a", "b");
  }

  @Test
  void removedFileLivesWhileItIsOpen() throws IOException {
    FileHandle handle = tree.open(path("f"), NEW, NewFile.with(0600));
    tree.remove(path("f"), Removing.FILE);
    handle.write(0, bytes("hello"));
    assertThat(handle.status().links()).isZero();
    assertThat(tree.stat(FilePath.of(handle.id())).size()).isEqualTo(5);
    handle.close();
    refused(ErrorCode.NO_SUCH_NAME, () -> tree.stat(FilePath.of(handle.id())));
    refused(ErrorCode.CLOSED, () -> handle.size());
    assertThat(tree.openHandles()).isZero();
  }

  @Test
  void holesReadAsZeroAndCutBytesDoNotComeBack() throws IOException {
    try (FileHandle handle = tree.open(path("f"), NEW, NewFile.with(0600))) {
      handle.write(1 << 20, bytes("end"));
      assertThat(handle.nextData(0)).isEqualTo(OptionalLong.of(1 << 20));
      handle.resize((1 << 20) + 1);
      handle.resize((1 << 20) + 3);
      byte[] read = new byte[10];
      assertThat(handle.read(1 << 20, MemorySegment.ofArray(read))).isEqualTo(3);
      assertThat(read).startsWith('e', 0, 0);
      assertThat(handle.append(bytes("x"))).isEqualTo((1 << 20) + 3);
    }
  }

  @Test
  void listingGoesOnBehindAName() throws IOException {
    for (String name : List.of("b", "a", "\u00e9", "c", "\ud83d\ude00", "\uffee")) {
      file(name);
    }
    FileListing first = tree.list(path(""), "", 2);
    assertThat(first.more()).isTrue();
    FileListing second = tree.list(path(""), first.entries().getLast().name(), 9);
    assertThat(second.more()).isFalse();
    assertThat(second.entries().stream().map(FileListing.Entry::name))
        .containsExactly("c", "\u00e9", "\uffee", "\ud83d\ude00");
  }

  @Test
  void permissionsAreChecked() throws IOException {
    directory("open");
    tree.change(path("open"), FileChange.NONE.withPermissions(01777));
    MemoryTree anna = tree.sessionOf("anna", List.of("staff"));
    MemoryTree bert = tree.sessionOf("bert", List.of("staff"));
    refused(ErrorCode.NOT_PERMITTED, () -> anna.open(path("f"), NEW, NewFile.with(0600)));
    anna.open(path("open/f"), NEW, NewFile.with(0640)).close();
    bert.open(path("open/f"), Set.of(Opening.READ), NewFile.with(0)).close();
    refused(
        ErrorCode.NOT_PERMITTED,
        () -> bert.open(path("open/f"), Set.of(Opening.WRITE), NewFile.with(0)));
    refused(ErrorCode.NOT_OWNER, () -> bert.remove(path("open/f"), Removing.FILE));
    refused(
        ErrorCode.NOT_OWNER,
        () -> bert.change(path("open/f"), FileChange.NONE.withPermissions(0666)));
    refused(
        ErrorCode.NOT_OWNER, () -> anna.change(path("open/f"), FileChange.NONE.withOwner("bert")));
    anna.remove(path("open/f"), Removing.FILE);
  }

  @Test
  void setGroupDirectoryHandsItsGroupOn() throws IOException {
    directory("d");
    tree.change(path("d"), FileChange.NONE.withGroup("staff").withPermissions(02777));
    FileStatus inner = tree.makeDirectory(path("d/e"), NewFile.with(0755));
    assertThat(inner.group()).isEqualTo("staff");
    assertThat(inner.permissions()).isEqualTo(02755);
  }

  @Test
  void locksSplitMergeAndConflict() throws IOException {
    FileHandle one = tree.open(path("f"), NEW, NewFile.with(0600));
    FileHandle other = tree.anotherSession().open(path("f"), Set.of(Opening.READ), NewFile.with(0));
    assertThat(one.lock(lock(1, 0, 100, ByteLock.Kind.EXCLUSIVE), 0)).isTrue();
    assertThat(one.lock(lock(1, 40, 20, ByteLock.Kind.NONE), 0)).isTrue();
    assertThat(other.lock(lock(1, 40, 20, ByteLock.Kind.EXCLUSIVE), 0)).isTrue();
    assertThat(other.lock(lock(1, 39, 1, ByteLock.Kind.SHARED), 0)).isFalse();
    assertThat(other.conflict(lock(1, 50, ByteLock.TO_THE_END, ByteLock.Kind.SHARED)))
        .contains(lock(1, 60, 40, ByteLock.Kind.EXCLUSIVE));
    assertThat(one.lock(lock(2, 39, 1, ByteLock.Kind.SHARED), 1)).isFalse();
    one.close();
    assertThat(other.lock(lock(1, 0, 100, ByteLock.Kind.SHARED), 0)).isTrue();
    other.close();
  }

  @Test
  void attributesAreMadeAndReplacedAsAsked() throws IOException {
    file("f");
    byte[] value = {1, 2};
    refused(
        ErrorCode.NO_ATTRIBUTE,
        () -> tree.setAttribute(path("f"), "user.x", value, Setting.REPLACE));
    tree.setAttribute(path("f"), "user.x", value, Setting.CREATE);
    refused(
        ErrorCode.NAME_EXISTS, () -> tree.setAttribute(path("f"), "user.x", value, Setting.CREATE));
    assertThat(tree.attributes(path("f"))).containsExactly("user.x");
    assertThat(tree.attribute(path("f"), "user.x")).isEqualTo(value);
    tree.removeAttribute(path("f"), "user.x");
    refused(ErrorCode.NO_ATTRIBUTE, () -> tree.attribute(path("f"), "user.x"));
  }

  private static void refused(ErrorCode code, ThrowingCallable call) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.code()).isEqualTo(code));
  }

  private static ByteLock lock(long owner, long from, long length, ByteLock.Kind kind) {
    return new ByteLock(owner, from, length, kind);
  }

  private static FilePath path(String path) {
    return FilePath.of(path);
  }

  private static MemorySegment bytes(String text) {
    return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
  }

  private void directory(String path) throws IOException {
    tree.makeDirectory(path(path), NewFile.with(0755));
  }

  private void file(String path) throws IOException {
    tree.open(path(path), NEW, NewFile.with(0644)).close();
  }

  private void rename(String from, String to) throws IOException {
    tree.rename(path(from), path(to), Replacing.REPLACE);
  }

  private List<String> names(String path) throws IOException {
    return tree.list(path(path), "", 100).entries().stream().map(FileListing.Entry::name).toList();
  }
}
