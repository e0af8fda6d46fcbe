package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.access.Order;
import org.millrace.access.Shape;
import org.millrace.testing.Seeds;

final class NpyHeaderTest {

  private static final String GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";

  private static final String FIELDS =
      "{'descr': [('a', '<f8', (2,)), ('b', '|S3')], 'fortran_order': False, 'shape': (3,), }";

  static byte[] file(int major, String dict) {
    byte[] text = dict.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(12 + text.length).order(ByteOrder.LITTLE_ENDIAN);
    out.put((byte) 0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII));
    out.put((byte) major).put((byte) 0);
    if (major == 1) {
      out.putShort((short) text.length);
    } else {
      out.putInt(text.length);
    }
    out.put(text);
    byte[] all = new byte[out.position()];
    out.flip().get(all);
    return all;
  }

  @Test
  void whatIsWrittenIsReadAndEndsOnAPage() {
    for (Order order : Order.values()) {
      for (String descr : List.of("<f8", ">c16", "|u1", "|b1", "|V24", ">i2", "<u4", "<f2")) {
        for (long[] dims : List.of(new long[] {0}, new long[] {7}, new long[] {3, 0, 1L << 40})) {
          NpyHeader header = NpyHeader.of(Shape.of(order, dims), ElementType.parse(descr));
          byte[] bytes = header.encode();
          assertThat(bytes).hasSize(4096).endsWith('\n');
          assertThat(NpyHeader.decode(bytes)).isEqualTo(header);
          assertThat(header.type().descr()).isEqualTo(descr);
        }
      }
    }
    Shape max = Shape.rowMajor(new long[64]);
    assertThat(NpyHeader.decode(NpyHeader.of(max, ElementType.INT8).encode()).shape())
        .isEqualTo(max);
  }

  @Test
  void allThreeVersionsAreRead() {
    for (int major : new int[] {1, 2, 3}) {
      NpyHeader header = NpyHeader.decode(file(major, GOOD + "   \n"));
      assertThat(header.shape()).isEqualTo(Shape.rowMajor(3, 4));
      assertThat(header.type()).isEqualTo(ElementType.FLOAT64);
      assertThat(header.headerBytes()).isEqualTo((major == 1 ? 10 : 12) + GOOD.length() + 4);
      assertThat(header.fileBytes()).isEqualTo(header.headerBytes() + 96);
    }
  }

  @Test
  void keysInAnyOrderAndTheShapesOfOneAndNoDimension() {
    String dict = "{\"shape\":(5,),'fortran_order':True,'descr':'|V3'}";
    NpyHeader header = NpyHeader.decode(file(1, dict));
    assertThat(header.shape()).isEqualTo(Shape.columnMajor(5));
    assertThat(header.type()).isEqualTo(ElementType.raw(3));
    String none = "{'descr': '<i4', 'fortran_order': False, 'shape': (), }";
    assertThat(NpyHeader.decode(file(1, none)).shape()).isEqualTo(Shape.rowMajor(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      value = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, -4), } => a negative dimension",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3), } => not a tuple",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4), } => neither ',' nor ')'",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3.0,), } => neither ',' nor ')'",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), } => beyond 2^63-1",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,), } => 2^63-1",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), } => 2^63-1",
        "{'descr': '<f8', 'fortran_order': False, 'shape': [3], } => no '('",
        "{'descr': '<f8', 'fortran_order': False, } => 'shape' is missing",
        "{'descr': '<f8', 'shape': (3,), } => 'fortran_order' is missing",
        "{'fortran_order': False, 'shape': (3,), } => 'descr' is missing",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,), } => neither True nor False",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'x': 1} => 'x' is unknown",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)} => comes twice",
        "{'descr': '<f9', 'fortran_order': False, 'shape': (3,), } => element type '<f9'",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3,), } => element type '|O'",
        "{'descr': '|f8', 'fortran_order': False, 'shape': (3,), } => element type '|f8'",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (3,), } => element type '|V0'",
        "{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (3,), } => element type '|O'",
        "{'descr': [], 'fortran_order': False, 'shape': (3,), } => elements without bytes",
        "{'descr': [('a', '<f8', (0,))], 'fortran_order': False, 'shape': (3,), } => without bytes",
        "{'descr': [('a', '<f8') ('b', '<f8')], 'shape': (3,), } => neither ',' nor ']'",
        "{'descr': [('a')], 'fortran_order': False, 'shape': (3,), } => no ','",
        "{'descr': [('a', '<f8', 3)], 'fortran_order': False, 'shape': (3,), } => no '('",
        "{'descr': [('a', '|V99999999', (99,))], 'shape': (3,), } => more than 2^31-1 bytes",
        "{'descr': [('a', '<i4', (99999, 99999))], 'shape': (3,), } => more than 2^31-1 bytes",
        "{'descr': '|S0', 'fortran_order': False, 'shape': (3,), } => element type '|S0'",
        "{'descr': '|U3', 'fortran_order': False, 'shape': (3,), } => element type '|U3'",
        "{'descr': '<U999999999', 'fortran_order': False, 'shape': (3,), } => element type '<U9",
        "{'descr': '<M4', 'fortran_order': False, 'shape': (3,), } => element type '<M4'",
        "{'descr': '<M8[ns', 'fortran_order': False, 'shape': (3,), } => element type '<M8[ns'",
        "{'descr': '<f16x', 'fortran_order': False, 'shape': (3,), } => element type '<f16x'",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), => no string",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } x => behind the dict",
        "__import__('os') => no '{'",
      })
  void lyingDictsAreToldWithTheirPlace(String dict, String what) {
    assertThatThrownBy(() -> NpyHeader.decode(file(1, dict)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(what);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      value = {
        "|S10 => 10",
        "<U8 => 32",
        ">U3 => 12",
        "<M8[ns] => 8",
        ">m8[25s] => 8",
        "<M8 => 8",
        "<f16 => 16",
        "<c32 => 32",
        "[('a', '<f8')] => 8",
        "[('a', '<f8'), ('b', '|S3'), ('', '|V5')] => 16",
        "[('a', '<i4', (2, 3)), ('b', [('c', '>u2'), ('d', '|u1', (5,))])] => 31",
        "[(('a title', 'a'), '<f8'), (\"it's\", '<M8[D]', ())] => 16",
      })
  void opaqueElementsKeepTheirDescriptionAndSize(String descr, int bytes) {
    ElementType type = ElementType.parse(descr);
    assertThat(type.kind()).isEqualTo(ElementType.Kind.OPAQUE);
    assertThat(type.bytes()).isEqualTo(bytes);
    assertThat(type.descr()).isEqualTo(descr);
    assertThat(type.withOrder(ByteOrder.BIG_ENDIAN)).isEqualTo(type);
    NpyHeader header = NpyHeader.of(Shape.columnMajor(3, 2), type);
    assertThat(NpyHeader.decode(header.encode())).isEqualTo(header);
    assertThat(header.fileBytes()).isEqualTo(4096 + 6L * bytes);
  }

  @Test
  void manyFieldsTakeALongerHeaderAndTooManyAreRefused() {
    NpyHeader header = NpyHeader.of(Shape.rowMajor(2), fields(200));
    assertThat(header.headerBytes()).isEqualTo(8192);
    assertThat(header.encode()).hasSize(8192).endsWith('\n');
    assertThat(NpyHeader.decode(header.encode())).isEqualTo(header);
    assertThatThrownBy(() -> NpyHeader.of(Shape.rowMajor(2), fields(400)))
        .hasMessageContaining("at most 8192");
  }

  private static ElementType fields(int count) {
    return ElementType.parse(
        IntStream.range(0, count)
            .mapToObj(i -> "('field number %d', '<f8')".formatted(i))
            .collect(Collectors.joining(", ", "[", "]")));
  }

  @Test
  void namesThatAreNotAsciiMakeAHeaderOfVersionThree() {
    NpyHeader header = NpyHeader.of(Shape.rowMajor(2), ElementType.parse("[('größe', '<f8')]"));
    byte[] bytes = header.encode();
    assertThat(bytes[6]).isEqualTo((byte) 3);
    assertThat(NpyHeader.decode(bytes)).isEqualTo(header);
  }

  @Test
  void typesWithinTypesEnd() {
    String deep = "[('a', ".repeat(40) + "'<f8'" + ")]".repeat(40);
    assertThatThrownBy(() -> ElementType.parse(deep)).hasMessageContaining("32 deep");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 100})
  void versionsThatAreNotKnownAreRefused(int major) {
    assertThatThrownBy(() -> NpyHeader.decode(file(major, GOOD)))
        .hasMessageContaining("byte 6: version " + major + ".0");
  }

  @Test
  void magicAndLengthAreChecked() {
    byte[] bytes = file(1, GOOD);
    byte[] noMagic = bytes.clone();
    noMagic[0] = 'x';
    assertThatThrownBy(() -> NpyHeader.decode(noMagic)).hasMessageContaining("no .npy file");
    assertThatThrownBy(() -> NpyHeader.decode(new byte[0])).hasMessageContaining("no .npy file");
    byte[] tooLong = bytes.clone();
    tooLong[8] = (byte) 0xFF;
    assertThatThrownBy(() -> NpyHeader.decode(tooLong)).hasMessageContaining("byte 8: a header of");
    byte[] beyond = file(2, GOOD);
    beyond[11] = (byte) 0xFF;
    assertThatThrownBy(() -> NpyHeader.decode(beyond)).hasMessageContaining("at most 10000");
    assertThatThrownBy(() -> NpyHeader.decode(Arrays.copyOf(file(2, GOOD), 11)))
        .hasMessageContaining("ends within");
  }

  @Test
  void anyBytesAreReadOrRefusedNeverMore() {
    for (long seed : Seeds.of(3)) {
      Random random = new Random(seed);
      for (int i = 0; i < 20_000; i++) {
        byte[] bytes = file(1 + random.nextInt(3), random.nextBoolean() ? GOOD : FIELDS);
        for (int k = random.nextInt(4); k >= 0; k--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(128);
        }
        try {
          NpyHeader.decode(bytes).fileBytes();
        } catch (IllegalArgumentException e) {
          assertThat(e.getMessage()).as(Seeds.replay(seed)).isNotBlank();
        }
      }
    }
  }
}
