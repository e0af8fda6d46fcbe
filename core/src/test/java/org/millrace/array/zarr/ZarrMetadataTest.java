package org.millrace.array.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.millrace.access.Shape;
import org.millrace.array.ElementType;

/** What {@code zarr.json} may say, and what is refused and why. */
final class ZarrMetadataTest {

  private static final String GOOD =
      """
      {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [10, 20],
        "data_type": "int16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 5]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 7,
        "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}],
        "attributes": {"unit": "m"},
        "dimension_names": ["y", null],
        "storage_transformers": []
      }
      """;

  @Test
  void goodMetadataIsReadAndWrittenAgain() {
    ZarrMetadata metadata = ZarrMetadata.parse(GOOD);
    assertThat(metadata.grid().shape()).containsExactly(10L, 20L);
    assertThat(metadata.grid().chunk()).containsExactly(4L, 5L);
    assertThat(metadata.type()).isEqualTo(ElementType.INT16.withOrder(ByteOrder.BIG_ENDIAN));
    assertThat(metadata.fillValue()).isEqualTo(new Json.Num(7));
    assertThat(metadata.attributes().get("unit")).contains(new Json.Str("m"));
    assertThat(metadata.grid().dimensionNames().get(1)).isEmpty();
    assertThat(ZarrMetadata.parse(metadata.toString())).isEqualTo(metadata);
  }

  /** Each row is a change of the good one, and a part of the error. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"zarr_format\": 3 | \"zarr_format\": 2 | version 2 of Zarr",
        "\"node_type\": \"array\" | \"node_type\": \"group\" | this is no array but \"group\"",
        "\"shape\": [10, 20], | | has no \"shape\"",
        "[10, 20] | [10, -1] | at least 0",
        "[10, 20] | [10, 2.5] | whole number",
        "[10, 20] | [10] | 2 dimensions for an array of 1",
        "[10, 20] | \"all\" | \"shape\" must be a list",
        "[4, 5] | [4, 0] | at least 1",
        "\"regular\" | \"rectangular\" | chunk grid \"rectangular\"",
        "\"default\" | \"hashed\" | chunk key encoding \"hashed\"",
        "int16 | int128 | data type \"int128\"",
        "int16 | string | data type \"string\"",
        "int16 | r12 | data type \"r12\"",
        "\"int16\" | {\"name\": \"datetime64\", \"configuration\": {\"unit\": \"s\"}} | data type \"datetime64\"",
        "\"fill_value\": 7 | \"fill_value\": 70000 | fill value 70000 is none of data type int16",
        "\"fill_value\": 7 | \"fill_value\": null | fill value null",
        "\"fill_value\": 7 | \"fill_value\": 7.5 | fill value 7.5",
        "\"fill_value\": 7 | \"fill_value\": \"NaN\" | fill value \"NaN\"",
        "\"endian\": \"big\" | \"endian\": \"middle\" | \"little\" or \"big\"",
        "\"configuration\": {\"endian\": \"big\"} | \"configuration\": {} | has no \"endian\"",
        "\"endian\": \"big\" | \"endian\": \"big\", \"width\": 2 | has \"width\", which is unknown",
        "{\"name\": \"bytes\", | {\"name\": \"packbits\", | codec \"packbits\" is unknown here",
        "\"codecs\": [{ | \"codecs\": [\"gzip9\", { | codec \"gzip9\" is unknown here",
        "\"codecs\": [{ | \"codecs\": [\"crc32c\", { | codec \"crc32c\" comes before",
        "\"big\"}}] | \"big\"}}, \"bytes\"] | codec \"bytes\" comes after",
        "\"big\"}}] | \"big\"}}, {\"name\": \"gzip\", \"configuration\": {\"level\": 10}}] | from 0 to 9",
        "\"big\"}}] | \"big\"}}, \"zstd\"] | codec \"zstd\" is unknown here",
        "\"codecs\": [{ | \"codecs\": [{\"name\": \"transpose\", \"configuration\": {\"order\": [0, 0]}}, { | a permutation of 0 to 1",
        "\"attributes\": {\"unit\": \"m\"} | \"attributes\": [] | \"attributes\" must be an object",
        "\"y\", null | \"y\" | 1 names of dimensions",
        "\"storage_transformers\": [] | \"storage_transformers\": [{\"name\": \"x\"}] | storage transformer \"x\"",
        "\"node_type\" | \"new\": {\"a\": 1}, \"node_type\" | has \"new\", which is unknown here",
        "\"node_type\" | \"new\": {\"must_understand\": true}, \"node_type\" | has \"new\"",
      })
  void wrongMetadataIsRefusedWithTheReason(String good, String wrong, String why) {
    String changed = GOOD.replace(good, wrong == null ? "" : wrong);
    assertThat(changed).isNotEqualTo(GOOD);
    assertThatThrownBy(() -> ZarrMetadata.parse(changed))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void fieldsThatNeedNotBeUnderstoodAreIgnored() {
    String extended =
        GOOD.replace(
            "\"node_type\"", "\"new\": {\"must_understand\": false, \"a\": 1}, \"node_type\"");
    assertThat(ZarrMetadata.parse(extended)).isEqualTo(ZarrMetadata.parse(GOOD));
    String transformer =
        GOOD.replace(
            "transformers\": []",
            "transformers\": [{\"name\": \"x\", \"must_understand\": false}]");
    assertThat(ZarrMetadata.parse(transformer)).isEqualTo(ZarrMetadata.parse(GOOD));
  }

  @Test
  void shardsMustFitTheirChunks() {
    Shape shape = Shape.rowMajor(8, 8);
    ZarrMetadata plain = ZarrMetadata.chunked(shape, ElementType.INT8, 4, 4);
    List<Extension> bytes = List.of(Codecs.bytes(ElementType.INT8));
    assertThatThrownBy(() -> plain.withCodecs(List.of(Codecs.sharding(List.of(3L, 4L), bytes))))
        .hasMessageContaining("a divisor of [4, 4]");
    assertThatThrownBy(() -> plain.withCodecs(List.of(Codecs.sharding(List.of(4L), bytes))))
        .hasMessageContaining("of 2 dimensions");
    Extension good = Codecs.sharding(List.of(2L, 4L), bytes);
    assertThatThrownBy(() -> plain.withCodecs(List.of(good.with("index_location", Json.Bool.TRUE))))
        .hasMessageContaining("\"start\" or \"end\"");
    assertThatThrownBy(
            () ->
                plain.withCodecs(
                    List.of(good.with("index_codecs", Codecs.list(List.of(Codecs.gzip(1)))))))
        .hasMessageContaining("index_codecs");
  }

  /** Data type, value in JSON, bytes of an element in little-endian order. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "bool | true | 01",
        "int8 | -1 | ff",
        "int16 | -2 | feff",
        "int64 | -9223372036854775808 | 0000000000000080",
        "uint8 | 255 | ff",
        "uint64 | 18446744073709551615 | ffffffffffffffff",
        "float16 | 1.5 | 003e",
        "float16 | \"NaN\" | 007e",
        "float16 | \"0x7e01\" | 017e",
        "float32 | \"NaN\" | 0000c07f",
        "float32 | \"Infinity\" | 0000807f",
        "float32 | \"0x7fc00001\" | 0100c07f",
        "float64 | \"-Infinity\" | 000000000000f0ff",
        "float64 | -0.0 | 0000000000000080",
        "float64 | 1 | 000000000000f03f",
        "complex64 | [1.0, \"NaN\"] | 0000803f0000c07f",
        "complex128 | [0, -0.0] | 00000000000000000000000000000080",
        "r24 | [1, 2, 255] | 0102ff",
      })
  void fillValuesAreTheBytesOfAnElement(String type, String value, String bytes) {
    ElementType element = DataTypes.parse(type);
    assertThat(DataTypes.name(element)).isEqualTo(type);
    assertThat(FillValues.bytes(element, Json.parse(value)))
        .isEqualTo(HexFormat.of().parseHex(bytes));
    if (element.kind() == ElementType.Kind.FLOAT) {
      byte[] swapped = FillValues.bytes(element.withOrder(ByteOrder.BIG_ENDIAN), Json.parse(value));
      for (int i = 0; i < swapped.length / 2; i++) {
        byte first = swapped[i];
        swapped[i] = swapped[swapped.length - 1 - i];
        swapped[swapped.length - 1 - i] = first;
      }
      assertThat(swapped).isEqualTo(HexFormat.of().parseHex(bytes));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "bool | 1",
        "int8 | 128",
        "uint8 | -1",
        "int32 | 1e3",
        "float32 | \"nan\"",
        "float32 | \"0x7fc000\"",
        "complex64 | 1.0",
        "complex64 | [1.0]",
        "r16 | [1, 256]",
        "r16 | [1]",
      })
  void fillValuesThatATypeDoesNotHaveAreRefused(String type, String value) {
    assertThatThrownBy(() -> FillValues.bytes(DataTypes.parse(type), Json.parse(value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fill value");
  }

  @Test
  void keysOfChunksAreThoseOfTheSpecification() {
    assertThat(ChunkKeys.DEFAULT.key(1, 23, 45)).isEqualTo("c/1/23/45");
    assertThat(ChunkKeys.DEFAULT.key()).isEqualTo("c");
    assertThat(new ChunkKeys("default", ".").key(1, 2)).isEqualTo("c.1.2");
    assertThat(new ChunkKeys("v2", ".").key(1, 2)).isEqualTo("1.2");
    assertThat(new ChunkKeys("v2", "/").key()).isEqualTo("0");
  }
}
