package org.millrace.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

final class PathsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a/b",
        "a b/c",
        "...",
        ".a",
        "a..",
        "\u00e4/\u4e2d",
        "\ud83d\ude00",
        "~",
        "a\\b",
        "-"
      })
  void goodPathsAreSplitAtSlashes(String path) throws MillraceException {
    assertThat(String.join("/", Paths.split(path))).isEqualTo(path);
  }

  @Test
  void theRootHasNoNames() throws MillraceException {
    assertThat(Paths.split("")).isEmpty();
    assertThat(Paths.split("/")).isEmpty();
    refuse("", "root");
    refuse("/", "root");
  }

  @Test
  void aSlashInFrontChangesNothing() throws MillraceException {
    assertThat(Paths.split("/a/b")).isEqualTo(Paths.split("a/b"));
  }

  @ParameterizedTest
  @CsvSource({
    "//, empty name",
    "//a, empty name",
    "/a/, empty name",
    "/.., \"..\"",
    "a/, empty name",
    "a//b, empty name",
    "., \".\"",
    "a/./b, \".\"",
    ".., \"..\"",
    "../a, \"..\"",
    "a/.., \"..\"",
    "a/../../b, \"..\""
  })
  void pathsThatLeadElsewhereAreRefused(String path, String reason) {
    refuse(path, reason);
  }

  @Test
  void controlCharactersAreRefused() {
    for (int c = 0; c < 0xa0; c++) {
      if (c < 0x20 || c >= 0x7f) {
        refuse("a" + (char) c + "b", String.format("U+%04X", c));
      }
    }
  }

  @Test
  void loneSurrogatesAreRefused() {
    refuse("a\ud83d", "U+D83D");
    refuse("\ude00a", "U+DE00");
    refuse("\ud83d\ud83d\ude00", "U+D83D");
  }

  @Test
  void lengthsAreBoundedInBytesNotCharacters() throws MillraceException {
    assertThat(Paths.split("x".repeat(255))).hasSize(1);
    refuse("x".repeat(256), "256 bytes, more than 255");
    refuse("\u00e4".repeat(128), "256 bytes, more than 255");
    assertThat(Paths.split(("x".repeat(254) + "/").repeat(16) + "x".repeat(16))).hasSize(17);
    refuse(("x".repeat(254) + "/").repeat(16) + "x".repeat(17), "4097 bytes, more than 4096");
  }

  private static void refuse(String path, String reason) {
    assertThatThrownBy(() -> Paths.splitBelowRoot(path))
        .as("path %s", path)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining(reason)
        .hasMessageContaining("path \"");
  }
}
