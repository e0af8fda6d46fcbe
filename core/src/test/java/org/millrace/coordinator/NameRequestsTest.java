package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Effect;
import org.millrace.protocol.OpenFlags;

final class NameRequestsTest {

  private Harness harness;
  private Link root;
  private Link ada;
  private Link bob;

  @BeforeEach
  void setUp() throws IOException {
    harness = new Harness();
    root = harness.link(Harness.ROOT);
    ada = harness.link("ada");
    bob = harness.link("bob");
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  private void make(Link link, String path, int permissions) throws IOException {
    harness.call(link, new CoordinatorRequest.MakeDirectory(path, permissions));
  }

  private List<String> list(Link link, String path) throws IOException {
    return ((CoordinatorReply.Names) harness.call(link, new CoordinatorRequest.ListNames(path)))
        .names();
  }

  private FileEntry stat(Link link, String path) throws IOException {
    return ((CoordinatorReply.About) harness.call(link, new CoordinatorRequest.Stat(path))).entry();
  }

  private void createFile(String user, String path, int permissions) throws IOException {
    Harness.Ranks ranks = harness.ranks(1, user);
    OpenFlags flags = new OpenFlags(true, true, true, true, false, false, false, permissions, 0, 0);
    ranks.closeFile(ranks.open(path, flags).open());
  }

  private ErrorCode refused(Link link, CoordinatorRequest request) {
    return harness.refused(link, request);
  }

  @Test
  void directoriesAreMadeListedRenamedAndRemoved() throws IOException {
    make(root, "d", 0755);
    make(root, "d/e", 0755);
    createFile(Harness.ROOT, "d/f", 0644);
    assertThat(list(root, "")).containsExactly("d/");
    assertThat(list(root, "d")).containsExactly("e/", "f");
    harness.call(root, new CoordinatorRequest.Rename("d", "g", false));
    assertThat(list(root, "g")).containsExactly("e/", "f");
    assertThat(stat(root, "g/f").path()).isEqualTo("g/f");
    assertThat(stat(root, "g/e").isDirectory()).isTrue();
    harness.call(root, new CoordinatorRequest.Remove("g/e"));
    assertThat(list(root, "g")).containsExactly("f");
  }

  @Test
  void removeAnswersWithWhatWasRemoved() throws IOException {
    createFile(Harness.ROOT, "f", 0600);
    FileEntry before = stat(root, "f");
    assertThat(harness.call(root, new CoordinatorRequest.Remove("f")))
        .isEqualTo(new CoordinatorReply.About(before));
    assertThat(before.layout()).contains(Layout.forFile(before.id(), 64 * 1024, 4, 4));
    assertThat(refused(root, new CoordinatorRequest.Stat("f"))).isEqualTo(ErrorCode.NO_SUCH_NAME);
  }

  @Test
  void replacingTakesTheNameAndTheOldFileInOneStep() throws IOException {
    createFile(Harness.ROOT, "new", 0600);
    createFile(Harness.ROOT, "old", 0600);
    FileEntry old = stat(root, "old");
    FileEntry fresh = stat(root, "new");
    assertThat(harness.call(root, new CoordinatorRequest.Rename("new", "old", true)))
        .isEqualTo(new CoordinatorReply.About(old));
    assertThat(list(root, "")).containsExactly("old");
    assertThat(stat(root, "old").id()).isEqualTo(fresh.id());
    assertThat(harness.call(root, new CoordinatorRequest.Rename("old", "free", true)))
        .as("nothing to replace")
        .isEqualTo(new CoordinatorReply.Done());
    assertThat(list(root, "")).containsExactly("free");
  }

  @Test
  void whatMayNotBeRemovedIsNotReplaced() throws IOException {
    make(root, "d", 0755);
    createFile("ada", "hers", 0666);
    createFile("bob", "his", 0666);
    createFile(Harness.ROOT, "d/f", 0666);
    for (String target : new String[] {"hers", "d/f"}) {
      assertThat(refused(bob, new CoordinatorRequest.Rename("his", target, true)))
          .isEqualTo(ErrorCode.NOT_PERMITTED);
    }
    assertThat(refused(root, new CoordinatorRequest.Rename("hers", "d", true)))
        .isEqualTo(ErrorCode.WRONG_KIND);
    assertThat(refused(root, new CoordinatorRequest.Rename("d", "hers", true)))
        .isEqualTo(ErrorCode.WRONG_KIND);
    Harness.Ranks ranks = harness.ranks(1, "ada");
    var open =
        ranks.open("hers", new OpenFlags(true, false, false, false, false, false, false, 0, 0, 0));
    assertThat(refused(root, new CoordinatorRequest.Rename("his", "hers", true)))
        .isEqualTo(ErrorCode.IN_USE);
    assertThat(refused(root, new CoordinatorRequest.Rename("hers", "hers", true)))
        .as("asked beforehand")
        .isEqualTo(ErrorCode.IN_USE);
    assertThat(list(root, "")).containsExactly("d/", "hers", "his");
    ranks.closeFile(open.open());
    assertThat(harness.call(root, new CoordinatorRequest.Rename("hers", "hers", true)))
        .isEqualTo(new CoordinatorReply.Done());
    assertThat(list(root, "")).containsExactly("d/", "hers", "his");
  }

  @Test
  void wrongNamesAreRefusedWithTheirKind() throws IOException {
    make(root, "d", 0755);
    createFile(Harness.ROOT, "d/f", 0644);
    assertThat(refused(root, new CoordinatorRequest.MakeDirectory("d", 0755)))
        .isEqualTo(ErrorCode.NAME_EXISTS);
    assertThat(refused(root, new CoordinatorRequest.MakeDirectory("x/y", 0755)))
        .isEqualTo(ErrorCode.NO_SUCH_NAME);
    assertThat(refused(root, new CoordinatorRequest.MakeDirectory("d/f/y", 0755)))
        .isEqualTo(ErrorCode.WRONG_KIND);
    assertThat(refused(root, new CoordinatorRequest.MakeDirectory("x", 01777)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(refused(root, new CoordinatorRequest.ListNames("d/f")))
        .isEqualTo(ErrorCode.WRONG_KIND);
    assertThat(refused(root, new CoordinatorRequest.Remove("d"))).isEqualTo(ErrorCode.WRONG_KIND);
    assertThat(refused(root, new CoordinatorRequest.Remove(""))).isEqualTo(ErrorCode.INVALID);
    assertThat(refused(root, new CoordinatorRequest.Rename("d", "d/x", false)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(refused(root, new CoordinatorRequest.Rename("d", "d", false)))
        .isEqualTo(ErrorCode.NAME_EXISTS);
    assertThat(refused(root, new CoordinatorRequest.Rename("x", "y", false)))
        .isEqualTo(ErrorCode.NO_SUCH_NAME);
    assertThat(refused(root, new CoordinatorRequest.Stat("../d"))).isEqualTo(ErrorCode.INVALID);
    assertThat(refused(root, new CoordinatorRequest.Confirm(77))).isEqualTo(ErrorCode.NO_SUCH_NAME);
  }

  @Test
  void modeBitsBindOwnerAndOthersButNotTheSuperuser() throws IOException {
    make(ada, "home", 0755);
    make(ada, "home/secret", 0700);
    createFile("ada", "home/secret/f", 0600);
    assertThat(list(bob, "home")).containsExactly("secret/");
    for (CoordinatorRequest request :
        List.of(
            new CoordinatorRequest.ListNames("home/secret"),
            new CoordinatorRequest.Stat("home/secret/f"),
            new CoordinatorRequest.MakeDirectory("home/b", 0755),
            new CoordinatorRequest.Remove("home/secret/f"),
            new CoordinatorRequest.Rename("home/secret", "mine", false),
            new CoordinatorRequest.SetPermissions("home", 0777),
            new CoordinatorRequest.AskFiles())) {
      assertThat(refused(bob, request)).as("%s", request).isEqualTo(ErrorCode.NOT_PERMITTED);
    }
    assertThat(list(root, "home/secret")).containsExactly("f");
    harness.call(ada, new CoordinatorRequest.SetPermissions("home/secret", 0500));
    assertThat(refused(ada, new CoordinatorRequest.Remove("home/secret/f")))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    harness.call(root, new CoordinatorRequest.Remove("home/secret/f"));
  }

  @Test
  void whereEverybodyMayMakeNamesOnlyTheirOwnersTakeThemAway() throws IOException {
    createFile("ada", "hers", 0666); // in the root, which is everybody's
    make(ada, "open", 0777);
    createFile("bob", "open/his", 0600);
    createFile("ada", "open/hers", 0600);
    for (CoordinatorRequest request :
        List.of(
            new CoordinatorRequest.Remove("hers"),
            new CoordinatorRequest.Rename("hers", "taken", false),
            new CoordinatorRequest.Rename("open", "taken", false),
            new CoordinatorRequest.Remove("open/hers"))) {
      assertThat(refused(bob, request)).as("%s", request).isEqualTo(ErrorCode.NOT_PERMITTED);
    }
    Harness.Ranks bobs = harness.ranks(1, "bob");
    assertThatThrownBy(
            () ->
                bobs.open(
                    "hers",
                    new OpenFlags(true, false, false, false, false, false, true, 0644, 0, 0)))
        .hasMessageContaining("everybody");
    harness.call(ada, new CoordinatorRequest.Remove("open/his")); // the directory is hers
    harness.call(ada, new CoordinatorRequest.Rename("hers", "open/too", false));
    harness.call(root, new CoordinatorRequest.Remove("open/too"));
    assertThat(list(root, "open")).containsExactly("hers");
  }

  @Test
  void opensFollowTheFilesModeBits() throws IOException {
    createFile("ada", "f", 0640);
    createFile("ada", "g", 0444);
    OpenFlags read = new OpenFlags(true, false, false, false, false, false, false, 0, 0, 0);
    OpenFlags write = new OpenFlags(false, true, false, false, false, false, false, 0, 0, 0);
    Harness.Ranks bobs = harness.ranks(2, "bob");
    assertThat(bobs.openRefused("f", read).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(bobs.openRefused("g", write).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(bobs.open("g", read).created()).isFalse();
    Harness.Ranks adas = harness.ranks(2, "ada");
    assertThat(adas.openRefused("g", write).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(adas.open("f", write).created()).isFalse();
    assertThat(harness.ranks(1).open("g", write).created()).isFalse();
  }

  @Test
  void theSuperusersOwnFilesHaveModesLikeEverybodys() throws IOException {
    createFile(Harness.ROOT, "mine", 0444);
    OpenFlags read = new OpenFlags(true, false, false, false, false, false, false, 0, 0, 0);
    OpenFlags write = new OpenFlags(false, true, false, false, false, false, false, 0, 0, 0);
    Harness.Ranks roots = harness.ranks(2);
    assertThat(roots.openRefused("mine", write).code()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(roots.open("mine", read).created()).isFalse();
    harness.call(root, new CoordinatorRequest.SetPermissions("mine", 0644));
    assertThat(roots.open("mine", write).created()).isFalse();
  }

  @Test
  void createExclusiveByAllRanksSucceedsOnceAndAgainAfterRemoval() throws IOException {
    Harness.Ranks ranks = harness.ranks(4);
    CoordinatorReply.Opened first = ranks.open("f", Harness.EXCLUSIVE);
    assertThat(first.created()).isTrue();
    assertThat(ranks.openRefused("f", Harness.EXCLUSIVE).code()).isEqualTo(ErrorCode.NAME_EXISTS);
    assertThat(refused(root, new CoordinatorRequest.Remove("f"))).isEqualTo(ErrorCode.IN_USE);
    ranks.closeFile(first.open());
    harness.call(root, new CoordinatorRequest.Remove("f"));
    CoordinatorReply.Opened second = ranks.open("f", Harness.EXCLUSIVE);
    assertThat(second.created()).isTrue();
    assertThat(second.file()).isGreaterThan(first.file());
  }

  @Test
  void badOpensReachAllRanksAlike() throws IOException {
    make(root, "d", 0755);
    Harness.Ranks ranks = harness.ranks(3);
    assertThat(ranks.openRefused("nothing", Harness.EXISTING).code())
        .isEqualTo(ErrorCode.NO_SUCH_NAME);
    assertThat(ranks.openRefused("d", Harness.CREATE).code()).isEqualTo(ErrorCode.WRONG_KIND);
    assertThat(ranks.openRefused("../f", Harness.CREATE).code()).isEqualTo(ErrorCode.INVALID);
    assertThat(ranks.openRefused("", Harness.CREATE).code()).isEqualTo(ErrorCode.INVALID);
    for (OpenFlags bad :
        List.of(
            new OpenFlags(false, false, true, false, false, false, false, 0644, 0, 0),
            new OpenFlags(true, true, false, true, false, false, false, 0644, 0, 0),
            new OpenFlags(true, false, true, false, true, false, false, 0644, 0, 0),
            new OpenFlags(true, false, true, false, false, true, false, 0644, 0, 0),
            new OpenFlags(true, true, true, false, false, false, false, -1, 0, 0),
            new OpenFlags(true, true, true, false, false, false, false, 0644, -1, 0),
            new OpenFlags(true, true, true, false, false, false, false, 0644, 0, 1 << 17),
            new OpenFlags(true, true, true, false, false, false, false, 0644, 0, -1))) {
      assertThat(ranks.openRefused("f", bad).code()).as("%s", bad).isEqualTo(ErrorCode.INVALID);
    }
    assertThat(ranks.open("f", Harness.EXCLUSIVE).created()).as("nothing was left").isTrue();
  }

  @Test
  void aFileIsThereWithItsNameBecauseNodesMakeStrandsWithTheirFirstBytes() throws IOException {
    assertThat(harness.ranks(2, "ada").open("f", Harness.CREATE).confirmed()).isTrue();
    assertThat(stat(root, "f").confirmed()).isTrue();
  }

  @Test
  void aFileOfOtherBlocksIsUnconfirmedUntilItsOpenersSayOtherwise() throws IOException {
    Harness.Ranks ranks = harness.ranks(2, "ada");
    CoordinatorReply.Opened made = ranks.open("f", Harness.CREATE.withBlockBytes(8192));
    assertThat(made.confirmed()).isFalse();
    assertThat(ranks.open("f", Harness.EXISTING).confirmed()).isFalse();
    assertThat(refused(bob, new CoordinatorRequest.Confirm(made.file())))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    harness.call(ranks.links.getFirst(), new CoordinatorRequest.Confirm(made.file()));
    assertThat(ranks.open("f", Harness.EXISTING).confirmed()).isTrue();
    assertThat(stat(root, "f").confirmed()).isTrue();
  }

  @Test
  void deleteOnCloseRemovesTheNameWithTheLastOpen() throws IOException {
    Harness.Ranks one = harness.ranks(2);
    Harness.Ranks two = harness.ranks(3);
    CoordinatorReply.Opened first = one.open("f", Harness.DELETE_ON_CLOSE);
    CoordinatorReply.Opened second = two.open("f", Harness.EXISTING);
    assertThat(one.closeFile(first.open()).base()).isZero();
    assertThat(stat(root, "f").id()).isEqualTo(first.file());
    assertThat(two.closeFile(second.open()).base()).isEqualTo(1);
    assertThat(refused(root, new CoordinatorRequest.Stat("f"))).isEqualTo(ErrorCode.NO_SUCH_NAME);
  }

  @Test
  void abandonedOpensDoNotBlockRemoval() throws IOException {
    Harness.Ranks ranks = harness.ranks(2);
    CoordinatorReply.Opened opened = ranks.open("f", Harness.CREATE);
    ranks.open("g", Harness.DELETE_ON_CLOSE);
    ranks.links.getFirst().close();
    assertThat(refused(root, new CoordinatorRequest.Remove("f"))).isEqualTo(ErrorCode.IN_USE);
    ranks.links.getLast().close();
    harness.call(root, new CoordinatorRequest.Remove("f"));
    assertThat(refused(root, new CoordinatorRequest.Stat("g"))).isEqualTo(ErrorCode.NO_SUCH_NAME);
    assertThat(refused(root, new CoordinatorRequest.PointerAt(opened.pointer())))
        .isEqualTo(ErrorCode.CLOSED);
  }

  @Test
  void allFilesAreListedWithTheirLayouts() throws IOException {
    createFile("ada", "a", 0600);
    make(root, "d", 0755);
    createFile(Harness.ROOT, "d/b", 0600);
    CoordinatorReply.Files files =
        (CoordinatorReply.Files) harness.call(root, new CoordinatorRequest.AskFiles());
    assertThat(files.files()).extracting(FileEntry::path).containsExactly("a", "d/b");
  }

  @Test
  void aClosedCoordinatorRefusesEverything() throws IOException {
    Harness.Ranks ranks = harness.ranks(2);
    var waiting = ranks.barrier(0);
    harness.close();
    assertThat(harness.refusal(waiting).code()).isEqualTo(ErrorCode.CLOSED);
    MillraceException late = harness.refusal(ranks.meet(1, "barrier", 0, new Effect.None()));
    assertThat(late.code()).isEqualTo(ErrorCode.CLOSED);
  }
}
