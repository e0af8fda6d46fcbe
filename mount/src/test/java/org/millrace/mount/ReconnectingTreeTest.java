package org.millrace.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.files.FileHandle;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.NewFile;
import org.millrace.mount.ReconnectingTree.Session;
import org.millrace.testing.files.MemoryTree;

/** Sessions that end below a tree that goes on. */
final class ReconnectingTreeTest {

  private static final Set<Opening> NEW =
      EnumSet.of(Opening.READ, Opening.WRITE, Opening.EXCLUSIVE);

  private final MemoryTree files = new MemoryTree();
  private final List<MemoryTree> sessions = new ArrayList<>();
  private final List<String> log = new ArrayList<>();
  private final ReconnectingTree tree =
      new ReconnectingTree(Env.real(), session(), this::session, log::add);

  private Session session() {
    MemoryTree next = files.anotherSession();
    sessions.add(next);
    return new Session(next, () -> log.add("closed"));
  }

  private void end() {
    sessions.getLast().close();
  }

  private FileHandle make(String name) throws IOException {
    return tree.open(FilePath.of(name), NEW, NewFile.with(0644));
  }

  private static MemorySegment bytes(String text) {
    return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void lost(String part, ThrowingCallable call) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(call)
        .withMessageContaining(part)
        .matches(e -> e.code() == ErrorCode.LOST);
  }

  @Test
  void namesAreThereInTheNextSession() throws IOException {
    tree.makeDirectory(FilePath.of("d"), NewFile.with(0755));
    end();
    tree.makeDirectory(FilePath.of("d/e"), NewFile.with(0755));
    end();
    assertThat(tree.list(FilePath.of("d"), "", 10).entries()).hasSize(1);
    assertThat(sessions).hasSize(3);
    assertThat(log).filteredOn("closed"::equals).hasSize(2);
    assertThat(log).filteredOn(line -> line.contains("another session")).hasSize(2);
  }

  @Test
  void handleWithEverythingForcedGoesOn() throws IOException {
    try (FileHandle file = make("f")) {
      file.write(0, bytes("hello"));
      file.force(true);
      end();
      MemorySegment read = MemorySegment.ofArray(new byte[5]);
      assertThat(file.read(0, read)).isEqualTo(5);
      assertThat(read.mismatch(bytes("hello"))).isNegative();
      assertThat(file.append(bytes("!"))).isEqualTo(5);
      assertThat(file.status().size()).isEqualTo(6);
    }
    assertThat(sessions.getLast().openHandles()).isZero();
  }

  @Test
  void handleWithUnforcedBytesIsLostAndSaysSoOnce() throws IOException {
    try (FileHandle file = make("f")) {
      file.write(0, bytes("one"));
      file.force(true);
      file.write(3, bytes("two"));
      end();
      lost("did not force", () -> file.read(0, bytes("xxx")));
      lost("did not force", file::size);
    }
    assertThat(log).filteredOn(line -> line.contains("did not force")).hasSize(1);
    assertThat(make("g").size()).isZero();
  }

  @Test
  void handleWithLocksIsLost() throws IOException {
    FileHandle file = make("f");
    FileHandle free = make("g");
    assertThat(file.lock(new ByteLock(7, 0, 1, ByteLock.Kind.EXCLUSIVE), 0)).isTrue();
    assertThat(free.lock(new ByteLock(7, 0, 1, ByteLock.Kind.EXCLUSIVE), 0)).isTrue();
    free.unlockAll(7);
    end();
    lost("locks", file::size);
    assertThat(free.size()).isZero();
    file.unlockAll(7);
    file.close();
  }

  @Test
  void fileWithoutNameIsLost() throws IOException {
    FileHandle file = make("f");
    tree.remove(FilePath.of("f"), Removing.FILE);
    end();
    lost("without a name", file::size);
    file.close();
  }

  @Test
  void cuttingAFileCountsAsWriting() throws IOException {
    make("f").close();
    Set<Opening> cutting = EnumSet.of(Opening.WRITE, Opening.TRUNCATE);
    FileHandle file = tree.open(FilePath.of("f"), cutting, NewFile.with(0));
    end();
    lost("did not force", () -> file.write(0, bytes("x")));
  }

  @Test
  void errorsThatAreNoEndsOfSessionsAreThrown() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> tree.stat(FilePath.of("missing")))
        .matches(e -> e.code() == ErrorCode.NO_SUCH_NAME);
    assertThat(sessions).hasSize(1);
  }

  @Test
  void nobodyWaitsForTheNextSessionAfterGivingUp() {
    ReconnectingTree alone =
        new ReconnectingTree(
            Env.real(),
            session(),
            () -> {
              throw new IOException("nobody is there");
            },
            log::add);
    end();
    alone.giveUp();
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> alone.stat(FilePath.of("")))
        .matches(e -> e.code() == ErrorCode.NODE);
  }
}
