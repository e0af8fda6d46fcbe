package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.access.Order;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.View;

/** Where each byte of a section lies in file and memory, against naive loops. */
final class PlacementTest {

  private static final long HEADER = 13;

  private static final List<long[]> SHAPES =
      List.of(
          new long[] {1},
          new long[] {5},
          new long[] {1, 1},
          new long[] {3, 4},
          new long[] {4, 2},
          new long[] {2, 3, 2},
          new long[] {1, 2, 3},
          new long[] {2, 2, 2, 2},
          new long[] {2, 1, 2, 3});

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8, 16, 24})
  void everySectionOfSmallShapesLiesWhereNaiveLoopsPutIt(int elementBytes) {
    for (long[] dims : SHAPES) {
      for (Order order : Order.values()) {
        Shape shape = Shape.of(order, dims);
        Dense placement = new Dense(shape, ElementType.raw(elementBytes), HEADER);
        for (Section section : NaiveArray.sections(shape)) {
          check(placement, section, elementBytes);
        }
      }
    }
  }

  /** Packed memory of the file's order, then a rimmed one of the other order, transposed. */
  private static void check(Dense placement, Section section, int elementBytes) {
    Shape counts = section.shape(placement.shape().order());
    if (counts.elements() == 0) {
      assertThat(placement.section(section).size()).isZero();
      return;
    }
    compare(placement, section, Local.of(memory(counts, elementBytes), counts));
    int n = counts.dimensions();
    long[] dims = new long[n];
    long[] start = new long[n];
    for (int d = 0; d < n; d++) {
      dims[n - 1 - d] = counts.dimension(d) + 2;
      start[d] = 1;
    }
    Order other = counts.order() == Order.ROW_MAJOR ? Order.COLUMN_MAJOR : Order.ROW_MAJOR;
    Shape rimmed = Shape.of(other, dims);
    compare(
        placement,
        section,
        Local.of(memory(rimmed, elementBytes), rimmed).startingAt(start).transposed());
  }

  private static MemorySegment memory(Shape shape, int elementBytes) {
    return MemorySegment.ofArray(new byte[(int) shape.bytes(elementBytes)]);
  }

  private static void compare(Dense placement, Section section, Local local) {
    int elementBytes = placement.type().bytes();
    Dense.DensePart part = placement.section(section);
    var places = local.pattern(part.counts(), placement.type());
    View view = placement.geometry().view(part.bytes());
    assertThat(view.isAscending()).isTrue();
    assertThat(places.isDisjoint()).isTrue();
    assertThat(places.size()).isEqualTo(section.elements() * elementBytes);
    long position = 0;
    for (long i = 0; i < part.counts().elements(); i++) {
      long[] index = part.counts().index(i); // storage order
      long file = placement.shape().linear(NaiveArray.at(section, index)) * elementBytes;
      long memory = local.shape().linear(NaiveArray.at(local, index)) * elementBytes;
      for (int b = 0; b < elementBytes; b++, position++) {
        if (view.offsetOf(position) != HEADER + file + b
            || places.offsetOf(position) != memory + b) {
          throw new AssertionError(
              "byte %d of element %d of %s in %s".formatted(b, i, section, placement));
        }
      }
    }
  }

  @Test
  void restOfASectionAndTheSharedBoxAreTheSectionOnce() {
    for (Order order : Order.values()) {
      Shape shape = Shape.of(order, 3, 4);
      List<Section> all = NaiveArray.sections(shape);
      for (Section before : all) {
        for (Section next : all) {
          checkRest(shape, before, next);
        }
      }
    }
  }

  private static void checkRest(Shape shape, Section before, Section next) {
    Section shared = Boxes.shared(before, next);
    int[] seen = new int[(int) shape.elements()];
    mark(shape, shared, seen);
    for (Section box : Boxes.without(next.shape(shape.order()), Boxes.inside(next, shared))) {
      mark(shape, Boxes.outside(next, box), seen);
    }
    int[] wanted = new int[seen.length];
    mark(shape, next, wanted);
    assertThat(seen).as("%s after %s", next, before).isEqualTo(wanted);
    if (next.equals(before)) {
      assertThat(shared.elements()).isEqualTo(next.elements());
    }
  }

  private static void mark(Shape shape, Section section, int[] seen) {
    NaiveArray.each(
        section.shape(shape.order()), i -> seen[(int) shape.linear(NaiveArray.at(section, i))]++);
  }
}
