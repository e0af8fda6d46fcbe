package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.NewFile;
import org.millrace.message.Link;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.FileGone;
import org.millrace.protocol.CoordinatorReply.FileOpened;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.Recalled;
import org.millrace.wire.Secret;

/** Files that are open without a group, and files that are open without a name. */
final class SessionFilesTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long GRACE_NANOS = 5 * SECOND;
  private static final CoordinatorOptions OPTIONS =
      CoordinatorOptions.of(1, Harness.ROOT)
          .withSecret(new Secret(new byte[Secret.BYTES]))
          .withGraceNanos(GRACE_NANOS);

  private static OfFile.Open open(String path, OpenFlags flags) {
    return new OfFile.Open(FilePath.of(path), flags, NewFile.with(0644));
  }

  private static FileOpened opened(Harness harness, Link link, OfFile.Open request)
      throws IOException {
    return (FileOpened) harness.call(link, request);
  }

  private static OfFile.Remove remove(String path) {
    return new OfFile.Remove(FilePath.of(path), Removing.FILE);
  }

  private static FileGone gone(Harness harness, Link link, OfFile request) throws IOException {
    return (FileGone) harness.call(link, request);
  }

  @Test
  void aRemovedFileStaysUntilItsLastOpenIsClosed() throws IOException {
    try (Harness harness = new Harness()) {
      Link ann = harness.link("ann");
      Harness.Ranks ranks = harness.ranks(1, "ann");
      CoordinatorReply.Opened inGroup = ranks.open("f", Harness.CREATE);
      FileOpened alone = opened(harness, ann, open("f", Harness.EXISTING));
      assertThat(alone.opened().file()).isEqualTo(inGroup.file());
      assertThat(alone.opened().endPointer()).isEqualTo(inGroup.endPointer());
      assertThat(gone(harness, ann, remove("f")).gone()).isEmpty();
      assertThat(harness.refused(ann, new OfFile.Stat(FilePath.of("f"))))
          .isEqualTo(ErrorCode.NO_SUCH_NAME);
      var facts =
          (CoordinatorReply.FileAt) harness.call(ann, new OfFile.Stat(FilePath.of(inGroup.file())));
      assertThat(facts.facts().status().links()).isZero();
      long again = opened(harness, ann, open("f", Harness.CREATE)).opened().file();
      assertThat(again).as("another file").isNotEqualTo(inGroup.file());
      assertThat(ranks.closeFile(inGroup.open()).base()).isZero();
      assertThat(harness.coordinator.takeDropped()).isEmpty();
      FileGone last = gone(harness, ann, new OfFile.Close(alone.opened().open(), false));
      assertThat(last.gone().orElseThrow().status().id()).isEqualTo(inGroup.file());
      assertThat(harness.coordinator.takeDropped()).hasSize(1);
      assertThat(gone(harness, ann, new OfFile.Close(alone.opened().open(), false)).gone())
          .isEmpty();
    }
  }

  @Test
  void theLastRankThatClosesARemovedFileIsToldToRemoveItsStrands() throws IOException {
    try (Harness harness = new Harness()) {
      Link ann = harness.link("ann");
      Harness.Ranks ranks = harness.ranks(1, "ann");
      CoordinatorReply.Opened inGroup = ranks.open("f", Harness.CREATE);
      opened(harness, ann, open("g", Harness.CREATE));
      assertThat(harness.refused(ann, new CoordinatorRequest.Remove("f")))
          .as("who asks for that is refused")
          .isEqualTo(ErrorCode.IN_USE);
      assertThat(harness.call(ann, new CoordinatorRequest.Unlink("f", "g")))
          .isEqualTo(new CoordinatorReply.Done());
      assertThat(harness.refused(ann, new CoordinatorRequest.Stat("g")))
          .isEqualTo(ErrorCode.NO_SUCH_NAME);
      assertThat(ranks.closeFile(inGroup.open()).base()).isEqualTo(1);
    }
  }

  @Test
  void aFileThatGoesWhenItIsClosedLosesTheNameByWhichItWasOpened() throws IOException {
    OpenFlags deleting = new OpenFlags(true, false, false, false, false, false, true, 0644, 0, 0);
    for (boolean unlinked : List.of(false, true)) {
      try (Harness harness = new Harness()) {
        Link ann = harness.link("ann");
        Link eve = harness.link("eve");
        harness.call(ann, new OfFile.MakeDirectory(FilePath.of("ann"), NewFile.with(0755)));
        harness.call(eve, new OfFile.MakeDirectory(FilePath.of("eve"), NewFile.with(0755)));
        FileOpened made = opened(harness, ann, open("ann/f", Harness.CREATE));
        harness.call(ann, new OfFile.Close(made.opened().open(), false));
        harness.call(eve, new OfFile.Link(FilePath.of("ann/f"), FilePath.of("eve/g")));
        Harness.Ranks ranks = harness.ranks(1, "eve");
        CoordinatorReply.Opened inGroup = ranks.open("eve/g", deleting);
        if (unlinked) {
          harness.call(eve, remove("eve/g"));
        }
        ranks.closeFile(inGroup.open());
        assertThat(harness.refused(eve, new OfFile.Stat(FilePath.of("eve/g"))))
            .isEqualTo(ErrorCode.NO_SUCH_NAME);
        var kept =
            (CoordinatorReply.FileAt) harness.call(ann, new OfFile.Stat(FilePath.of("ann/f")));
        assertThat(kept.facts().status().links()).isEqualTo(1);
      }
    }
  }

  @Test
  void whatASessionHasOpenEndsWithIt() throws IOException {
    try (Harness harness = new Harness()) {
      Link ann = harness.link("ann");
      Link bob = harness.link("ann");
      FileOpened alone = opened(harness, ann, open("f", Harness.CREATE));
      opened(harness, bob, open("g", Harness.CREATE));
      assertThat(
              gone(
                      harness,
                      bob,
                      new OfFile.Rename(FilePath.of("g"), FilePath.of("f"), Replacing.REPLACE))
                  .gone())
          .isEmpty();
      assertThat(harness.refused(bob, new CoordinatorRequest.Renew(0, alone.opened().open())))
          .as("another session's")
          .isEqualTo(ErrorCode.CLOSED);
      harness.call(ann, new CoordinatorRequest.Renew(0, alone.opened().open()));
      ann.close();
      assertThat(harness.refused(bob, new OfFile.Stat(FilePath.of(alone.opened().file()))))
          .isEqualTo(ErrorCode.NO_SUCH_NAME);
      assertThat(harness.coordinator.takeDropped()).hasSize(1);
    }
  }

  @Test
  void aHundredThousandOpensLeaveNothing() throws IOException {
    Quotas few = new Quotas(2, 2, 2, 2, 2, 2, 100, 1 << 20);
    try (Harness harness =
        new Harness(
            org.millrace.env.Env.real(),
            new MemoryDisk("test"),
            CoordinatorOptions.of(4, Harness.ROOT),
            few)) {
      Link ann = harness.link("ann");
      FileOpened first = opened(harness, ann, open("f", Harness.CREATE));
      long highest = 0;
      for (int i = 0; i < 100_000; i++) {
        FileOpened next = opened(harness, ann, open("f", Harness.EXISTING));
        highest = Math.max(highest, next.opened().endPointer());
        harness.call(ann, new OfFile.Close(next.opened().open(), false));
      }
      assertThat(highest).as("one end").isEqualTo(first.opened().endPointer());
      opened(harness, ann, open("f", Harness.EXISTING));
      assertThat(harness.refused(ann, open("f", Harness.EXISTING))).isEqualTo(ErrorCode.REFUSED);
      var status = (CoordinatorReply.Doing) harness.call(ann, new CoordinatorRequest.AskStatus());
      assertThat(status.status().opens()).hasSize(2);
      assertThat(status.status().groups()).isEmpty();
    }
  }

  private final SeededEnv env = SeededEnv.of(1);
  private MemoryDisk disk = new MemoryDisk("test");

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

  private FileOpened openedBefore() throws IOException {
    Harness before = new Harness(env, disk, OPTIONS);
    Link link = before.link(Harness.ROOT);
    FileOpened file = opened(before, link, open("f", Harness.CREATE));
    before.call(link, remove("f"));
    MemoryDisk crashed = disk.crash();
    before.close(); // its threads would stay
    disk = crashed;
    return file;
  }

  private static CoordinatorRequest.Recall recall(FileOpened file) {
    var opening =
        new Recalled.Opening(0, Harness.CREATE, file.opened(), file.opened().capability());
    return new CoordinatorRequest.Recall(
        List.of(),
        List.of(),
        List.of(opening),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  @Test
  void aFileWithoutANameOutlivesTheCoordinatorIfItsSessionComesBack() {
    play(
        () -> {
          FileOpened file = openedBefore();
          try (Harness harness = new Harness(env, disk, OPTIONS)) {
            Link link = harness.link(Harness.ROOT);
            harness.call(link, recall(file));
            env.sleep(2 * GRACE_NANOS);
            harness.call(link, new OfFile.Stat(FilePath.of(file.opened().file())));
            harness.call(link, new CoordinatorRequest.Renew(0, file.opened().open()));
            assertThat(harness.coordinator.takeDropped()).isEmpty();
            Optional<?> last =
                gone(harness, link, new OfFile.Close(file.opened().open(), false)).gone();
            assertThat(last).isPresent();
            assertThat(harness.coordinator.takeDropped()).hasSize(1);
          }
        });
  }

  @Test
  void aFileWithoutANameGoesWhenNobodyComesBackForIt() {
    play(
        () -> {
          FileOpened file = openedBefore();
          try (Harness harness = new Harness(env, disk, OPTIONS)) {
            Link link = harness.link(Harness.ROOT);
            env.sleep(GRACE_NANOS - SECOND);
            harness.call(link, new OfFile.Stat(FilePath.of(file.opened().file())));
            assertThat(harness.coordinator.files()).as("its strands are known").hasSize(1);
            env.sleep(2 * SECOND);
            assertThat(harness.refused(link, new OfFile.Stat(FilePath.of(file.opened().file()))))
                .isEqualTo(ErrorCode.NO_SUCH_NAME);
            assertThat(harness.coordinator.takeDropped()).hasSize(1);
          }
        });
  }

  @Test
  void removingWaitsForNobodyAndOpeningForThoseWhoMayComeBack() {
    play(
        () -> {
          Harness before = new Harness(env, disk, OPTIONS);
          Link early = before.link(Harness.ROOT);
          FileOpened file = opened(before, early, open("f", Harness.CREATE));
          opened(before, early, open("g", Harness.CREATE));
          MemoryDisk crashed = disk.crash();
          before.close();
          disk = crashed;
          try (Harness harness = new Harness(env, disk, OPTIONS)) {
            Link link = harness.link(Harness.ROOT);
            Link lost = harness.link(Harness.ROOT);
            Pending late = Harness.start(link, open("g", Harness.EXISTING));
            Pending never = Harness.start(lost, open("g", Harness.EXISTING));
            lost.close();
            assertThat(gone(harness, link, remove("f")).gone()).as("it may be open").isEmpty();
            env.sleep(GRACE_NANOS - SECOND);
            assertThat(late.isDone()).isFalse();
            Link returned = harness.link(Harness.ROOT);
            harness.call(returned, recall(file));
            env.sleep(GRACE_NANOS); // a session that comes late makes others be waited for
            assertThat(late.isDone()).isTrue();
            assertThat(never).isNotNull();
            harness.call(returned, new OfFile.Stat(FilePath.of(file.opened().file())));
            var status =
                (CoordinatorReply.Doing) harness.call(link, new CoordinatorRequest.AskStatus());
            assertThat(status.status().opens()).as("f and g once each").hasSize(2);
          }
        });
  }
}
