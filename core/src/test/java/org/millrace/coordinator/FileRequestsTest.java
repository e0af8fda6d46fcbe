package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.error.ErrorCode;
import org.millrace.files.FileChange;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree.Removing;
import org.millrace.files.FileTree.Replacing;
import org.millrace.files.FileTree.Setting;
import org.millrace.files.NewFile;
import org.millrace.message.Link;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.OfFile;

/** What programs that are no ranks ask the coordinator, and who may. */
final class FileRequestsTest {

  private Harness harness;
  private Link root;
  private Link ann;
  private Link bob;
  private Link eve;

  @BeforeEach
  void start() throws IOException {
    harness = new Harness();
    root = harness.link(Harness.ROOT);
    ann = harness.link("ann", "staff", "lab");
    bob = harness.link("bob", "staff");
    eve = harness.link("eve");
  }

  @AfterEach
  void end() {
    harness.close();
  }

  private static FilePath at(String path) {
    return FilePath.of(path);
  }

  private FileStatus status(Link link, OfFile request) throws IOException {
    return ((CoordinatorReply.FileAt) harness.call(link, request)).facts().status();
  }

  private FileStatus stat(String path) throws IOException {
    return status(root, new OfFile.Stat(at(path).notFollowing()));
  }

  private FileStatus mkdir(Link link, String path, int mode) throws IOException {
    return status(link, new OfFile.MakeDirectory(at(path), NewFile.with(mode)));
  }

  private long create(Link link, String path, int mode) throws IOException {
    var opened =
        (CoordinatorReply.FileOpened)
            harness.call(link, new OfFile.Open(at(path), Harness.EXCLUSIVE, NewFile.with(mode)));
    harness.call(link, new OfFile.Close(opened.opened().open(), false));
    return opened.opened().file();
  }

  private static OfFile change(String path, FileChange change) {
    return new OfFile.Change(at(path), change, 77);
  }

  @Test
  void pathsAreResolvedFromAnyDirectoryAndThroughLinks() throws IOException {
    long d = mkdir(ann, "d", 0755).id();
    long e = mkdir(ann, "d/e", 0755).id();
    long f = create(ann, "d/e/f", 0644);
    for (String way : List.of("d/e/f", "/d/e/f", "d//e/./f", "d/e/../e/f", "/../d/e/f")) {
      assertThat(status(eve, new OfFile.Stat(at(way))).id()).as(way).isEqualTo(f);
    }
    assertThat(status(eve, new OfFile.Stat(FilePath.of(d, "e/f"))).id()).isEqualTo(f);
    assertThat(status(eve, new OfFile.Stat(FilePath.of(e, "../../d/e"))).id()).isEqualTo(e);
    assertThat(status(eve, new OfFile.Stat(FilePath.of(e, "/d"))).id()).isEqualTo(d);
    assertThat(status(eve, new OfFile.Stat(FilePath.of(f))).id()).isEqualTo(f);
    assertThat(status(eve, new OfFile.Stat(at(""))).id()).isZero();
    harness.call(ann, new OfFile.MakeLink(at("d/up"), "../d/e", NewFile.with(0777)));
    harness.call(ann, new OfFile.MakeLink(at("d/top"), "/d/up/", NewFile.with(0777)));
    assertThat(status(eve, new OfFile.Stat(at("d/top/f"))).id()).isEqualTo(f);
    assertThat(status(eve, new OfFile.Stat(at("d/up").notFollowing())).kind())
        .isEqualTo(FileKind.LINK);
    assertThat(stat("d/up").size()).isEqualTo(6);
    assertThat(harness.call(eve, new OfFile.ReadLink(at("d/up"))))
        .isEqualTo(new CoordinatorReply.Target("../d/e"));
    assertThat(
            ((CoordinatorReply.About) harness.call(eve, new CoordinatorRequest.Stat("d/up/f")))
                .entry()
                .id())
        .as("ranks go through links, too")
        .isEqualTo(f);
    Harness.Ranks ranks = harness.ranks(1, "ann");
    assertThat(ranks.open("d/up/f", Harness.EXISTING).file()).isEqualTo(f);
  }

  @Test
  void whoMayReadADirectoryAndNotSearchItHearsNamesAlone() throws IOException {
    mkdir(ann, "d", 0744);
    long f = create(ann, "d/f", 0600);
    var heard =
        (CoordinatorReply.Entries) harness.call(eve, new OfFile.ListEntries(at("d"), "", 10));
    FileStatus told = heard.entries().getFirst().facts().status();
    assertThat(told.id()).isEqualTo(f);
    assertThat(told.owner()).isEmpty();
    assertThat(told.permissions()).isZero();
    assertThat(told.times()).isEqualTo(new FileStatus.Times(0, 0, 0, 0));
    assertThat(heard.entries().getFirst().facts().layout()).as("no right to ask").isEmpty();
    heard = (CoordinatorReply.Entries) harness.call(ann, new OfFile.ListEntries(at("d"), "", 10));
    assertThat(heard.entries().getFirst().facts().status().owner()).isEqualTo("ann");
  }

  @Test
  void anIdIsNoRight() throws IOException {
    mkdir(ann, "d", 0700);
    long f = create(ann, "d/f", 0666);
    assertThat(harness.refused(eve, new OfFile.Stat(FilePath.of(f))))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(
            harness.refused(
                eve, new OfFile.Open(FilePath.of(f), Harness.EXISTING, NewFile.with(0))))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    harness.call(ann, change("d", FileChange.NONE.withPermissions(0755)));
    harness.call(eve, new OfFile.Open(FilePath.of(f), Harness.EXISTING, NewFile.with(0)));
    harness.call(ann, change("d", FileChange.NONE.withPermissions(0700)));
    assertThat(status(eve, new OfFile.Stat(FilePath.of(f))).id()).as("open").isEqualTo(f);
  }

  @Test
  void aSlashBehindALinkDoesNotTakeAwayWhatItStandsFor() throws IOException {
    mkdir(ann, "d", 0755);
    harness.call(ann, new OfFile.MakeLink(at("way"), "d", NewFile.with(0777)));
    harness.call(ann, new OfFile.MakeLink(at("no"), "nothing", NewFile.with(0777)));
    assertThat(harness.refused(ann, new OfFile.Remove(at("way/"), Removing.DIRECTORY)))
        .isEqualTo(ErrorCode.NOT_A_DIRECTORY);
    assertThat(harness.refused(ann, new OfFile.Rename(at("way/"), at("e"), Replacing.NEVER)))
        .isEqualTo(ErrorCode.NOT_A_DIRECTORY);
    assertThat(harness.refused(ann, new OfFile.MakeDirectory(at("no/"), NewFile.with(0755))))
        .isEqualTo(ErrorCode.NAME_EXISTS);
    assertThat(status(ann, new OfFile.Stat(at("way/").notFollowing())).kind())
        .isEqualTo(FileKind.DIRECTORY);
    mkdir(ann, "e/", 0755);
    harness.call(ann, new OfFile.Remove(at("e/"), Removing.DIRECTORY));
    harness.call(ann, new OfFile.Rename(at("d/"), at("f/"), Replacing.NEVER));
  }

  @Test
  void whatAPathCannotBeIsToldApart() throws IOException {
    mkdir(ann, "d", 0755);
    create(ann, "f", 0644);
    harness.call(ann, new OfFile.MakeLink(at("x"), "y", NewFile.with(0777)));
    harness.call(ann, new OfFile.MakeLink(at("y"), "x", NewFile.with(0777)));
    assertThat(harness.refused(ann, new OfFile.Stat(at("x")))).isEqualTo(ErrorCode.LOOP);
    assertThat(harness.refused(ann, new OfFile.Stat(at("f/g"))))
        .isEqualTo(ErrorCode.NOT_A_DIRECTORY);
    assertThat(harness.refused(ann, new OfFile.Stat(at("f/"))))
        .isEqualTo(ErrorCode.NOT_A_DIRECTORY);
    assertThat(harness.refused(ann, new OfFile.Stat(at("no/f")))).isEqualTo(ErrorCode.NO_SUCH_NAME);
    assertThat(harness.refused(ann, new OfFile.Stat(at("n".repeat(256)))))
        .isEqualTo(ErrorCode.NAME_TOO_LONG);
    assertThat(harness.refused(ann, new OfFile.Stat(at("d/".repeat(2049)))))
        .isEqualTo(ErrorCode.NAME_TOO_LONG);
    assertThat(harness.refused(ann, new OfFile.Open(at("d"), Harness.EXISTING, NewFile.with(0))))
        .isEqualTo(ErrorCode.IS_DIRECTORY);
    assertThat(harness.refused(ann, new OfFile.Remove(at("d"), Removing.FILE)))
        .isEqualTo(ErrorCode.IS_DIRECTORY);
    assertThat(harness.refused(ann, new OfFile.Remove(at("f"), Removing.DIRECTORY)))
        .isEqualTo(ErrorCode.NOT_A_DIRECTORY);
    create(ann, "d/g", 0644);
    assertThat(harness.refused(ann, new OfFile.Remove(at("d"), Removing.EITHER)))
        .isEqualTo(ErrorCode.NOT_EMPTY);
    assertThat(harness.refused(ann, new CoordinatorRequest.Remove("d")))
        .as("ranks know fewer words")
        .isEqualTo(ErrorCode.WRONG_KIND);
    assertThat(harness.refused(ann, new OfFile.Remove(at("/"), Removing.EITHER)))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refused(ann, new OfFile.Rename(at("f"), at("d/g"), Replacing.NEVER)))
        .isEqualTo(ErrorCode.NAME_EXISTS);
    assertThat(harness.refused(ann, new OfFile.Stat(FilePath.of(999, "x"))))
        .isEqualTo(ErrorCode.NO_SUCH_NAME);
  }

  @Test
  void aFileWithTwoNamesIsGoneWithTheSecond() throws IOException {
    long f = create(ann, "f", 0644);
    long changed = stat("f").times().changed();
    FileStatus two = status(ann, new OfFile.Link(at("f"), at("g")));
    assertThat(two.id()).isEqualTo(f);
    assertThat(two.links()).isEqualTo(2);
    assertThat(two.times().changed()).isGreaterThan(changed);
    var first = harness.call(ann, new OfFile.Remove(at("f"), Removing.FILE));
    assertThat(first).isEqualTo(new CoordinatorReply.FileGone(Optional.empty()));
    assertThat(stat("g").links()).isEqualTo(1);
    var second =
        (CoordinatorReply.FileGone) harness.call(ann, new OfFile.Remove(at("g"), Removing.FILE));
    assertThat(second.gone().orElseThrow().status().id()).isEqualTo(f);
    assertThat(harness.coordinator.takeDropped()).hasSize(1);
    mkdir(ann, "d", 0755);
    assertThat(harness.refused(ann, new OfFile.Link(at("d"), at("e"))))
        .isEqualTo(ErrorCode.NOT_OWNER);
  }

  @Test
  void directoriesCountWhatIsInThemAndTellWhenThatChanged() throws IOException {
    FileStatus made = mkdir(ann, "d", 0755);
    assertThat(made.links()).isEqualTo(2);
    assertThat(made.times().created()).isEqualTo(made.times().modified());
    mkdir(ann, "d/e", 0755);
    FileStatus one = stat("d");
    assertThat(one.links()).isEqualTo(3);
    assertThat(one.times().modified()).isGreaterThan(made.times().modified());
    assertThat(one.times().changed()).isEqualTo(one.times().modified());
    harness.call(ann, change("d/e", FileChange.NONE.withPermissions(0700)));
    assertThat(stat("d").times()).as("not its names").isEqualTo(one.times());
    assertThat(stat("d/e").times().changed()).isGreaterThan(one.times().changed());
    harness.call(ann, new OfFile.Rename(at("d/e"), at("e"), Replacing.NEVER));
    assertThat(stat("d").links()).isEqualTo(2);
    assertThat(stat("d").times().modified()).isGreaterThan(one.times().modified());
    harness.call(ann, new OfFile.Stat(at("d")));
    long files = ((CoordinatorReply.Value) harness.call(ann, new OfFile.CountFiles())).value();
    assertThat(files).as("with the root").isEqualTo(3);
  }

  @Test
  void attributesAreTheOwnersToChangeAndTheOwnerTheSuperusers() throws IOException {
    create(ann, "f", 0640);
    assertThat(harness.refused(bob, change("f", FileChange.NONE.withPermissions(0666))))
        .isEqualTo(ErrorCode.NOT_OWNER);
    assertThat(harness.refused(ann, change("f", FileChange.NONE.withOwner("bob"))))
        .isEqualTo(ErrorCode.NOT_OWNER);
    assertThat(harness.refused(ann, change("f", FileChange.NONE.withGroup("wheel"))))
        .isEqualTo(ErrorCode.NOT_OWNER);
    assertThat(harness.refused(ann, change("f", FileChange.NONE.withPermissions(010000))))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refused(ann, change("f", FileChange.NONE.withSize(1))))
        .isEqualTo(ErrorCode.INVALID);
    harness.call(ann, change("f", FileChange.NONE.withGroup("lab")));
    harness.call(ann, change("f", FileChange.NONE.withPermissions(06755)));
    assertThat(stat("f").permissions()).isEqualTo(06755);
    FileStatus given =
        status(root, change("f", FileChange.NONE.withOwner("bob").withGroup("wheel")));
    assertThat(given.owner()).isEqualTo("bob");
    assertThat(given.group()).isEqualTo("wheel");
    assertThat(given.permissions()).as("others do not get its rights").isEqualTo(0755);
    harness.call(bob, change("f", FileChange.NONE.withPermissions(02755)));
    assertThat(stat("f").permissions()).as("bob is not in wheel").isEqualTo(0755);
  }

  @Test
  void timesAreSetByOwnersAndThePresentOneByThoseWhoMayWrite() throws IOException {
    create(ann, "f", 0664);
    FileChange past = FileChange.NONE.withAccessed(5).withModified(-7);
    FileChange now = FileChange.NONE.withAccessed(FileChange.NOW).withModified(FileChange.NOW);
    assertThat(harness.refused(bob, change("f", past))).isEqualTo(ErrorCode.NOT_OWNER);
    assertThat(harness.refused(eve, change("f", now))).isEqualTo(ErrorCode.NOT_PERMITTED);
    harness.call(bob, change("f", now));
    FileStatus set = status(ann, change("f", past));
    assertThat(set.times().accessed()).isEqualTo(5);
    assertThat(set.times().modified()).isEqualTo(-7);
    assertThat(set.times().changed()).isGreaterThan(set.times().created());
    var facts = ((CoordinatorReply.FileAt) harness.call(ann, new OfFile.Stat(at("f")))).facts();
    assertThat(facts.witness()).isEqualTo(77);
    harness.call(ann, change("f", FileChange.NONE.withAccessed(6)));
    var later = ((CoordinatorReply.FileAt) harness.call(ann, new OfFile.Stat(at("f")))).facts();
    assertThat(later.witness()).as("not set again").isEqualTo(77);
    assertThat(later.status().times().accessed()).isEqualTo(6);
  }

  @Test
  void stickyDirectoriesAndThoseThatHandDownTheirGroupDoSo() throws IOException {
    mkdir(ann, "tmp", 01777);
    mkdir(ann, "open", 0777);
    for (String in : List.of("tmp", "open")) {
      create(bob, in + "/b", 0644);
      create(eve, in + "/e", 0644);
    }
    assertThat(harness.refused(eve, new OfFile.Remove(at("tmp/b"), Removing.FILE)))
        .isEqualTo(ErrorCode.NOT_OWNER);
    assertThat(harness.refused(eve, new OfFile.Rename(at("tmp/e"), at("tmp/b"), Replacing.REPLACE)))
        .isEqualTo(ErrorCode.NOT_OWNER);
    harness.call(ann, new OfFile.Remove(at("tmp/b"), Removing.FILE));
    harness.call(eve, new OfFile.Remove(at("open/b"), Removing.FILE));
    mkdir(ann, "shared", 0777);
    harness.call(ann, change("shared", FileChange.NONE.withGroup("lab")));
    harness.call(ann, change("shared", FileChange.NONE.withPermissions(02777)));
    create(eve, "shared/f", 02775);
    assertThat(stat("shared/f").group()).isEqualTo("lab");
    assertThat(stat("shared/f").permissions()).as("eve is not in lab").isEqualTo(0775);
    assertThat(mkdir(eve, "shared/d", 0755).permissions()).isEqualTo(02755);
    assertThat(stat("shared/d").group()).isEqualTo("lab");
    assertThat(
            harness.refused(
                eve,
                new OfFile.MakeDirectory(
                    at("mine"), new NewFile(0755, Optional.of("ann"), Optional.empty()))))
        .isEqualTo(ErrorCode.NOT_OWNER);
  }

  @Test
  void whatRanksMakeForEverybodyIsSticky() throws IOException {
    harness.call(ann, new CoordinatorRequest.MakeDirectory("d", 0777));
    create(bob, "d/f", 0644);
    assertThat(stat("d").permissions()).isEqualTo(01777);
    var about = (CoordinatorReply.About) harness.call(ann, new CoordinatorRequest.Stat("d"));
    assertThat(about.entry().permissions()).as("as ranks know it").isEqualTo(0777);
    assertThat(harness.refused(eve, new CoordinatorRequest.Remove("d/f")))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
  }

  /** Who may do what with a directory and a file of ann's, group staff, of each mode. */
  @Test
  void modeBitsDecideForOwnersMembersAndOthers() throws IOException {
    int number = 0;
    for (Link who : List.of(ann, bob, eve, root)) {
      int shift = who == ann ? 6 : who == bob ? 3 : 0;
      for (int bits = 0; bits < 8; bits++) {
        String d = "d" + number++;
        mkdir(ann, d, 0777);
        create(ann, d + "/f", 0644);
        harness.call(root, change(d + "/f", FileChange.NONE.withPermissions(bits << shift)));
        harness.call(root, change(d, FileChange.NONE.withPermissions(bits << shift)));
        boolean any = who == root;
        boolean r = any || (bits & 4) != 0;
        boolean w = any || (bits & 2) != 0;
        boolean x = any || (bits & 1) != 0;
        String as = d + " " + bits;
        assertThat(may(who, new OfFile.ListEntries(at(d), "", 10))).as(as).isEqualTo(r);
        assertThat(may(who, new OfFile.Stat(at(d + "/f")))).as(as).isEqualTo(x);
        assertThat(may(who, open(d + "/f", true, false))).as(as).isEqualTo(x && r);
        assertThat(may(who, open(d + "/f", false, true))).as(as).isEqualTo(x && w);
        assertThat(may(who, new OfFile.MakeDirectory(at(d + "/g"), NewFile.with(0700))))
            .as(as)
            .isEqualTo(x && w);
        assertThat(may(who, new OfFile.Remove(at(d + "/f"), Removing.FILE)))
            .as(as)
            .isEqualTo(x && w);
      }
    }
  }

  private boolean may(Link who, OfFile request) throws IOException {
    try {
      harness.call(who, request);
      return true;
    } catch (org.millrace.error.MillraceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED);
      return false;
    }
  }

  private static OfFile open(String path, boolean read, boolean write) {
    var flags =
        new org.millrace.protocol.OpenFlags(
            read, write, false, false, false, false, false, 0, 0, 0);
    return new OfFile.Open(at(path), flags, NewFile.with(0));
  }

  @Test
  void extendedAttributesAreKeptWithinTheirBounds() throws IOException {
    create(ann, "f", 0644);
    Bytes value = Bytes.of(new byte[] {1, 2, 3});
    harness.call(ann, set("user.b", value, Setting.CREATE));
    harness.call(ann, set("user.a", value, Setting.EITHER));
    assertThat(harness.refused(ann, set("user.a", value, Setting.CREATE)))
        .isEqualTo(ErrorCode.NAME_EXISTS);
    assertThat(harness.refused(ann, set("user.c", value, Setting.REPLACE)))
        .isEqualTo(ErrorCode.NO_ATTRIBUTE);
    assertThat(harness.refused(bob, set("user.a", value, Setting.EITHER)))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(harness.refused(ann, set("trusted.a", value, Setting.EITHER)))
        .isEqualTo(ErrorCode.NOT_OWNER);
    assertThat(harness.refused(root, set("system.posix_acl_access", value, Setting.EITHER)))
        .isEqualTo(ErrorCode.UNSUPPORTED);
    harness.call(root, set("trusted.a", value, Setting.EITHER));
    assertThat(harness.call(bob, new OfFile.ListAttributes(at("f"))))
        .isEqualTo(new CoordinatorReply.Names(List.of("user.a", "user.b")));
    assertThat(harness.call(bob, new OfFile.GetAttribute(at("f"), "user.a")))
        .isEqualTo(new CoordinatorReply.Attribute(value));
    assertThat(harness.refused(bob, new OfFile.GetAttribute(at("f"), "user.no")))
        .isEqualTo(ErrorCode.NO_ATTRIBUTE);
    assertThat(harness.refused(ann, set("user.big", Bytes.of(new byte[4097]), Setting.EITHER)))
        .isEqualTo(ErrorCode.TOO_LARGE);
    ErrorCode full = null;
    for (int i = 0; i < 16 && full == null; i++) {
      OfFile next = set("user.x" + i, Bytes.of(new byte[4096]), Setting.EITHER);
      full = i < 15 ? null : harness.refused(ann, next);
      if (i < 15) {
        harness.call(ann, next);
      }
    }
    assertThat(full).isEqualTo(ErrorCode.TOO_LARGE);
    harness.call(ann, new OfFile.RemoveAttribute(at("f"), "user.x0"));
    assertThat(harness.refused(ann, new OfFile.RemoveAttribute(at("f"), "user.x0")))
        .isEqualTo(ErrorCode.NO_ATTRIBUTE);
  }

  private static OfFile set(String name, Bytes value, Setting setting) {
    return new OfFile.SetAttribute(at("f"), name, value, setting);
  }

  @Test
  void logsOfTransactionsAreHiddenFromPrograms() throws IOException {
    Harness.Ranks ranks = harness.ranks(1, "ann");
    ranks.open(".transactions/p.1", Harness.CREATE);
    var listed =
        (CoordinatorReply.Entries) harness.call(root, new OfFile.ListEntries(at(""), "", 10));
    assertThat(listed.entries()).isEmpty();
    long id = stat(".transactions").id();
    harness.call(ann, new OfFile.MakeLink(at("way"), "/.transactions", NewFile.with(0777)));
    for (OfFile request :
        List.of(
            new OfFile.Remove(at(".transactions/p.1"), Removing.FILE),
            new OfFile.Remove(at("way/p.1"), Removing.FILE),
            new OfFile.Remove(FilePath.of(id, "p.1"), Removing.FILE),
            new OfFile.Rename(at("way/p.1"), at("f"), Replacing.NEVER),
            new OfFile.Link(at("way/p.1"), at("f")),
            new OfFile.MakeDirectory(at("way/d"), NewFile.with(0755)),
            new OfFile.Rename(at(".transactions"), at("g"), Replacing.NEVER),
            change(".transactions", FileChange.NONE.withPermissions(0)),
            change("way/p.1", FileChange.NONE.withPermissions(0)),
            new OfFile.Open(at("way/p.1"), Harness.EXISTING, NewFile.with(0)))) {
      assertThat(harness.refused(ann, request))
          .as("%s", request)
          .isEqualTo(ErrorCode.NOT_PERMITTED);
    }
    assertThat(harness.refused(ann, new CoordinatorRequest.MakeDirectory("way/d", 0755)))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
  }

  @Test
  void aPageOfAMillionNamesCostsWhatItHolds() throws IOException {
    Names names = new Names(Harness.ROOT, 0777);
    List<NameChange> all = new ArrayList<>();
    for (int i = 1; i <= 1_000_000; i++) {
      all.add(NameChange.Make.of(i, FileKind.PIPE, "ann", "", 0644, Stamps.at(1)));
      all.add(new NameChange.Link(i, Names.ROOT, "n%07d".formatted(i), Stamps.UNTIMED));
    }
    for (NameChange change : all) {
      names.apply(change);
    }
    NameRules rules = new NameRules(names, Harness.ROOT, Quotas.DEFAULT, (_, _) -> false);
    FilePages pages = new FilePages(names, rules);
    User user = new User("ann", List.of(), 0, false);
    FilePages.Page page = pages.list(user, new OfFile.ListEntries(at(""), "n0500000", 100));
    assertThat(page.entries()).hasSize(100);
    assertThat(page.entries().getFirst().name()).isEqualTo("n0500001");
    assertThat(page.more()).isTrue();
    assertThat(pages.visited()).isEqualTo(101);
    page = pages.list(user, new OfFile.ListEntries(at(""), "", Integer.MAX_VALUE));
    assertThat(page.entries().size()).as("bounded in bytes").isBetween(1000, 20_000);
    assertThat(page.more()).isTrue();
    page = pages.list(user, new OfFile.ListEntries(at(""), "n0999990", 100));
    assertThat(page.entries()).hasSize(10);
    assertThat(page.more()).isFalse();
  }

  @Test
  void pagesGoOnWhereTheLastOneEndedInTheOrderOfBytes() throws IOException {
    List<String> names = List.of("Z", "a", "a.b", "\u00e4", "\uffee", "\ud83c\udfa1");
    for (String name : names.reversed()) {
      mkdir(ann, name, 0755);
    }
    List<String> seen = new ArrayList<>();
    boolean more = true;
    while (more) {
      String after = seen.isEmpty() ? "" : seen.getLast();
      var page =
          (CoordinatorReply.Entries) harness.call(eve, new OfFile.ListEntries(at("/"), after, 2));
      page.entries().forEach(entry -> seen.add(entry.name()));
      more = page.more();
    }
    assertThat(seen).isEqualTo(names);
  }
}
