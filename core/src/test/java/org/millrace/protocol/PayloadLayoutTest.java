package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Cursor;
import org.millrace.access.Flat;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.access.Worlds;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Message;
import org.millrace.message.PayloadLayout;
import org.millrace.message.PayloadLayout.Direction;

/** What travels, byte by byte, against what the views and layouts say of each byte. */
final class PayloadLayoutTest {

  private static final WireCodec CODEC = WireCodec.INSTANCE;
  private static final CollectiveId CALL = new CollectiveId(1, 2, 3);

  /** The bytes of a walk, in order. */
  private static List<Long> bytes(PayloadLayout payloadLayout) {
    List<Long> bytes = new ArrayList<>();
    Cursor walk = payloadLayout.which();
    while (walk.next()) {
      assertThat(walk.length()).isPositive();
      assertThat(walk.count()).isPositive();
      for (long i = 0; i < walk.count(); i++) {
        for (long k = 0; k < walk.length(); k++) {
          bytes.add(walk.offset() + i * walk.stride() + k);
        }
      }
    }
    assertThat(payloadLayout.bytes()).isEqualTo(bytes.size());
    return bytes;
  }

  private static Message decoded(Message message) throws MillraceException {
    return WireCodecTest.decode(WireCodecTest.encode(message));
  }

  private static List<View> views() {
    List<Flat> tiles = new ArrayList<>(Worlds.kinds());
    tiles.addAll(Worlds.loops(1, new long[] {2, 3}, new long[] {-5, -1, 0, 1, 2, 7}, 2));
    tiles.addAll(Worlds.lists(2, 3));
    List<View> views = new ArrayList<>();
    for (Flat tile : tiles) {
      for (long gap : new long[] {0, 1, 3}) {
        long extent = tile.end() - tile.first() + gap;
        views.add(new View(2 + Math.max(0, -tile.first()), tile.pattern(), extent));
      }
    }
    return views;
  }

  private static List<Access> accesses(View view) {
    if (view.isEmpty()) {
      return List.of(new Access(view, 0, 0));
    }
    long size = view.tile().size();
    return List.of(
        new Access(view, 0, 0),
        new Access(view, 0, size),
        new Access(view, 1, 2 * size + 1),
        new Access(view, size, 3 * size + 2));
  }

  @Test
  void bothSidesNameTheStrandsBytesInTheOrderOfPositions() throws MillraceException {
    for (View view : views()) {
      for (Access access : accesses(view)) {
        for (int strands = 1; strands <= 3; strands++) {
          for (long unit : new long[] {1, 2, 5}) {
            checkStrands(Layout.striped(unit, strands), access);
          }
        }
      }
    }
  }

  private static void checkStrands(Layout layout, Access access) throws MillraceException {
    for (int strand = 0; strand < layout.strands(); strand++) {
      List<Long> expected = new ArrayList<>();
      for (long p = access.from(); p < access.to(); p++) {
        if (layout.strandOf(access.view().offsetOf(p)) == strand) {
          expected.add(p - access.from());
        }
      }
      Message sent = new NodeRequest.Scatter(new StrandId(1, strand), layout, access, false);
      assertThat(bytes(CODEC.payloadLayout(sent))).as("%s", sent).isEqualTo(expected);
      assertThat(bytes(CODEC.payloadLayout(decoded(sent)))).as("%s", sent).isEqualTo(expected);
    }
  }

  @Test
  void partsOfARequestTogetherMoveWhatItMoves() {
    Layout layout = Layout.striped(5, 3);
    for (View view : views()) {
      for (Access access : accesses(view)) {
        Message whole = new NodeRequest.Gather(new StrandId(1, 1), layout, access);
        List<Long> together = new ArrayList<>();
        for (long from = 0; from < access.size(); from += 3) {
          long to = Math.min(access.size(), from + 3);
          Message part = Objects.requireNonNull(CODEC.part(whole, from, to));
          for (long one : bytes(CODEC.payloadLayout(part))) {
            together.add(from + one);
          }
        }
        assertThat(together).as("%s", whole).isEqualTo(bytes(CODEC.payloadLayout(whole)));
      }
    }
  }

  @Test
  void requestsToNodesSayWhichWayAndHowMuchMemory() throws MillraceException {
    Layout layout = Layout.striped(4, 2);
    StrandId strand = new StrandId(1, 1);
    Access access = new Access(View.WHOLE, 0, 20);
    checkHead(new NodeRequest.Gather(strand, layout, access), Direction.TO_SENDER, 8, 20);
    checkHead(new NodeRequest.Scatter(strand, layout, access, false), Direction.TO_RECEIVER, 8, 20);
    checkHead(direct(strand, layout, access, true), Direction.TO_RECEIVER, 8, 20);
    checkHead(direct(strand, layout, access, false), Direction.TO_SENDER, 8, 20);
  }

  private static Message direct(StrandId strand, Layout layout, Access access, boolean write) {
    return new NodeRequest.Direct(strand, CALL, write, 0, 1, 0, 0, 1, 2, layout, access);
  }

  private static void checkHead(Message request, Direction way, long bytes, long memory)
      throws MillraceException {
    PayloadLayout payloadLayout = CODEC.payloadLayout(decoded(request));
    assertThat(payloadLayout.direction()).isEqualTo(way);
    assertThat(payloadLayout.bytes()).isEqualTo(bytes).isEqualTo(bytes(payloadLayout).size());
    assertThat(payloadLayout.size()).isEqualTo(memory);
  }

  @Test
  void requestsToRanksSayWhichWayAndHowMuchMemory() throws MillraceException {
    var piece = new RankRequest.Piece(10, 4);
    checkHead(new RankRequest.Deliver(1, 2, 3, 4, 77, 5, true), Direction.TO_RECEIVER, 77, 77);
    checkHead(new RankRequest.Place(CALL, piece), Direction.TO_RECEIVER, 4, 4);
    checkHead(new RankRequest.Fetch(CALL, piece), Direction.TO_SENDER, 4, 4);
  }

  @Test
  void everythingElseCarriesNothing() {
    for (PlainMessages.Named sample : PlainMessages.all()) {
      if (!sample
          .name()
          .matches(
              "NODE_(GATHER|SCATTER|DIRECT|COPY_WRITE|COPY_MEND|COPY_READ)|RANK_(DELIVER|PLACE|FETCH)")) {
        assertThat(CODEC.payloadLayout(sample.message())).isEqualTo(PayloadLayout.NOTHING);
      }
    }
  }

  @Test
  void packedBytesOfTheOnlyStrandAreOneRun() {
    View view = new View(0, Pattern.loop(1L << 40, 16, Pattern.run(8)), 1L << 44);
    Access access = new Access(view, 0, 1L << 43);
    Message gather = new NodeRequest.Gather(new StrandId(1, 0), Layout.striped(1, 1), access);
    Cursor walk = CODEC.payloadLayout(gather).which();
    assertThat(walk.next()).isTrue();
    assertThat(walk.length()).isEqualTo(1L << 43);
    assertThat(walk.next()).isFalse();
  }
}
