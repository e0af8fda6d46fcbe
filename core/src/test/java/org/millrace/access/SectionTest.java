package org.millrace.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SectionTest {

  /** All ranges of a dimension of n, the empty one included. */
  static List<Range> ranges(long n) {
    List<Range> all = new ArrayList<>();
    all.add(Range.EMPTY);
    for (long lower = 0; lower < n; lower++) {
      for (long upper = lower; upper < n; upper++) {
        for (long stride = 1; stride <= Math.max(1, upper - lower); stride++) {
          Range range = new Range(lower, upper, stride);
          if (!all.contains(range)) {
            all.add(range);
          }
        }
      }
    }
    return all;
  }

  /** All sections of a shape. */
  static List<Section> sections(Shape shape) {
    List<List<Range>> all = List.of(List.of());
    for (long dim : shape.dims()) {
      List<List<Range>> longer = new ArrayList<>();
      for (List<Range> head : all) {
        for (Range range : ranges(dim)) {
          List<Range> next = new ArrayList<>(head);
          next.add(range);
          longer.add(next);
        }
      }
      all = longer;
    }
    return all.stream().map(Section::new).toList();
  }

  private static void check(Section section, Shape shape, int elementBytes) {
    List<Long> offsets = new ArrayList<>();
    for (long linear = 0; linear < shape.elements(); linear++) {
      long[] index = shape.index(linear);
      boolean in = true;
      for (int i = 0; i < index.length; i++) {
        in &= section.range(i).contains(index[i]);
      }
      for (int b = 0; in && b < elementBytes; b++) {
        offsets.add(linear * elementBytes + b);
      }
    }
    Pattern pattern = section.in(shape, elementBytes);
    long[] expected = offsets.stream().mapToLong(Long::longValue).toArray();
    if (pattern.size() != expected.length || !pattern.isAscending()) {
      throw new AssertionError(section + " in " + shape + " is " + pattern);
    }
    for (int p = 0; p < expected.length; p++) {
      if (pattern.offsetOf(p) != expected[p]) {
        throw new AssertionError(section + " in " + shape + ": position " + p);
      }
    }
    Flat.walk(section, expected, pattern.runs(0, pattern.size()), 0, expected.length, 0, 1 << 20);
    if (section.elements() * elementBytes != expected.length
        || section.isEmpty() != (expected.length == 0)) {
      throw new AssertionError(section + " has " + section.elements() + " elements");
    }
  }

  @Test
  void allSectionsOfSmallArraysAgreeWithTheOracle() {
    for (Order order : Order.values()) {
      for (int elementBytes : new int[] {1, 3}) {
        for (long[] dims :
            new long[][] {{0}, {1}, {7}, {4, 5}, {5, 1}, {0, 3}, {3, 4, 3}, {2, 1, 4}}) {
          Shape shape = Shape.of(order, dims);
          sections(shape).forEach(section -> check(section, shape, elementBytes));
        }
      }
    }
  }

  @Test
  void sectionsOfSectionsOfWindowsAgreeWithTheOracle() {
    Shape shape = Shape.columnMajor(4, 3);
    for (Section section : sections(shape)) {
      Pattern pattern = section.in(shape, 1);
      long[] offsets = new long[(int) pattern.size()];
      for (int p = 0; p < offsets.length; p++) {
        offsets[p] = pattern.offsetOf(p);
      }
      new Flat(pattern, offsets).checkWindows();
    }
  }

  @Test
  void wholeRowsAndColumnsBecomeRuns() {
    Shape shape = Shape.rowMajor(100, 200);
    assertThat(Section.whole(shape).in(shape, 8)).isEqualTo(Pattern.run(160_000));
    assertThat(Section.parse("10:19,0:199").in(shape, 8))
        .isEqualTo(Pattern.run(16_000).shifted(16_000));
    assertThat(Section.parse("0:99,3").in(shape, 8))
        .isEqualTo(Pattern.loop(100, 1600, Pattern.run(8)).shifted(24));
  }

  @Test
  void intersectionsHoldTheCommonElements() {
    Section common = Section.parse("0:20:2,0:9").intersect(Section.parse("0:20:3,5:12"));
    assertThat(common).isEqualTo(Section.parse("0:18:6,5:9"));
    assertThat(Section.parse("0:20:2").intersect(Section.parse("1:21:2")).isEmpty()).isTrue();
    assertThatThrownBy(() -> common.intersect(Section.parse("0:1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0:1");
  }

  @Test
  void printedSectionsAreReadBack() {
    assertThat(Section.parse("0:9:2,3:3").toString()).isEqualTo("0:8:2,3:3");
    for (Section section : sections(Shape.rowMajor(4, 3))) {
      assertThat(Section.parse(section.toString())).isEqualTo(section);
    }
    for (String wrong : new String[] {"", "a", "1:2:3:4", "1,,2", "0:9:0", "-1:4", "1:x"}) {
      assertThatThrownBy(() -> Section.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void sectionsBeyondTheArrayAreRefused() {
    Shape shape = Shape.rowMajor(4, 3);
    assertThatThrownBy(() -> Section.parse("0:4,0:2").in(shape, 8))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("size 4");
    assertThatThrownBy(() -> Section.parse("0:3").in(shape, 8))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Section.parse("0:3,0:2").in(shape, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
    assertThatThrownBy(() -> new Section(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sectionsOfHugeArraysStaySmall() {
    Shape shape = Shape.columnMajor(1L << 20, 1L << 20, 1L << 18);
    Pattern pattern = Section.parse("5:1000000:5,7:1000000:7,1:250000:3").in(shape, 8);
    assertThat(pattern.size()).isEqualTo(8L * 200_000 * 142_857 * 83_334);
    long p = pattern.size() / 3;
    assertThat(pattern.positionOf(pattern.offsetOf(p))).isEqualTo(p);
  }

  @Test
  void elementsWithHolesLieAnExtentApart() {
    Pattern element = Pattern.indexed(new long[] {1, 4}, new long[] {2, 1});
    for (Order order : Order.values()) {
      Shape shape = Shape.of(order, 3, 4);
      for (Section section : sections(shape)) {
        Pattern single = section.in(shape, 1);
        Pattern pattern = section.in(shape, element, 7);
        assertThat(pattern.size()).isEqualTo(3 * single.size());
        for (long i = 0; i < single.size(); i++) {
          long start = 7 * single.offsetOf(i);
          assertThat(pattern.offsetOf(3 * i)).isEqualTo(start + 1);
          assertThat(pattern.offsetOf(3 * i + 2)).isEqualTo(start + 4);
        }
      }
    }
  }
}
