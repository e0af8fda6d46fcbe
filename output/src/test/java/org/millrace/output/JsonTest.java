package org.millrace.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** JSON as it is written. */
final class JsonTest {

  /** A value with components. */
  public record Point(int x, Optional<String> name) {}

  @Test
  void everyKindOfValueIsWritten() {
    assertThat(
            Json.of(
                Json.object(
                    "text", "a\"b\\c\n\u0001\ud83d\ude00\ud800",
                    "list", List.of(1, 2.5, true),
                    "record", new Point(3, Optional.of("p")),
                    "nothing", Optional.empty(),
                    "null", null,
                    "number", OptionalLong.of(7),
                    "ratio", OptionalDouble.of(0.5),
                    "rounded", Json.rounded(1234567890.12349, 4),
                    "zero", Json.rounded(0, 9),
                    "empty", Map.of(),
                    "none", List.of(),
                    "endless", Double.NaN,
                    "unknown", Json.rounded(Double.NaN, 2))))
        .isEqualTo(
            """
            {
              "text": "a\\"b\\\\c\\n\\u0001\ud83d\ude00\\ud800",
              "list": [
                1,
                2.5,
                true
              ],
              "record": {
                "x": 3,
                "name": "p"
              },
              "nothing": null,
              "null": null,
              "number": 7,
              "ratio": 0.5,
              "rounded": 1234567890.1235,
              "zero": 0.000000000,
              "empty": {},
              "none": [],
              "endless": null,
              "unknown": null
            }\
            """);
  }

  @Test
  void anObjectNeedsAValueForEachName() {
    assertThatThrownBy(() -> Json.object("a", 1, "b")).isInstanceOf(IllegalArgumentException.class);
  }
}
