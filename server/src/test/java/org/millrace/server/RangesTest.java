package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Ranges against a byte-by-byte oracle, and malformed ones. */
final class RangesTest {

  private static final int LARGEST = 6;

  /** Which bytes of a file a range selects, asked one by one. */
  private static List<Integer> oracle(int first, int last, int size) {
    List<Integer> bytes = new ArrayList<>();
    for (int at = 0; at < size; at++) {
      boolean in =
          first < 0 ? at >= size - last : last < 0 ? at >= first : at >= first && at <= last;
      if (in) {
        bytes.add(at);
      }
    }
    return bytes;
  }

  private static List<Integer> bytes(Ranges ranges) {
    List<Integer> bytes = new ArrayList<>();
    for (Ranges.Part part : ranges.parts()) {
      for (long at = part.first(); at < part.first() + part.length(); at++) {
        bytes.add((int) at);
      }
    }
    return bytes;
  }

  private static String text(int first, int last) {
    return (first < 0 ? "" : "" + first) + "-" + (last < 0 ? "" : "" + last);
  }

  @Test
  void oneRangeSelectsWhatTheOracleSelects() {
    for (int size = 0; size <= LARGEST; size++) {
      for (int first = -1; first <= LARGEST + 1; first++) {
        for (int last = -1; last <= LARGEST + 1; last++) {
          Optional<Ranges> parsed = Ranges.parse("bytes=" + text(first, last), size);
          boolean malformed = first < 0 && last < 0 || first >= 0 && last >= 0 && last < first;
          assertThat(parsed.isEmpty()).as(text(first, last)).isEqualTo(malformed);
          if (!malformed) {
            assertThat(bytes(parsed.orElseThrow()))
                .as("%s of %d", text(first, last), size)
                .isEqualTo(oracle(first, last, size));
          }
        }
      }
    }
  }

  @Test
  void severalRangesComeInTheirOrderWithoutThoseOutside() {
    Ranges parsed = Ranges.parse("bytes= 4-4 , 0-1,,9-10, -1", 6).orElseThrow();
    assertThat(bytes(parsed)).containsExactly(4, 0, 1, 5);
    assertThat(parsed.bytes()).isEqualTo(4);
    assertThat(Ranges.parse("bytes=8-9, -0", 6).orElseThrow().parts()).isEmpty();
  }

  @Test
  void malformedOnesAreIgnored() {
    for (String header :
        List.of(
            "",
            "bytes",
            "bytes=",
            "bytes=,",
            "bytes=a-b",
            "bytes=1",
            "bytes=--1",
            "lines=0-1",
            "bytes=0-1;2-3",
            "bytes=0x1-2",
            "bytes=1 -2",
            "bytes=-1-2")) {
      assertThat(Ranges.parse(header, 10)).as(header).isEmpty();
    }
  }

  @Test
  void numbersOfAnyLengthAreUnderstood() {
    String huge = "9".repeat(400);
    assertThat(bytes(Ranges.parse("bytes=2-" + huge, 4).orElseThrow())).containsExactly(2, 3);
    assertThat(bytes(Ranges.parse("bytes=-" + huge, 2).orElseThrow())).containsExactly(0, 1);
    assertThat(Ranges.parse("bytes=%s-".formatted(huge), 4).orElseThrow().parts()).isEmpty();
    assertThat(bytes(Ranges.parse("bytes=0001-0002", 4).orElseThrow())).containsExactly(1, 2);
  }
}
