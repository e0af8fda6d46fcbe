package org.millrace.array.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A strict reader of JSON, and a writer that it reads. */
final class JsonTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "-12.50e+3",
        "\"a \\\"b\\\" \\u00e9 \\\\ / \\n\"",
        "[]",
        "{}",
        "[1, [2, {\"a\": []}], \"x\"]",
        " {\"b\" : {\"c\" : false},\n\t\"a\" : [null]} ",
      })
  void whatIsReadIsWrittenAndReadAgain(String text) {
    Json value = Json.parse(text);
    assertThat(Json.parse(value.toString())).isEqualTo(value);
  }

  @Test
  void numbersKeepTheirDigitsAndMembersTheirOrder() {
    Json value = Json.parse("{\"z\": 18446744073709551615, \"a\": 1.10}");
    assertThat(value.toString().replaceAll("\\s", ""))
        .isEqualTo("{\"z\":18446744073709551615,\"a\":1.10}");
  }

  @Test
  void escapesMeanTheirCharacters() {
    assertThat(Json.parse("\"\\u00B5\\t\\/\\b\\f\\r\"")).isEqualTo(new Json.Str("\u00b5\t/\b\f\r"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | ends too early",
        "{ | ends too early",
        "{\"a\": 1,} | comma before the end",
        "[1 2] | expected ,",
        "[1,] | comma before the end",
        "{\"a\": 1, \"a\": 2} | twice",
        "01 | something behind the end",
        "1 1 | something behind the end",
        "+1 | no value",
        ".5 | no value",
        "nul | no value",
        "NaN | no value",
        "\"\\x\" | unknown escape",
        "\"\\u12g4\" | hexadecimal",
        "\"a | ends too early",
        "{a: 1} | expected \"",
        "// no | no value",
      })
  void whatIsNoJsonIsRefusedWithThePlace(String text, String why) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .hasMessageContaining("at character");
  }

  @Test
  void controlCharactersAndVeryDeepValuesAreRefused() {
    assertThatThrownBy(() -> Json.parse("\"a\nb\"")).hasMessageContaining("control character");
    assertThatThrownBy(() -> Json.parse("[".repeat(100_000))).hasMessageContaining("deeper");
  }
}
