package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileChange;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.FileTree.Setting;
import org.millrace.files.NewFile;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.FileOpened;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.wire.Secret;

/**
 * Requests of programs that are no ranks, repeated to a coordinator that was started again: they
 * are answered what they would have been, and happen once.
 */
final class RepeatedFileRequestsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long GRACE_NANOS = 5 * SECOND;
  private static final long NUMBER = 5; // of the request that is repeated
  private static final Peer MAKER = new Peer(1, Harness.ROOT, List.of());
  private static final Peer OTHER = new Peer(2, Harness.ROOT, List.of());
  private static final CoordinatorOptions OPTIONS =
      CoordinatorOptions.of(1, Harness.ROOT)
          .withSecret(new Secret(new byte[Secret.BYTES]))
          .withGraceNanos(GRACE_NANOS);
  private static final FilePath FILE = FilePath.of("file");
  private static final FilePath FRESH = FilePath.of("fresh");
  private static final NewFile NEW = NewFile.with(0644);
  private static final OfFile.Open MAKING = new OfFile.Open(FRESH, Harness.EXCLUSIVE, NEW);

  private final SeededEnv env = SeededEnv.of(1);
  private MemoryDisk disk = new MemoryDisk("test");

  /** The answer to a request that has a number, or none. */
  private static final class Heard implements ReplyTo {
    private final long number;
    @Nullable Message reply;
    @Nullable MillraceException error;

    Heard(long number) {
      this.number = number;
    }

    @Override
    public long request() {
      return number;
    }

    @Override
    public long heard() {
      return Math.min(number, NUMBER);
    }

    @Override
    public void reply(Message given) {
      reply = given;
    }

    @Override
    public void fail(MillraceException given) {
      error = given;
    }
  }

  /** What a test does in virtual time. */
  private interface Scene {
    void play() throws IOException, InterruptedException;
  }

  private void play(Scene scene) {
    env.run(
        () -> {
          try {
            scene.play();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private Message ask(Coordinator coordinator, Peer from, long number, CoordinatorRequest request)
      throws MillraceException, InterruptedException {
    Heard heard = new Heard(number);
    coordinator.onRequest(from, request, Payload.NONE, heard);
    while (heard.reply == null && heard.error == null) {
      env.sleep(SECOND / 1000);
    }
    if (heard.error != null) {
      throw heard.error;
    }
    return Objects.requireNonNull(heard.reply);
  }

  private static CoordinatorRequest.Recall nothingHeld() {
    return new CoordinatorRequest.Recall(
        List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(),
        List.of(), List.of(), List.of());
  }

  /** Answers a request, and dies before the answer is heard. */
  private Message before(long number, CoordinatorRequest request)
      throws IOException, InterruptedException {
    Coordinator first = new Coordinator(env, disk, OPTIONS);
    make(first, FILE);
    ask(first, MAKER, 2, new OfFile.SetAttribute(FILE, "user.a", bytes(), Setting.EITHER));
    make(first, FilePath.of("old"));
    Message reply = ask(first, MAKER, number, request);
    MemoryDisk crashed = disk.crash();
    first.close(); // its threads would stay
    disk = crashed;
    return reply;
  }

  private void make(Coordinator coordinator, FilePath path)
      throws IOException, InterruptedException {
    var open = new OfFile.Open(path, Harness.CREATE, NEW);
    var opened = (FileOpened) ask(coordinator, OTHER, 0, open);
    ask(coordinator, OTHER, 0, new OfFile.Close(opened.opened().open(), false));
  }

  private static Bytes bytes() {
    return Bytes.of(new byte[] {1, 2});
  }

  /** What cannot be done twice, by name. */
  private static Map<String, OfFile> changes() {
    Map<String, OfFile> all = new LinkedHashMap<>();
    all.put("directory", new OfFile.MakeDirectory(FRESH, NEW));
    all.put("symbolic link", new OfFile.MakeLink(FRESH, "target", NEW));
    all.put("pipe", new OfFile.MakeSpecial(FRESH, FileKind.PIPE, 0, NEW));
    all.put("link", new OfFile.Link(FILE, FRESH));
    all.put("remove", new OfFile.Remove(FilePath.of("old"), Removing.FILE));
    all.put("rename", new OfFile.Rename(FILE, FRESH, Replacing.NEVER));
    all.put("replace", new OfFile.Rename(FILE, FilePath.of("old"), Replacing.REPLACE));
    all.put("attribute", new OfFile.SetAttribute(FILE, "user.b", bytes(), Setting.CREATE));
    all.put("no attribute", new OfFile.RemoveAttribute(FILE, "user.a"));
    return all;
  }

  private void repeat(long number, OfFile request, Message expected)
      throws IOException, InterruptedException {
    Coordinator next = new Coordinator(env, disk, OPTIONS);
    try {
      Heard recalled = new Heard(NUMBER + 1);
      next.onRequest(MAKER, nothingHeld(), Payload.NONE, recalled);
      Message again = ask(next, MAKER, number, request);
      assertThat(content(again)).isEqualTo(content(expected));
    } finally {
      next.close();
      disk = new MemoryDisk("test");
    }
  }

  /** A reply without the right to ask nodes, which says until when it is good. */
  private static Object content(Message reply) {
    return reply instanceof CoordinatorReply.FileAt at ? at.facts() : reply;
  }

  @Test
  void changesAreAnsweredWhatTheyWere() {
    play(
        () -> {
          for (OfFile change : changes().values()) {
            repeat(NUMBER, change, before(NUMBER, change));
          }
          OfFile mode = new OfFile.Change(FILE, FileChange.NONE.withPermissions(0600), 0);
          repeat(NUMBER, mode, before(NUMBER, mode));
        });
  }

  @Test
  void changesWithoutANumberHappenTwice() {
    play(
        () -> {
          for (Map.Entry<String, OfFile> change : changes().entrySet()) {
            Message reply = before(0, change.getValue());
            ErrorCode refused = null;
            try {
              repeat(0, change.getValue(), reply);
            } catch (MillraceException e) {
              refused = e.code();
            }
            assertThat(refused).as(change.getKey()).isNotNull();
          }
        });
  }

  @Test
  void aFileThatAnOpenHasMadeIsOpenedWhateverItIsCalledNow() {
    play(
        () -> {
          var made = (FileOpened) before(NUMBER, MAKING);
          Coordinator next = new Coordinator(env, disk, OPTIONS);
          try {
            next.onRequest(MAKER, nothingHeld(), Payload.NONE, new Heard(NUMBER + 1));
            ask(next, OTHER, 1, new OfFile.Rename(FRESH, FilePath.of("moved"), Replacing.NEVER));
            var again = (FileOpened) ask(next, MAKER, NUMBER, MAKING);
            assertThat(again.opened().file()).isEqualTo(made.opened().file());
            assertThat(again.opened().created()).isTrue();
          } finally {
            next.close();
          }
        });
  }

  @Test
  void aFileThatAnOpenHasMadeStaysWithoutANameUntilItsMakerHasClosedIt() {
    play(
        () -> {
          var made = (FileOpened) before(NUMBER, MAKING);
          Coordinator next = new Coordinator(env, disk, OPTIONS);
          try {
            next.onRequest(MAKER, nothingHeld(), Payload.NONE, new Heard(NUMBER + 1));
            env.sleep(2 * GRACE_NANOS);
            var removed = new OfFile.Remove(FRESH, Removing.FILE);
            var gone = (CoordinatorReply.FileGone) ask(next, OTHER, 1, removed);
            assertThat(gone.gone()).as("its maker is about to hear of it").isEmpty();
            var again = (FileOpened) ask(next, MAKER, NUMBER, MAKING);
            assertThat(again.opened().file()).isEqualTo(made.opened().file());
            var close = new OfFile.Close(again.opened().open(), false);
            var closed = (CoordinatorReply.FileGone) ask(next, MAKER, NUMBER + 2, close);
            assertThat(closed.gone()).isPresent();
          } finally {
            next.close();
          }
        });
  }

  @Test
  void aFileWhoseMakerEndsWithoutHearingOfItGoes() {
    play(
        () -> {
          before(NUMBER, MAKING);
          Coordinator next = new Coordinator(env, disk, OPTIONS);
          try {
            next.onRequest(MAKER, nothingHeld(), Payload.NONE, new Heard(NUMBER + 1));
            ask(next, OTHER, 1, new OfFile.Remove(FRESH, Removing.FILE));
            env.sleep(2 * GRACE_NANOS);
            assertThat(next.takeDropped()).isEmpty();
            next.onSessionEnd(MAKER, "it ends");
            env.sleep(SECOND);
            assertThat(next.takeDropped()).hasSize(1);
          } finally {
            next.close();
          }
        });
  }

  @Test
  void whatItsMakerHasHeardOfIsNoLongerKeptForIt() {
    play(
        () -> {
          before(NUMBER - 1, MAKING); // and says NUMBER when it comes back
          Coordinator next = new Coordinator(env, disk, OPTIONS);
          try {
            next.onRequest(MAKER, nothingHeld(), Payload.NONE, new Heard(NUMBER + 1));
            env.sleep(2 * GRACE_NANOS);
            var removed = new OfFile.Remove(FRESH, Removing.FILE);
            var gone = (CoordinatorReply.FileGone) ask(next, OTHER, 1, removed);
            assertThat(gone.gone().map(facts -> facts.status().kind()))
                .isEqualTo(Optional.of(FileKind.FILE));
          } finally {
            next.close();
          }
        });
  }
}
