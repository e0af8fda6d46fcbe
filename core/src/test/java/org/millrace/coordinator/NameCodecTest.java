package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.MillraceException;
import org.millrace.files.FileKind;
import org.millrace.files.FileStatus;
import org.millrace.layout.Copies;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.FileFacts;
import org.millrace.protocol.NodeUse;

/** The bytes here are the format: they change only together with its version. */
final class NameCodecTest {

  private static final String ANSWERED_ABOUT =
      "0700000000000000"
          + "0900000000000000"
          + "0800000000000000"
          + "03"
          + "0400642fc3a4"
          + "0300000000000000"
          + "0300616461"
          + "05007374616666"
          + "a4010000"
          + "e803000000000000"
          + "01"
          + "02000000"
          + "01000000";

  private static FileEntry entry(Optional<Layout> layout) {
    return new FileEntry("d/\u00e4", 3, layout, "ada", "staff", 0644, 1000, true, 2, 1);
  }

  private static final String FACTS =
      "0300000000000000"
          + "%s"
          + "0300616461"
          + "05007374616666"
          + "a4010000"
          + "0100000000000000"
          + "0200000000000000"
          + "0300000000000000"
          + "0400000000000000"
          + "0500000000000000"
          + "0600000000000000"
          + "0800000000000000"
          + "0700000000000000";

  private static FileFacts facts(FileKind kind, Optional<Layout> layout) {
    var times = new FileStatus.Times(1, 2, 3, 4);
    var status = new FileStatus(3, kind, 0644, "ada", "staff", 6, 8, times, 7);
    return new FileFacts(status, layout, 11, 5);
  }

  private static final Stamps STAMPS = new Stamps(1, 2, 3, 4, 5);

  private static Map<NameChange, String> golden() {
    Map<NameChange, String> golden = new LinkedHashMap<>();
    golden.put(new NameChange.Begin(0x0102030405L), "0701" + "0504030201000000");
    golden.put(
        new NameChange.MakeDirectory(2, 0, "d", "ada", "staff", 0755, 1000),
        "0702"
            + "0200000000000000"
            + "0000000000000000"
            + "010064"
            + "0300616461"
            + "05007374616666"
            + "ed010000"
            + "e803000000000000");
    golden.put(
        new NameChange.CreateFile(
            3, 2, "\u00e4", "ada", "", 0644, -1, true, Layout.of(65536, 1, 0).withBlockBytes(8192)),
        "0703"
            + "0300000000000000"
            + "0200000000000000"
            + "0200c3a4"
            + "0300616461"
            + "0000"
            + "a4010000"
            + "ffffffffffffffff"
            + "01"
            + "0000010000000000"
            + "00200000"
            + "02000000"
            + "01000000"
            + "00000000");
    golden.put(new NameChange.Confirm(3, true), "0704" + "0300000000000000" + "01");
    golden.put(new NameChange.Confirm(3, false), "0704" + "0300000000000000" + "00");
    golden.put(
        new NameChange.Rename(3, 0, "xyz"),
        "0705" + "0300000000000000" + "0000000000000000" + "030078797a");
    golden.put(new NameChange.Remove(3), "0706" + "0300000000000000");
    golden.put(new NameChange.SetPermissions(2, 0700), "0707" + "0200000000000000" + "c0010000");
    golden.put(new NameChange.SetGroup(2, "staff"), "0708" + "0200000000000000" + "05007374616666");
    golden.put(
        new NameChange.Gone(3, Layout.of(65536, 1, 0)),
        "0709"
            + "0300000000000000"
            + "0000010000000000"
            + "00000100"
            + "02000000"
            + "01000000"
            + "00000000");
    golden.put(new NameChange.Forget(3), "070a" + "0300000000000000");
    golden.put(
        new NameChange.Together(List.of(new NameChange.Remove(3), new NameChange.Forget(4))),
        "070b" + "02000000" + "06" + "0300000000000000" + "0a" + "0400000000000000");
    golden.put(
        new NameChange.Life(3, 5, true), "070c" + "0300000000000000" + "0500000000000000" + "01");
    golden.put(new NameChange.NodeEpoch(2, 9), "070d" + "02000000" + "0900000000000000");
    golden.put(
        new NameChange.Copied(Copies.idOf(3, 2), 2, 4, 9),
        "070e" + "0300000000400000" + "02000000" + "04000000" + "0900000000000000");
    golden.put(
        new NameChange.StrandCopies(
            Copies.idOf(3, 2), 1, new CopySet(9, List.of(2, 0), List.of(1))),
        "070f"
            + "0300000000400000"
            + "01000000"
            + "0900000000000000"
            + "02000000"
            + "02000000"
            + "00000000"
            + "01000000"
            + "01000000");
    golden.put(new NameChange.DirectoryCopies(2, 3), "0710" + "0200000000000000" + "03000000");
    golden.put(new NameChange.NodeSince(2, 9), "0711" + "02000000" + "0900000000000000");
    golden.put(
        new NameChange.NodeLost(2, 9, List.of(2, 3)),
        "0712" + "02000000" + "0900000000000000" + "02000000" + "02000000" + "03000000");
    golden.put(new NameChange.NodeLostAt(2, 9), "0713" + "02000000" + "0900000000000000");
    golden.put(new NameChange.NodeState(2, NodeUse.DRAINING), "0714" + "02000000" + "01");
    golden.put(
        new NameChange.StrandsLost(3, List.of(0, 5)),
        "0715" + "0300000000000000" + "02000000" + "00000000" + "05000000");
    golden.put(new NameChange.NodeReplaced(2, 9), "0716" + "02000000" + "0900000000000000");
    golden.put(
        new NameChange.StrandMoved(3, 1, 2), "0717" + "0300000000000000" + "01000000" + "02000000");
    golden.put(
        new NameChange.Answered(7, 9, 8, new KeptAnswer.Done()),
        "0718" + "0700000000000000" + "0900000000000000" + "0800000000000000" + "01");
    golden.put(
        new NameChange.Answered(7, 9, 0, new KeptAnswer.None()),
        "0718" + "0700000000000000" + "0900000000000000" + "0000000000000000" + "00");
    golden.put(
        new NameChange.Answered(-7, 4, -156, new KeptAnswer.Value(3)),
        "0718"
            + "f9ffffffffffffff"
            + "0400000000000000"
            + "64ffffffffffffff"
            + "02"
            + "0300000000000000");
    golden.put(
        new NameChange.Answered(7, 9, 8, new KeptAnswer.About(entry(Optional.empty()))),
        "0718" + ANSWERED_ABOUT + "00");
    golden.put(
        new NameChange.Answered(
            7, 9, 8, new KeptAnswer.About(entry(Optional.of(Layout.of(65536, 1, 0))))),
        "0718"
            + ANSWERED_ABOUT
            + "01"
            + "0000010000000000"
            + "00000100"
            + "02000000"
            + "01000000"
            + "00000000");
    golden.put(
        new NameChange.Together(
            List.of(
                new NameChange.Remove(3), new NameChange.Answered(7, 9, 8, new KeptAnswer.Done()))),
        "070b"
            + "02000000"
            + "06"
            + "0300000000000000"
            + "18"
            + "0700000000000000"
            + "0900000000000000"
            + "0800000000000000"
            + "01");
    String answered = "0718" + "0700000000000000" + "0900000000000000" + "0800000000000000";
    golden.put(
        new NameChange.Answered(7, 9, 8, new KeptAnswer.At(facts(FileKind.PIPE, Optional.empty()))),
        answered + "04" + FACTS.formatted("03") + "00" + "0b00000000000000");
    golden.put(
        new NameChange.Answered(
            7,
            9,
            8,
            new KeptAnswer.Gone(
                Optional.of(facts(FileKind.FILE, Optional.of(Layout.of(65536, 1, 0)))))),
        answered
            + "05"
            + "01"
            + FACTS.formatted("00")
            + "01"
            + "0000010000000000"
            + "00000100"
            + "02000000"
            + "01000000"
            + "00000000"
            + "0b00000000000000");
    golden.put(
        new NameChange.Answered(7, 9, 8, new KeptAnswer.Gone(Optional.empty())),
        answered + "05" + "00");
    golden.put(
        new NameChange.Answered(7, 9, 8, new KeptAnswer.Opened(3)),
        answered + "06" + "0300000000000000");
    golden.put(new NameChange.Heard(7, 9), "0719" + "0700000000000000" + "0900000000000000");
    String stamps =
        "0100000000000000"
            + "0200000000000000"
            + "0300000000000000"
            + "0400000000000000"
            + "0500000000000000";
    golden.put(
        new NameChange.Make(
            3,
            FileKind.FILE,
            "ada",
            "staff",
            04755,
            STAMPS,
            true,
            Optional.of(Layout.of(65536, 1, 0)),
            "",
            0),
        "071a"
            + "0300000000000000"
            + "00"
            + "0300616461"
            + "05007374616666"
            + "ed090000"
            + stamps
            + "01"
            + "01"
            + "0000010000000000"
            + "00000100"
            + "02000000"
            + "01000000"
            + "00000000"
            + "0000"
            + "0000000000000000");
    golden.put(
        new NameChange.Make(
            4, FileKind.LINK, "ada", "", 0777, STAMPS, true, Optional.empty(), "../x", 7),
        "071a"
            + "0400000000000000"
            + "02"
            + "0300616461"
            + "0000"
            + "ff010000"
            + stamps
            + "01"
            + "00"
            + "04002e2e2f78"
            + "0700000000000000");
    golden.put(
        new NameChange.Link(3, 2, "x", 9),
        "071b" + "0300000000000000" + "0200000000000000" + "010078" + "0900000000000000");
    golden.put(
        new NameChange.Unlink(2, "x", Stamps.UNTIMED),
        "071c" + "0200000000000000" + "010078" + "0000000000000080");
    golden.put(
        new NameChange.Move(2, "x", 0, "yz", 9),
        "071d"
            + "0200000000000000"
            + "010078"
            + "0000000000000000"
            + "0200797a"
            + "0900000000000000");
    golden.put(
        new NameChange.Exchange(2, "x", 0, "yz", 9),
        "071e"
            + "0200000000000000"
            + "010078"
            + "0000000000000000"
            + "0200797a"
            + "0900000000000000");
    golden.put(new NameChange.Drop(3), "071f" + "0300000000000000");
    golden.put(
        new NameChange.SetAttributes(3, "ada", "", 01777, STAMPS),
        "0720" + "0300000000000000" + "0300616461" + "0000" + "ff030000" + stamps);
    golden.put(
        new NameChange.SetExtended(3, "user.x", Optional.of(Bytes.of(new byte[] {1, 2})), 9),
        "0721"
            + "0300000000000000"
            + "0600757365722e78"
            + "01"
            + "02000000"
            + "0102"
            + "0900000000000000");
    golden.put(
        new NameChange.SetExtended(3, "user.x", Optional.empty(), 9),
        "0721" + "0300000000000000" + "0600757365722e78" + "00" + "0900000000000000");
    return golden;
  }

  /** What journals hold that were written before files had a block size. */
  private static Map<NameChange, String> withoutBlockSizes() {
    Map<NameChange, String> old = new LinkedHashMap<>();
    old.put(
        new NameChange.CreateFile(
            3, 2, "\u00e4", "ada", "staff", 0644, -1, true, Layout.of(65536, 1, 0)),
        "0203"
            + "0300000000000000"
            + "0200000000000000"
            + "0200c3a4"
            + "0300616461"
            + "05007374616666"
            + "a4010000"
            + "ffffffffffffffff"
            + "01"
            + "0000010000000000"
            + "02000000"
            + "01000000"
            + "00000000");
    old.put(
        new NameChange.Gone(3, Layout.of(65536, 1, 0)),
        "0209" + "0300000000000000" + "0000010000000000" + "02000000" + "01000000" + "00000000");
    return old;
  }

  /** What journals hold that were written before files had groups. */
  private static Map<NameChange, String> withoutGroups() {
    Map<NameChange, String> old = new LinkedHashMap<>();
    old.put(new NameChange.Begin(0x0102030405L), "0101" + "0504030201000000");
    old.put(
        new NameChange.MakeDirectory(2, 0, "d", "ada", "", 0755, 1000),
        "0102"
            + "0200000000000000"
            + "0000000000000000"
            + "010064"
            + "0300616461"
            + "ed010000"
            + "e803000000000000");
    old.put(
        new NameChange.CreateFile(
            3, 2, "\u00e4", "ada", "", 0644, -1, true, Layout.of(65536, 1, 0)),
        "0103"
            + "0300000000000000"
            + "0200000000000000"
            + "0200c3a4"
            + "0300616461"
            + "a4010000"
            + "ffffffffffffffff"
            + "01"
            + "0000010000000000"
            + "02000000"
            + "01000000"
            + "00000000");
    old.put(new NameChange.Confirm(3, true), "0104" + "0300000000000000" + "01");
    old.put(new NameChange.Confirm(3, false), "0104" + "0300000000000000" + "00");
    old.put(
        new NameChange.Rename(3, 0, "xyz"),
        "0105" + "0300000000000000" + "0000000000000000" + "030078797a");
    old.put(new NameChange.Remove(3), "0106" + "0300000000000000");
    old.put(new NameChange.SetPermissions(2, 0700), "0107" + "0200000000000000" + "c0010000");
    return old;
  }

  @Test
  void everyKindHasItsFrozenBytes() throws MillraceException {
    for (Map.Entry<NameChange, String> each : golden().entrySet()) {
      byte[] bytes = NameCodec.encode(each.getKey());
      assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(each.getValue());
      assertThat(NameCodec.decode(bytes)).isEqualTo(each.getKey());
    }
    assertThat(golden().keySet().stream().map(Object::getClass).distinct().count())
        .isEqualTo(NameChange.class.getPermittedSubclasses().length);
  }

  @Test
  void recordsOfTheVersionWithoutGroupsAreStillRead() throws MillraceException {
    for (Map.Entry<NameChange, String> each : withoutGroups().entrySet()) {
      byte[] bytes = HexFormat.of().parseHex(each.getValue());
      assertThat(NameCodec.decode(bytes)).isEqualTo(each.getKey());
      for (int length = 0; length < bytes.length; length++) {
        corrupt(Arrays.copyOf(bytes, length));
      }
    }
    corrupt(HexFormat.of().parseHex("010a" + "0300000000000000"));
  }

  @Test
  void recordsOfTheVersionWithoutBlockSizesAreReadAsFilesOfDefaultBlocks()
      throws MillraceException {
    for (Map.Entry<NameChange, String> each : withoutBlockSizes().entrySet()) {
      byte[] bytes = HexFormat.of().parseHex(each.getValue());
      assertThat(NameCodec.decode(bytes)).isEqualTo(each.getKey());
      for (int length = 0; length < bytes.length; length++) {
        corrupt(Arrays.copyOf(bytes, length));
      }
    }
  }

  @Test
  void aBlockSizeThatNoFileMayHaveIsCorrupt() {
    for (String blockBytes : List.of("00000000", "01200000", "00080000", "00008000", "ffffffff")) {
      corrupt(
          HexFormat.of()
              .parseHex(
                  "0309"
                      + "0300000000000000"
                      + "0000010000000000"
                      + blockBytes
                      + "01000000"
                      + "00000000"));
    }
  }

  @Test
  void cutOrLengthenedOrForeignRecordsAreCorrupt() {
    for (NameChange change : golden().keySet()) {
      byte[] bytes = NameCodec.encode(change);
      for (int length = 0; length < bytes.length; length++) {
        corrupt(Arrays.copyOf(bytes, length));
      }
      corrupt(Arrays.copyOf(bytes, bytes.length + 1));
      byte[] otherVersion = bytes.clone();
      otherVersion[0] = NameCodec.VERSION + 1;
      corrupt(otherVersion);
      byte[] otherKind = bytes.clone();
      otherKind[1] = 77;
      corrupt(otherKind);
    }
  }

  private static void corrupt(byte[] bytes) {
    assertThatThrownBy(() -> NameCodec.decode(bytes))
        .as(HexFormat.of().formatHex(bytes))
        .isInstanceOf(CorruptBlockException.class);
  }

  @Test
  void recordsOfTheVersionWithoutLinksAreStillRead() throws MillraceException {
    for (Map.Entry<NameChange, String> one : golden().entrySet()) {
      byte[] old = HexFormat.of().parseHex("06" + one.getValue().substring(2));
      if (old[1] > 25 || holdsAnswer(one.getKey(), NameCodecTest::isOfPrograms)) {
        corrupt(old); // no such record was ever written
      } else {
        assertThat(NameCodec.decode(old)).isEqualTo(one.getKey());
      }
    }
  }

  @Test
  void recordsOfTheVersionWithoutLivesAreStillRead() throws MillraceException {
    for (Map.Entry<NameChange, String> one : golden().entrySet()) {
      byte[] old = HexFormat.of().parseHex("03" + one.getValue().substring(2));
      if (old[1] > 11 || holdsAnswer(one.getKey(), _ -> true)) {
        corrupt(old); // no such record was ever written
      } else {
        assertThat(NameCodec.decode(old)).isEqualTo(one.getKey());
      }
    }
  }

  @Test
  void recordsOfTheVersionWithoutAnswersAreStillRead() throws MillraceException {
    for (Map.Entry<NameChange, String> one : golden().entrySet()) {
      byte[] old = HexFormat.of().parseHex("05" + one.getValue().substring(2));
      if (old[1] > 23 || holdsAnswer(one.getKey(), _ -> true)) {
        corrupt(old); // no such record was ever written
      } else {
        assertThat(NameCodec.decode(old)).isEqualTo(one.getKey());
      }
    }
  }

  private static boolean holdsAnswer(NameChange change, Predicate<NameChange> which) {
    return switch (change) {
      case NameChange.Answered _, NameChange.Heard _ -> which.test(change);
      case NameChange.Together(List<NameChange> all) ->
          all.stream().anyMatch(one -> holdsAnswer(one, which));
      default -> false;
    };
  }

  private static boolean isOfPrograms(NameChange change) {
    return change instanceof NameChange.Answered answered
        && switch (answered.answer()) {
          case KeptAnswer.At _, KeptAnswer.Gone _, KeptAnswer.Opened _ -> true;
          case KeptAnswer.None _, KeptAnswer.Done _, KeptAnswer.Value _, KeptAnswer.About _ ->
              false;
        };
  }

  @Test
  void anAnswerOfNoKindIsCorrupt() {
    corrupt(
        HexFormat.of()
            .parseHex(
                "0718" + "0700000000000000" + "0900000000000000" + "0800000000000000" + "07"));
  }
}
