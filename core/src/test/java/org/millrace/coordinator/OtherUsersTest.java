package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.disk.Log;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.message.Link;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.OpenFlags;

/** What one user can do with another's files, groups and pointers: what owner and mode say. */
final class OtherUsersTest {

  /**
   * A journal that was written before files had groups: directory e of ada with file f of mode
   * 0600, and a file that was made and removed.
   */
  private static final String OLD_JOURNAL =
      "4d494c4c4c4f47012000000056913f500a000000010101000000000000000e000000010700000000"
          + "00000000ff0100002a000000b3d9dbc6260000000102010000000000000000000000000000000100"
          + "640300616461ed0100000068e5cf8b01000047000000f786ca884300000001030200000000000000"
          + "01000000000000000100660300616461a40100000068e5cf8b010000000000010000000000040000"
          + "00000000000100000002000000030000000f00000091d2aff00b0000000104020000000000000001"
          + "4a000000401efedc460000000103030000000000000000000000000000000400676f6e6503006164"
          + "61a40100000068e5cf8b01000000000001000000000004000000030000000000000001000000020000"
          + "000f000000304ef4430b00000001040300000000000000010e000000a1032fdd0a00000001060300"
          + "00000000000019000000b9e310621500000001050100000000000000000000000000000001006512"
          + "000000c4d51d120e0000000107020000000000000080010000";

  private Harness harness;

  @BeforeEach
  void setUp() throws IOException {
    harness = new Harness();
  }

  @AfterEach
  void tearDown() {
    harness.close();
  }

  private static OpenFlags flags(boolean read, boolean write, boolean create, int mode) {
    return new OpenFlags(read, write, create, false, false, false, false, mode, 0, 0);
  }

  /** A group of one rank of a user who is in some groups. */
  private Harness.Ranks alone(String user, String... groups) throws IOException {
    Link link = harness.link(user, groups);
    long group =
        ((CoordinatorReply.Group) harness.call(link, new CoordinatorRequest.Form(1))).group();
    harness.call(link, new CoordinatorRequest.Join(group, 0));
    return harness.new Ranks(group, List.of(link));
  }

  private void make(Harness.Ranks ranks, String path, int mode) throws IOException {
    CoordinatorReply.Opened open = ranks.open(path, flags(true, true, true, mode));
    harness.call(ranks.links.getFirst(), new CoordinatorRequest.Confirm(open.file()));
    ranks.closeFile(open.open());
  }

  private FileEntry stat(Link link, String path) throws IOException {
    return ((CoordinatorReply.About) harness.call(link, new CoordinatorRequest.Stat(path))).entry();
  }

  private boolean canOpen(Harness.Ranks ranks, String path, boolean read, boolean write)
      throws IOException {
    try {
      ranks.closeFile(ranks.open(path, flags(read, write, false, 0)).open());
      return true;
    } catch (MillraceException e) {
      assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.NOT_PERMITTED);
      return false;
    }
  }

  @Test
  void aSecondUserCanDoNothingWithTheFirstOnesPrivateFile() throws IOException {
    Harness.Ranks ada = alone("ada", "staff");
    Harness.Ranks bob = alone("bob", "staff");
    Link link = bob.links.getFirst();
    harness.call(ada.links.getFirst(), new CoordinatorRequest.MakeDirectory("home", 0755));
    make(ada, "home/f", 0600);
    CoordinatorReply.Opened open = ada.open("home/f", flags(true, true, false, 0));
    assertThat(canOpen(bob, "home/f", true, false)).isFalse();
    assertThat(canOpen(bob, "home/f", false, true)).isFalse();
    for (CoordinatorRequest request :
        List.of(
            new CoordinatorRequest.Rename("home/f", "mine", false),
            new CoordinatorRequest.Remove("home/f"),
            new CoordinatorRequest.Reset(List.of("home/f")),
            new CoordinatorRequest.SetPermissions("home/f", 0666),
            new CoordinatorRequest.SetGroup("home/f", "staff"),
            new CoordinatorRequest.MakeDirectory("home/x", 0755),
            new CoordinatorRequest.Confirm(open.file()),
            new CoordinatorRequest.PointerAt(open.pointer()),
            new CoordinatorRequest.PointerSet(open.endPointer(), 7),
            new CoordinatorRequest.Renew(ada.group, open.open()),
            new CoordinatorRequest.AskMembers(ada.group))) {
      assertThat(harness.refused(link, request))
          .as("%s", request)
          .isEqualTo(ErrorCode.NOT_PERMITTED);
    }
    assertThat(
            org.assertj.core.api.Assertions.catchThrowableOfType(
                    MillraceException.class,
                    () -> link.advance(open.pointer(), 1, 0, Long.MAX_VALUE, Env.NEVER))
                .code())
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    for (CoordinatorRequest request :
        List.of(
            new CoordinatorRequest.Join(ada.group, 0),
            new CoordinatorRequest.Leave(ada.group, 0, "x"),
            new CoordinatorRequest.Regroup(ada.group, 0, 1_000_000_000L),
            new CoordinatorRequest.Withdraw(ada.group, 0, 0, 0),
            new CoordinatorRequest.Lock(ada.group, 0, "l", 0, 1, false, true, false))) {
      assertThat(harness.refused(link, request)).as("%s", request).isEqualTo(ErrorCode.INVALID);
    }
    long waiting =
        ((CoordinatorReply.Group)
                harness.call(ada.links.getFirst(), new CoordinatorRequest.Form(2)))
            .group();
    assertThat(harness.refused(link, new CoordinatorRequest.Join(waiting, 1)))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(canOpen(ada, "home/f", true, true)).isTrue();
    assertThat(canOpen(alone(Harness.ROOT), "home/f", true, true)).isTrue();
  }

  @Test
  void aRightThatWasTakenBackIsNotRenewed() throws IOException {
    Harness.Ranks ada = alone("ada", "staff");
    Harness.Ranks bob = alone("bob", "staff");
    Link link = bob.links.getFirst();
    harness.call(ada.links.getFirst(), new CoordinatorRequest.MakeDirectory("home", 0755));
    make(ada, "home/f", 0664);
    CoordinatorReply.Opened own = ada.open("home/f", flags(true, true, false, 0));
    CoordinatorReply.Opened open = bob.open("home/f", flags(true, true, false, 0));
    var renew = new CoordinatorRequest.Renew(bob.group, open.open());
    harness.call(link, renew);
    harness.call(ada.links.getFirst(), new CoordinatorRequest.SetPermissions("home/f", 0644));
    assertThat(harness.refused(link, renew)).isEqualTo(ErrorCode.NOT_PERMITTED);
    harness.call(ada.links.getFirst(), new CoordinatorRequest.SetPermissions("home/f", 0664));
    harness.call(link, renew);
    harness.call(ada.links.getFirst(), new CoordinatorRequest.SetPermissions("home", 0700));
    assertThat(harness.refused(link, renew)).isEqualTo(ErrorCode.NOT_PERMITTED);
    harness.call(ada.links.getFirst(), new CoordinatorRequest.SetPermissions("home/f", 0));
    harness.call(ada.links.getFirst(), new CoordinatorRequest.Renew(ada.group, own.open()));
  }

  @Test
  void othersSeeThatAGroupIsThereButNotWhatItIsCalledOrWhereItListens() throws IOException {
    Link waiting = harness.link("ada");
    Link first = harness.link("ada");
    Harness.start(
        waiting, new CoordinatorRequest.Assemble("later", 0, 2, "unix:/later", 20_000_000_000L));
    var assembled =
        (CoordinatorReply.Assembled)
            harness.call(
                first,
                new CoordinatorRequest.Assemble("secret", 0, 1, "unix:/inbox", 1_000_000_000L));
    Link second = harness.link("ada");
    long two =
        ((CoordinatorReply.Group) harness.call(second, new CoordinatorRequest.Form(2))).group();
    harness.call(second, new CoordinatorRequest.Join(two, 0));
    harness.call(second, new CoordinatorRequest.Leave(two, 0, "it lost a key"));
    for (String viewer : List.of("ada", Harness.ROOT)) {
      assertThat(status(viewer))
          .contains("secret", "unix:/inbox", "later", "unix:/later", "it lost a key");
    }
    assertThat(status("eve"))
        .contains("ada", "group=" + assembled.group())
        .doesNotContain("secret", "unix:", "later", "lost");
  }

  private String status(String user) throws IOException {
    return harness.call(harness.link(user), new CoordinatorRequest.AskStatus()).toString();
  }

  @Test
  void groupBitsCountForMembersOfTheFilesGroupAlone() throws IOException {
    Harness.Ranks ada = alone("ada", "staff", "lab");
    Harness.Ranks mate = alone("bob", "users", "staff");
    Harness.Ranks otherUser = alone("eve", "lab");
    make(ada, "f", 0640);
    assertThat(stat(mate.links.getFirst(), "f").group()).isEqualTo("staff");
    assertThat(canOpen(mate, "f", true, false)).isTrue();
    assertThat(canOpen(mate, "f", true, true)).isFalse();
    assertThat(canOpen(otherUser, "f", true, false)).isFalse();
    // the first that fits decides: the owner, then the group, then the others
    harness.call(ada.links.getFirst(), new CoordinatorRequest.SetPermissions("f", 0004));
    assertThat(canOpen(ada, "f", true, false)).isFalse();
    assertThat(canOpen(mate, "f", true, false)).isFalse();
    assertThat(canOpen(otherUser, "f", true, false)).isTrue();
    make(alone("none"), "n", 0660);
    assertThat(stat(mate.links.getFirst(), "n").group()).isEmpty();
    assertThat(canOpen(alone("any", ""), "n", true, false)).as("no group has members").isFalse();
  }

  @Test
  void ownersGiveFilesToTheirOwnGroupsAndThatLasts() throws IOException {
    Harness.Ranks ada = alone("ada", "staff", "lab");
    Link link = ada.links.getFirst();
    make(ada, "f", 0640);
    harness.call(link, new CoordinatorRequest.MakeDirectory("d", 0750));
    harness.call(link, new CoordinatorRequest.SetGroup("f", "lab"));
    harness.call(harness.link(Harness.ROOT), new CoordinatorRequest.SetGroup("d", "any"));
    harness.call(harness.link(Harness.ROOT), new CoordinatorRequest.SetGroup("", "all"));
    assertThat(harness.refused(link, new CoordinatorRequest.SetGroup("f", "wheel")))
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(harness.refused(link, new CoordinatorRequest.SetGroup("f", "a\nb")))
        .isEqualTo(ErrorCode.INVALID);
    assertThat(harness.refused(link, new CoordinatorRequest.SetGroup("f", "x".repeat(300))))
        .isEqualTo(ErrorCode.INVALID);
    try (Harness next = new Harness(Env.real(), ((MemoryDisk) harness.disk).crash())) {
      Link root = next.link(Harness.ROOT);
      for (List<String> each :
          List.of(List.of("f", "lab"), List.of("d", "any"), List.of("", "all"))) {
        var about =
            (CoordinatorReply.About) next.call(root, new CoordinatorRequest.Stat(each.getFirst()));
        assertThat(about.entry().group()).isEqualTo(each.getLast());
      }
    }
  }

  /** The records of a log of version 1: the records are still read, the log around them is not. */
  private static List<List<byte[]>> framesOf(byte[] log) {
    ByteBuffer in = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN).position(8);
    List<List<byte[]>> frames = new ArrayList<>();
    while (in.hasRemaining()) {
      int end = in.getInt() + in.position() + 4;
      in.getInt();
      List<byte[]> frame = new ArrayList<>();
      while (in.position() < end) {
        byte[] record = new byte[in.getInt()];
        in.get(record);
        frame.add(record);
      }
      frames.add(frame);
    }
    return frames;
  }

  @Test
  void aJournalFromBeforeThereWereGroupsIsRead() throws IOException {
    MemoryDisk disk = new MemoryDisk("old");
    try (Log log = Log.create(disk.create(JournalFile.NAME), 1)) {
      for (List<byte[]> frame : framesOf(HexFormat.of().parseHex(OLD_JOURNAL))) {
        log.append(frame);
      }
    }
    for (int round = 0; round < 2; round++) { // the second time with what the first wrote
      try (Harness old = new Harness(Env.real(), disk)) {
        Link ada = old.link("ada", "staff");
        FileEntry entry =
            ((CoordinatorReply.About) old.call(ada, new CoordinatorRequest.Stat("e/f"))).entry();
        assertThat(entry.owner()).isEqualTo("ada");
        assertThat(entry.group()).isEqualTo(round == 0 ? "" : "staff");
        assertThat(entry.permissions()).isEqualTo(0600);
        assertThat(entry.confirmed()).isTrue();
        assertThat(entry.layout().orElseThrow().strands()).isEqualTo(4);
        assertThat(old.coordinator.nextId()).isEqualTo(4);
        assertThat(old.coordinator.files()).hasSize(1);
        old.call(ada, new CoordinatorRequest.SetGroup("e/f", "staff"));
      }
    }
  }
}
