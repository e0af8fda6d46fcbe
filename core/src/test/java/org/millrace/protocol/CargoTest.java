package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Flat;
import org.millrace.access.Pattern;
import org.millrace.access.Places;
import org.millrace.access.View;
import org.millrace.access.Worlds;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Cargo;
import org.millrace.message.Cargo.Direction;
import org.millrace.message.Message;

/** What travels, byte by byte, against what the views and layouts say of each byte. */
final class CargoTest {

  private static final WireCodec CODEC = WireCodec.INSTANCE;
  private static final CollectiveId CALL = new CollectiveId(1, 2, 3);

  /** The bytes of a walk, in order. */
  private static List<Long> bytes(Cargo cargo) {
    List<Long> bytes = new ArrayList<>();
    Cargo.Walk walk = cargo.walk();
    while (walk.next()) {
      assertThat(walk.length()).isPositive();
      assertThat(walk.count()).isPositive();
      for (long i = 0; i < walk.count(); i++) {
        for (long k = 0; k < walk.length(); k++) {
          bytes.add(walk.offset() + i * walk.stride() + k);
        }
      }
    }
    assertThat(cargo.bytes()).isEqualTo(bytes.size());
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

  private static List<Places> places(long size) {
    long[] mixed = LongStream.range(0, size + 3).map(i -> (i * 7 + 5) % (size + 3) * 2).toArray();
    long[] ones = new long[mixed.length];
    Arrays.fill(ones, 1);
    return List.of(
        Places.packed(size),
        new Places(Pattern.run(size + 9), 4),
        new Places(Pattern.loop(size + 1, 3, Pattern.run(2)), 1),
        new Places(Pattern.loop(size + 2, -2, Pattern.run(1)).shifted(2 * size + 2), 2),
        new Places(Pattern.indexed(mixed, ones), 3));
  }

  @Test
  void bothSidesNameTheStrandsBytesInTheOrderOfPositions() throws MillraceException {
    for (View view : views()) {
      for (Access access : accesses(view)) {
        for (int strands = 1; strands <= 3; strands++) {
          for (long unit : new long[] {1, 2, 5}) {
            for (Places places : places(access.size())) {
              checkStrands(Layout.striped(unit, strands), access, places);
            }
          }
        }
      }
    }
  }

  private static void checkStrands(Layout layout, Access access, Places places)
      throws MillraceException {
    for (int strand = 0; strand < layout.strands(); strand++) {
      List<Long> here = new ArrayList<>();
      List<Long> there = new ArrayList<>();
      for (long p = access.from(); p < access.to(); p++) {
        if (layout.strandOf(access.view().offsetOf(p)) == strand) {
          here.add(places.pattern().offsetOf(places.from() + p - access.from()));
          there.add(p - access.from());
        }
      }
      Message sent = new NodeRequest.Scatter(new StrandId(1, strand), layout, access, places);
      Message received = decoded(sent);
      if (!bytes(CODEC.cargo(sent, 1000)).equals(here)
          || !bytes(CODEC.cargo(received, -1)).equals(there)) {
        throw new AssertionError(
            sent
                + " sends "
                + bytes(CODEC.cargo(sent, 1000))
                + " not "
                + here
                + ", receives "
                + bytes(CODEC.cargo(received, -1))
                + " not "
                + there);
      }
    }
  }

  @Test
  void requestsToNodesSayWhichWayAndHowMuchMemory() throws MillraceException {
    Layout layout = Layout.striped(4, 2);
    StrandId strand = new StrandId(1, 1);
    Access access = new Access(View.WHOLE, 0, 20);
    Places places = Places.packed(20);
    checkHead(new NodeRequest.Gather(strand, layout, access, places), Direction.TO_SENDER, 8, 20);
    checkHead(
        new NodeRequest.Scatter(strand, layout, access, places), Direction.TO_RECEIVER, 8, 20);
    checkHead(direct(strand, layout, access, true), Direction.TO_RECEIVER, 8, 20);
    checkHead(direct(strand, layout, access, false), Direction.TO_SENDER, 8, 20);
    Message gather = new NodeRequest.Gather(strand, layout, access, places);
    assertThat(CODEC.cargo(gather, 50).memoryBytes()).isEqualTo(50);
  }

  private static Message direct(StrandId strand, Layout layout, Access access, boolean write) {
    Places places = Places.packed(access.size());
    return new NodeRequest.Direct(strand, CALL, write, 0, 1, 0, 1, 2, layout, access, places);
  }

  private static void checkHead(Message request, Direction way, long bytes, long memory)
      throws MillraceException {
    Cargo cargo = CODEC.cargo(decoded(request), WireCodec.AS_THE_MESSAGE_SAYS);
    assertThat(cargo.direction()).isEqualTo(way);
    assertThat(cargo.bytes()).isEqualTo(bytes).isEqualTo(bytes(cargo).size());
    assertThat(cargo.memoryBytes()).isEqualTo(memory);
  }

  @Test
  void piecesTravelWithoutWhatLiesBetweenThem() throws MillraceException {
    for (View view : views()) {
      for (Access access : accesses(view)) {
        if (view.isAscending() && !access.isEmpty()) {
          checkPiece(access);
        }
      }
    }
  }

  private static void checkPiece(Access access) throws MillraceException {
    List<Long> wanted = new ArrayList<>();
    for (long p = access.from(); p < access.to(); p++) {
      wanted.add(access.view().offsetOf(p));
    }
    long size = access.view().tile().size();
    Pattern tiles =
        Pattern.loop((access.to() - 1) / size + 1, access.view().tileExtent(), access.view().tile())
            .shifted(access.view().displacement());
    long payload = access.span().end() + 1;
    var piece = new RankRequest.Piece(7, access.size(), new Places(tiles, access.from()), payload);
    Message fetch = new RankRequest.Fetch(CALL, piece);
    Message place = new RankRequest.Place(CALL, piece);
    for (Message message : List.of(fetch, place)) {
      assertThat(bytes(CODEC.cargo(message, payload))).isEqualTo(wanted);
      assertThat(bytes(CODEC.cargo(decoded(message), -1))).isEqualTo(wanted);
    }
  }

  @Test
  void requestsToRanksSayWhichWayAndHowMuchMemory() throws MillraceException {
    var piece = new RankRequest.Piece(10, 4, new Places(Pattern.loop(5, 2, Pattern.run(1)), 1), 9);
    checkHead(new RankRequest.Deliver(1, 2, 3, 4, 77, 5, true), Direction.TO_RECEIVER, 77, 77);
    checkHead(new RankRequest.Place(CALL, piece), Direction.TO_RECEIVER, 4, 9);
    checkHead(new RankRequest.Fetch(CALL, piece), Direction.TO_SENDER, 4, 9);
    Message deliver = new RankRequest.Deliver(1, 2, 3, 4, 77, 5, true);
    assertThatThrownBy(() -> CODEC.cargo(deliver, 76)).hasMessageContaining("the message says 77");
  }

  @Test
  void everythingElseCarriesNothing() {
    for (PlainMessages.Named sample : PlainMessages.all()) {
      if (!sample.name().matches("NODE_(GATHER|SCATTER|DIRECT)|RANK_(DELIVER|PLACE|FETCH)")) {
        assertThat(CODEC.cargo(sample.message(), 5)).isEqualTo(Cargo.NOTHING);
      }
    }
  }

  @Test
  void packedBytesOfTheOnlyStrandAreOneRun() {
    View view = new View(0, Pattern.loop(1L << 40, 16, Pattern.run(8)), 1L << 44);
    Access access = new Access(view, 0, 1L << 43);
    Places places = Places.packed(access.size());
    Message gather =
        new NodeRequest.Gather(new StrandId(1, 0), Layout.striped(1, 1), access, places);
    Cargo.Walk walk = CODEC.cargo(gather, 1L << 43).walk();
    assertThat(walk.next()).isTrue();
    assertThat(walk.length()).isEqualTo(1L << 43);
    assertThat(walk.next()).isFalse();
  }

  @Test
  void piecesThatDoNotLieInTheirPayloadAreRefused() {
    Pattern two = Pattern.loop(2, 4, Pattern.run(2));
    assertThat(new RankRequest.Piece(0, 4, new Places(two, 0), 6).bytes()).isEqualTo(4);
    assertThatThrownBy(() -> new RankRequest.Piece(0, 4, new Places(two, 0), 5))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RankRequest.Piece(0, 5, new Places(two, 0), 99))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RankRequest.Piece(0, 2, new Places(two.shifted(-1), 0), 99))
        .isInstanceOf(IllegalArgumentException.class);
    Pattern back = Pattern.loop(2, -4, Pattern.run(2)).shifted(8);
    assertThatThrownBy(() -> new RankRequest.Piece(0, 4, new Places(back, 0), 99))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
