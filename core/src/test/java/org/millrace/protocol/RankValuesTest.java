package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.error.MillraceException;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.testing.Seeds;

/** What all ranks gave comes back, and takes no more room for thousands than for a few. */
final class RankValuesTest {

  private static final int RANKS = 4096;

  private static Decoder decoder(Encoder written) {
    byte[] bytes = new byte[written.size()];
    written.written().get(bytes);
    return new Decoder(ByteBuffer.wrap(bytes));
  }

  private static Access access(long displacement, long length) {
    return new Access(new View(displacement, Pattern.run(length), 2 * length), 0, length);
  }

  @Test
  void longsComeBack() throws MillraceException {
    for (long seed : Seeds.of(100)) {
      Random random = new Random(seed);
      List<Long> values = new ArrayList<>();
      int count = random.nextInt(12);
      for (int i = 0; i < count; i++) {
        values.add(random.nextInt(2) * Long.MAX_VALUE);
      }
      Encoder to = new Encoder();
      RankValues.putLongs(values, to);
      assertThat(RankValues.getLongs(decoder(to))).as(Seeds.replay(seed)).isEqualTo(values);
    }
  }

  @Test
  void accessesComeBackWhateverTheirDistances() throws MillraceException {
    for (long seed : Seeds.of(200)) {
      Random random = new Random(seed);
      List<Access> accesses = new ArrayList<>();
      int count = random.nextInt(12);
      for (int i = 0; i < count; i++) {
        boolean nothing = random.nextInt(4) == 0;
        long at = random.nextInt(3) == 0 ? random.nextInt(50) : 10L * i;
        accesses.add(nothing ? Access.NOTHING : access(at, 1 + random.nextInt(2)));
      }
      Encoder to = new Encoder();
      RankValues.putAccesses(accesses, to);
      assertThat(RankValues.getAccesses(decoder(to))).as(Seeds.replay(seed)).isEqualTo(accesses);
    }
  }

  @Test
  void regularOnesTakeAsMuchRoomForThousandsOfRanksAsForTwo() {
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      accesses.add(access(100L * rank, 100));
    }
    Encoder few = new Encoder();
    RankValues.putAccesses(accesses.subList(0, 2), few);
    Encoder all = new Encoder();
    RankValues.putAccesses(accesses, all);
    assertThat(all.size()).isEqualTo(few.size());
    Encoder values = new Encoder();
    RankValues.putLongs(Collections.nCopies(RANKS, 0L), values);
    assertThat(values.size()).isLessThan(20);
  }

  @Test
  void fewBytesCannotAskForMuchMemory() {
    Encoder longs = new Encoder().putInt(1).putLong(0).putInt(Integer.MAX_VALUE);
    assertThatThrownBy(() -> RankValues.getLongs(decoder(longs)))
        .hasMessageContaining("2147483647 ranks");
    Encoder none = new Encoder().putInt(1).putLong(0).putInt(0);
    assertThatThrownBy(() -> RankValues.getLongs(decoder(none))).hasMessageContaining("0 ranks");
    Encoder accesses = new Encoder().putInt(1);
    PatternCodec.putAccess(Access.NOTHING, accesses);
    accesses.putInt(1 << 30).putLong(0).putInt(1).putLong(0);
    assertThatThrownBy(() -> RankValues.getAccesses(decoder(accesses)))
        .hasMessageContaining("1073741824 ranks");
    for (int times : new int[] {0, -1, 1 << 13, Integer.MAX_VALUE}) {
      Encoder repeated = new Encoder().putInt(1);
      PatternCodec.putAccess(Access.NOTHING, repeated);
      repeated.putInt(1).putLong(0).putInt(times).putLong(0);
      assertThatThrownBy(() -> RankValues.getAccesses(decoder(repeated)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining(times + " times 1 ranks");
    }
    Encoder together = new Encoder().putInt(2); // each may be, but not both
    for (int i = 0; i < 2; i++) {
      PatternCodec.putAccess(Access.NOTHING, together);
      together.putInt(1).putLong(0).putInt(1 << 12).putLong(0);
    }
    assertThatThrownBy(() -> RankValues.getAccesses(decoder(together)))
        .hasMessageContaining("4096 times 1 ranks, after 4096 others");
  }

  @Test
  void anAccessThatLeavesTheFileIsRefusedThoughNobodyHasAskedForItYet() {
    for (long step : new long[] {-100, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / 2}) {
      Encoder accesses = new Encoder().putInt(1);
      PatternCodec.putAccess(access(250, 10), accesses);
      accesses.putInt(4).putLong(step).putInt(1).putLong(0);
      assertThatThrownBy(() -> RankValues.getAccesses(decoder(accesses)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("4 accesses at a distance of " + step);
      Encoder repeated = new Encoder().putInt(1);
      PatternCodec.putAccess(access(250, 10), repeated);
      repeated.putInt(1).putLong(0).putInt(4).putLong(step);
      assertThatThrownBy(() -> RankValues.getAccesses(decoder(repeated)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("times a distance of " + step);
    }
  }

  /** Tiles of a matrix: rows of ranks at one distance, ranks of a row at another. */
  private static List<Access> tiles(int rows, int columns) {
    List<Access> accesses = new ArrayList<>();
    for (int rank = 0; rank < rows * columns; rank++) {
      accesses.add(access(1_000_000L * (rank / columns) + 100L * (rank % columns), 100));
    }
    return accesses;
  }

  @Test
  void tilesTakeAsMuchRoomForThousandsOfRanksAsForTwo() throws MillraceException {
    Encoder few = new Encoder();
    RankValues.putAccesses(tiles(1, 2), few);
    Encoder all = new Encoder();
    RankValues.putAccesses(tiles(64, 64), all);
    assertThat(all.size()).isEqualTo(few.size());
    assertThat(RankValues.getAccesses(decoder(all))).isEqualTo(tiles(64, 64));
    List<Access> odd = new ArrayList<>(tiles(9, 5));
    odd.set(20, access(7, 100)); // one that lies elsewhere ends the repetition, and the run
    Encoder apart = new Encoder();
    RankValues.putAccesses(odd, apart);
    assertThat(RankValues.getAccesses(decoder(apart))).isEqualTo(odd);
  }

  @Test
  void moreRepetitionsThanAReaderTakesAreWrittenAsTheyAre() throws MillraceException {
    List<Access> many = tiles(5_000, 2);
    Encoder to = new Encoder();
    RankValues.putAccesses(many, to);
    assertThat(RankValues.getAccesses(decoder(to))).isEqualTo(many);
  }

  /** An answer of few bytes may be large in memory: who serves must not read it. */
  @Test
  void answersAreNoRequestsAndNothingOfThemIsRead() throws MillraceException {
    for (Kind kind : Kind.values()) {
      Encoder onlyTheKind = new Encoder().putByte(kind.number());
      String refusal = kind + " is not a request";
      if (!isServed(kind)) {
        assertThatThrownBy(() -> WireCodec.INSTANCE.decodeRequest(decoder(onlyTheKind)))
            .isInstanceOf(MillraceException.class)
            .hasMessageContaining(refusal);
      } else {
        try {
          WireCodec.INSTANCE.decodeRequest(decoder(onlyTheKind));
        } catch (MillraceException e) {
          assertThat(e).hasMessageNotContaining(refusal);
        }
      }
    }
  }

  private static boolean isServed(Kind kind) {
    Class<?> type = kind.type();
    return CoordinatorRequest.class.isAssignableFrom(type)
        || NodeRequest.class.isAssignableFrom(type)
        || (RankRequest.class.isAssignableFrom(type) && !type.equals(RankRequest.Taken.class));
  }

  @Test
  void layoutsOfMoreStrandsThanAFileCanHaveAreRefused() {
    Encoder layout = new Encoder().putLong(1).putInt(4096).putInt(2);
    layout.putInt(0).putInt(StrandId.MAX_STRANDS).putInt(7).putInt(1);
    assertThatThrownBy(() -> ValueCodec.getLayout(decoder(layout)))
        .hasMessageContaining("65537 strands");
  }
}
