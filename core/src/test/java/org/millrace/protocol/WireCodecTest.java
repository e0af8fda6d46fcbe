package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Decoder;
import org.millrace.message.Encoder;
import org.millrace.message.Message;
import org.millrace.testing.Seeds;

final class WireCodecTest {

  private static final WireCodec CODEC = WireCodec.INSTANCE;

  static byte[] encode(Message message) {
    Encoder to = new Encoder();
    CODEC.encode(message, to);
    byte[] bytes = new byte[to.size()];
    to.written().get(bytes);
    return bytes;
  }

  static Message decode(byte[] bytes) throws MillraceException {
    return CODEC.decode(new Decoder(ByteBuffer.wrap(bytes)));
  }

  private static void checkRefused(byte[] bytes, String reason) {
    assertThatThrownBy(() -> decode(bytes))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL))
        .hasMessageContaining(reason);
  }

  @Test
  void everyKindComesBackAsItWasSent() throws MillraceException {
    for (long seed : Seeds.of(40)) {
      RandomMessages messages = new RandomMessages(new Random(seed));
      for (Kind kind : Kind.values()) {
        for (int i = 0; i < 10; i++) {
          Message sent = messages.make(kind);
          byte[] bytes = encode(sent);
          assertThat(decode(bytes)).as(Seeds.replay(seed)).isEqualTo(sent);
          assertThat(Byte.toUnsignedInt(bytes[0])).isEqualTo(kind.number());
        }
      }
    }
  }

  @Test
  void everyMessageHasAKindAndNumbersDiffer() {
    Set<Class<?>> messages = new HashSet<>();
    for (Class<?> family :
        List.of(
            CoordinatorRequest.class,
            CoordinatorReply.class,
            NodeRequest.class,
            NodeReply.class,
            RankRequest.class)) {
      addMessages(family, messages);
    }
    messages.add(RankRequest.Taken.class);
    assertThat(Arrays.stream(Kind.values()).<Class<?>>map(Kind::type)).hasSameElementsAs(messages);
    assertThat(Arrays.stream(Kind.values()).map(Kind::number)).doesNotHaveDuplicates();
  }

  private static void addMessages(Class<?> type, Set<Class<?>> messages) {
    if (type.isSealed()) {
      Arrays.stream(type.getPermittedSubclasses()).forEach(sub -> addMessages(sub, messages));
    } else if (Message.class.isAssignableFrom(type)) {
      messages.add(type);
    }
  }

  @Test
  void foreignMessagesAreNotEncoded() {
    record Foreign() implements Message {}
    assertThatThrownBy(() -> encode(new Foreign())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void unknownKindsAndBytesTooFewOrTooManyAreRefused() {
    checkRefused(new byte[0], "are needed");
    checkRefused(new byte[] {0}, "unknown kind 0");
    checkRefused(new byte[] {(byte) 0xff}, "unknown kind 255");
    for (PlainMessages.Named sample : PlainMessages.all()) {
      byte[] bytes = encode(sample.message());
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> decode(cut)).isInstanceOf(MillraceException.class);
      }
      checkRefused(Arrays.copyOf(bytes, bytes.length + 1), "too many");
    }
  }

  @Test
  void valuesThatTheirTypesRefuseAreRefused() {
    byte[] size = new Encoder().putByte(0x83).putLong(0).putInt(0).written().array();
    checkRefused(Arrays.copyOf(size, 13), "file id 0");
    Encoder place = new Encoder().putByte(0xc3).putLong(1).putLong(1).putLong(1).putLong(0);
    place.putLong(Long.MAX_VALUE).putLong(1).putLong(1).putLong(0); // position, bytes, payload
    place.putInt(1).putByte(0).putLong(1); // places: a run of one byte
    checkRefused(Arrays.copyOf(place.written().array(), place.size()), "not a range");
  }

  @Test
  void aStrandThatItsLayoutDoesNotHaveIsRefused() {
    Access access = new Access(View.WHOLE, 0, 9);
    Layout layout = Layout.striped(4, 2);
    byte[] bytes = encode(new NodeRequest.Gather(new StrandId(1, 1), layout, access));
    bytes[1 + Long.BYTES] = 2; // the strand's number, behind kind and file
    checkRefused(bytes, "2 strands");
  }

  @Test
  void aMapThatNamesAKeyTwiceIsRefused() {
    Encoder to = new Encoder().putByte(0x4b).putInt(2);
    to.putInt(7).putText("gone").putInt(7).putText("gone");
    checkRefused(Arrays.copyOf(to.written().array(), to.size()), "twice");
  }

  @Test
  void onlyWhatWaitsForNothingIsQuick() {
    StrandId strand = new StrandId(1, 0);
    Layout layout = Layout.striped(4, 1);
    for (long bytes : new long[] {0, WireCodec.SMALL_BYTES, WireCodec.SMALL_BYTES + 1}) {
      Access access = new Access(View.WHOLE, 0, bytes);
      boolean small = bytes <= WireCodec.SMALL_BYTES;
      assertThat(CODEC.isQuick(new NodeRequest.Gather(strand, layout, access))).isEqualTo(small);
      assertThat(CODEC.isQuick(new NodeRequest.Scatter(strand, layout, access, false)))
          .isEqualTo(small);
    }
    assertThat(CODEC.isQuick(new NodeRequest.Size(strand))).isFalse();
    assertThat(CODEC.isQuick(new CoordinatorRequest.Stat("a"))).isTrue();
  }

  @Test
  void onlyWhatChangesNothingAgainIsRepeatable() {
    StrandId strand = new StrandId(1, 0);
    assertThat(CODEC.isRepeatable(new NodeRequest.Size(strand))).isTrue();
    assertThat(CODEC.isRepeatable(new NodeRequest.Flush(strand))).isFalse();
    assertThat(CODEC.isRepeatable(new NodeRequest.Resize(strand, 5))).isFalse();
    assertThat(CODEC.isRepeatable(new CoordinatorRequest.PointerSet(1, 5))).isFalse();
    assertThat(CODEC.isRepeatable(new CoordinatorReply.Done())).isFalse();
  }
}
