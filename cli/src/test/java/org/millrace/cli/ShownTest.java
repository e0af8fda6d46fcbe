package org.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.millrace.error.CorruptBlockException;

final class ShownTest {

  @Test
  void bytesHaveTwoDigitsOrThree() {
    assertThat(
            Stream.of(0.0, 1023.0, 1024.0, 10_188.0, 10_189.0, 1_047_552.0, 1_048_575.0, 9.2e18)
                .map(Shown::bytes))
        .containsExactly("0", "1023", "1.0K", "9.9K", "10K", "1023K", "1.0M", "8.0E");
  }

  @Test
  void timesHaveTheirUnits() {
    assertThat(
            Stream.of(0.0, 999.0, 1500.0, 25e3, 3.44e6, 15e9, 119e9, 121e9, 8e12, 2e14)
                .map(Shown::nanos))
        .containsExactly(
            "0 ns", "999 ns", "1.5 us", "25 us", "3.4 ms", "15 s", "119 s", "2 min", "2 h", "2 d");
  }

  @Test
  void modesLookAsLsShowsThem() {
    assertThat(Shown.mode(false, 0640)).isEqualTo("-rw-r-----");
    assertThat(Shown.mode(true, 0751)).isEqualTo("drwxr-x--x");
  }

  @Test
  void jsonOfEverything() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a\"b\\c\n\u0001\ud83d\ude00\ud800");
    map.put("list", List.of(1, 2.5, true));
    map.put("nothing", Optional.empty());
    map.put("number", OptionalLong.of(7));
    map.put("empty", Map.of());
    map.put("endless", Double.NaN);
    assertThat(Json.of(map))
        .isEqualTo(
            """
            {
              "text": "a\\"b\\\\c\\n\\u0001\ud83d\ude00\\ud800",
              "list": [
                1,
                2.5,
                true
              ],
              "nothing": null,
              "number": 7,
              "empty": {},
              "endless": null
            }\
            """);
  }

  @Test
  void tablesLineUpAndHideWhatSteersTerminals() {
    Table table = new Table("name", ">size").row("a\033b", 5).row("long name", 12345);
    assertThat(table.lines())
        .containsExactly("name        size", "a?b            5", "long name  12345");
  }

  @Test
  void damageIsTold() throws Exception {
    Courier.compare("x", new Courier.Load(3, 7), new Courier.Load(3, 7));
    assertThatThrownBy(() -> Courier.compare("x", new Courier.Load(3, 7), new Courier.Load(3, 8)))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessage(
            "x is damaged: 3 bytes with checksum 00000007 were sent, 3 bytes with checksum 00000008"
                + " arrived; nothing was kept, try again");
  }

  @Test
  void pathsMayHaveSlashesAround() {
    assertThat(List.of("/a/b/", "a", "/", "", "./a", ".", "a//"))
        .extracting(FilePaths::of)
        .containsExactly("a/b", "a", "", "", "a", "", "a");
  }
}
