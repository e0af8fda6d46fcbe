package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.millrace.access.Order;
import org.millrace.access.View;

/** Every constructor against the standard's definition by lists, over small worlds, nested. */
final class DatatypeTest {

  /** A type and what it should be. */
  private record Pair(Datatype type, TypeMap map) {}

  private static final List<Pair> BASIC =
      List.of(
          new Pair(Datatype.BYTE, TypeMap.basic(1)),
          new Pair(Datatype.SHORT, TypeMap.basic(2)),
          new Pair(Datatype.INT, TypeMap.basic(4)),
          new Pair(Datatype.DOUBLE, TypeMap.basic(8)),
          new Pair(Datatype.DOUBLE_COMPLEX, TypeMap.basic(16, 8)));

  @Test
  void basicTypesHaveTheSizesOfJava() {
    assertThat(Datatype.BYTE.getSize()).isEqualTo(1);
    assertThat(Datatype.PACKED.getSize()).isEqualTo(1);
    assertThat(Datatype.BOOLEAN.getSize()).isEqualTo(1);
    assertThat(Datatype.CHAR.getSize()).isEqualTo(Character.BYTES);
    assertThat(Datatype.SHORT.getSize()).isEqualTo(Short.BYTES);
    assertThat(Datatype.INT.getSize()).isEqualTo(Integer.BYTES);
    assertThat(Datatype.LONG.getSize()).isEqualTo(Long.BYTES);
    assertThat(Datatype.FLOAT.getSize()).isEqualTo(Float.BYTES);
    assertThat(Datatype.DOUBLE.getSize()).isEqualTo(Double.BYTES);
    BASIC.forEach(DatatypeTest::check);
  }

  @Test
  void complexNumbersAreOneElementOfTwoNumbers() {
    assertThat(Datatype.FLOAT_COMPLEX.getSize()).isEqualTo(8);
    assertThat(Datatype.DOUBLE_COMPLEX.getSize()).isEqualTo(16);
    assertThat(new Status(16).getElements(Datatype.FLOAT_COMPLEX)).isEqualTo(2);
    assertThat(new Status(24).getElements(Datatype.DOUBLE_COMPLEX)).isEqualTo(Status.UNDEFINED);
    Datatype beside =
        Datatype.createStruct(
            new long[] {1, 1},
            new long[] {0, 8},
            new Datatype[] {Datatype.FLOAT_COMPLEX, Datatype.FLOAT});
    assertThat(beside.getExtent()).isEqualTo(12); // aligned as its numbers are
  }

  @Test
  void valuesWithAPlaceAreStructsAsInC() {
    assertThat(Datatype.FLOAT_INT.getExtent()).isEqualTo(8);
    assertThat(Datatype.DOUBLE_INT.getSize()).isEqualTo(12);
    assertThat(Datatype.DOUBLE_INT.getExtent()).isEqualTo(16);
    assertThat(Datatype.LONG_INT.getExtent()).isEqualTo(16);
    assertThat(Datatype.SHORT_INT.getSize()).isEqualTo(6);
    assertThat(Datatype.SHORT_INT.pattern().offsetOf(2)).isEqualTo(4);
    assertThat(Datatype.INT2.getExtent()).isEqualTo(8);
    assertThat(new Status(24).getElements(Datatype.DOUBLE_INT)).isEqualTo(4);
  }

  @Test
  void elementsAreFoundByTheirNumber() {
    Random random = new Random(7);
    for (Pair old : BASIC) {
      for (Pair pair : derived(old)) {
        if (random.nextInt(6) > 0 || pair.map.size() == 0) {
          continue;
        }
        int elements = pair.map.elements().size();
        for (int item = 0; item < 2 * elements; item++) {
          long turn = item / elements * pair.map.extent();
          assertThat(pair.type.displacement(item))
              .as("%s, element %d", pair.type, item)
              .isEqualTo(turn + pair.map.elements().get(item % elements).at());
        }
      }
    }
  }

  @Test
  void everyConstructorIsItsDefinition() {
    for (Pair old : BASIC) {
      derived(old).forEach(DatatypeTest::check);
    }
  }

  @Test
  void constructorsOfConstructorsAreTheirDefinition() {
    Random random = new Random(5);
    for (Pair old : BASIC) {
      for (Pair once : derived(old)) {
        if (random.nextInt(4) == 0) {
          derived(once).forEach(DatatypeTest::check);
        }
      }
    }
  }

  @Test
  void structsOfAnyTwoTypesAreTheirDefinition() {
    Random random = new Random(6);
    List<Pair> some = new ArrayList<>();
    for (Pair old : BASIC) {
      some.add(old);
      derived(old).stream().filter(_ -> random.nextInt(8) == 0).forEach(some::add);
    }
    for (Pair one : some) {
      for (Pair two : some) {
        long[] lengths = {random.nextInt(3), random.nextInt(3), 1};
        long[] at = {random.nextInt(9), random.nextInt(40) - 9, 50};
        check(
            new Pair(
                Datatype.createStruct(
                    lengths, at, new Datatype[] {one.type, two.type, Datatype.BYTE}),
                one.map
                    .hindexed(new long[] {lengths[0]}, new long[] {at[0]})
                    .then(two.map.hindexed(new long[] {lengths[1]}, new long[] {at[1]}))
                    .then(TypeMap.basic(1).at(List.of(50L)))));
      }
    }
  }

  /** All types of small parameters over one. */
  private static List<Pair> derived(Pair old) {
    Datatype type = old.type;
    TypeMap map = old.map;
    long extent = map.extent();
    List<Pair> all = new ArrayList<>();
    all.add(new Pair(type.dup(), map));
    for (long count = 0; count < 4; count++) {
      all.add(new Pair(Datatype.createContiguous(count, type), map.contiguous(count)));
      for (long block = 0; block < 3; block++) {
        for (long stride = -2; stride < 4; stride++) {
          all.add(
              new Pair(
                  Datatype.createVector(count, block, stride, type),
                  map.hvector(count, block, stride * extent)));
          all.add(
              new Pair(
                  Datatype.createHVector(count, block, stride * 5, type),
                  map.hvector(count, block, stride * 5)));
        }
      }
    }
    for (long[] lengths : new long[][] {{}, {1, 1}, {2, 0, 1}, {1, 2, 1}}) {
      for (long[] at : new long[][] {{0, 1, 2}, {0, 3, 7}, {4, 0, 2}, {-1, 3, 3}}) {
        long[] displacements = Arrays.copyOf(at, lengths.length);
        long[] scaled = Arrays.stream(displacements).map(d -> d * extent).toArray();
        all.add(
            new Pair(
                Datatype.createIndexed(lengths, displacements, type),
                map.hindexed(lengths, scaled)));
        all.add(
            new Pair(
                Datatype.createHIndexed(lengths, displacements, type),
                map.hindexed(lengths, displacements)));
        long[] twos = new long[lengths.length];
        Arrays.fill(twos, 2);
        all.add(
            new Pair(
                Datatype.createIndexedBlock(2, displacements, type), map.hindexed(twos, scaled)));
        all.add(
            new Pair(
                Datatype.createHIndexedBlock(2, displacements, type),
                map.hindexed(twos, displacements)));
      }
    }
    for (long lb = -2; lb < 4; lb += 2) {
      for (long wide = 0; wide < 21; wide += 7) {
        all.add(new Pair(Datatype.createResized(type, lb, wide), map.resized(lb, wide)));
      }
    }
    if (extent >= 0) {
      addSubarrays(all, old);
    }
    return all;
  }

  private static void addSubarrays(List<Pair> all, Pair old) {
    for (Order order : Order.values()) {
      for (long n = 1; n < 4; n++) {
        for (long from = 0; from < n; from++) {
          for (long size = 1; size <= n - from; size++) {
            long[] sizes = {n, 3};
            long[] subsizes = {size, 2};
            long[] starts = {from, 1};
            List<Long> chosen = new ArrayList<>();
            for (long k = 0; k < n * 3; k++) {
              long i = order == Order.ROW_MAJOR ? k / 3 : k % n;
              long j = order == Order.ROW_MAJOR ? k % 3 : k / n;
              if (i >= from && i < from + size && j >= 1 && j < 3) {
                chosen.add(k);
              }
            }
            all.add(
                new Pair(
                    Datatype.createSubarray(sizes, subsizes, starts, order, old.type),
                    old.map.array(n * 3, chosen)));
          }
        }
      }
    }
  }

  private static void check(Pair pair) {
    Datatype type = pair.type;
    TypeMap map = pair.map;
    String what = type + " as " + map;
    assertThat(type.getSize()).as(what).isEqualTo(map.size());
    assertThat(type.getLb()).as(what).isEqualTo(map.lb());
    assertThat(type.getUb()).as(what).isEqualTo(map.ub());
    assertThat(type.getExtent()).as(what).isEqualTo(map.extent());
    assertThat(type.getTrueLb()).as(what).isEqualTo(map.trueLb());
    assertThat(type.getTrueExtent()).as(what).isEqualTo(map.trueExtent());
    assertThat(type.parts().ordered()).as(what).isEqualTo(map.isOrdered());
    List<Long> bytes = map.bytes();
    for (int p = 0; p < bytes.size(); p++) {
      assertThat(type.pattern().offsetOf(p)).as(what).isEqualTo(bytes.get(p));
    }
    checkSignature(type.signature(), map, what);
  }

  private static void checkSignature(Signature signature, TypeMap map, String what) {
    assertThat(signature.bytes()).as(what).isEqualTo(map.size());
    assertThat(signature.elements()).as(what).isEqualTo(map.elements().size());
    long end = 0;
    long elements = 0;
    for (TypeMap.Entry entry : map.elements()) {
      for (int i = 0; i < entry.width(); i++) {
        assertThat(signature.boundary(end + i)).as(what).isEqualTo(end);
        assertThat(signature.elementsIn(end + i)).as(what).isEqualTo(elements);
      }
      end += entry.width();
      elements++;
    }
    assertThat(signature.boundary(end)).as(what).isEqualTo(end);
    long bytes = 0;
    for (int i = 0; i < map.elements().size(); i++) {
      assertThat(signature.bytesOf(i)).as(what).isEqualTo(bytes);
      bytes += map.elements().get(i).width();
    }
  }

  @Test
  void aTypeOfBillionsOfBlocksIsAFormula() {
    Datatype huge = Datatype.createVector(4_000_000_000L, 1, 2, Datatype.INT);
    Datatype twice = Datatype.createHVector(1000, 3, huge.getExtent() + 4, huge);
    assertThat(twice.getSize()).isEqualTo(3000L * 4_000_000_000L * 4);
    assertThat(twice.pattern().offsetOf(8)).isEqualTo(16);
    View view = new View(0, twice.pattern(), twice.getExtent());
    assertThat(view.toString().length()).isLessThan(400);
  }

  @Test
  void wrongArgumentsAreRefusedWithTheirClass() {
    assertRefused(ErrorClass.COUNT, () -> Datatype.createContiguous(-1, Datatype.INT));
    assertRefused(ErrorClass.COUNT, () -> Datatype.createVector(2, -1, 1, Datatype.INT));
    assertRefused(ErrorClass.COUNT, () -> Datatype.createVector(2, 1, 1L << 62, Datatype.INT));
    assertRefused(
        ErrorClass.COUNT,
        () -> Datatype.createIndexed(new long[] {-1}, new long[] {0}, Datatype.INT));
    assertRefused(
        ErrorClass.ARG,
        () -> Datatype.createIndexed(new long[] {1, 2}, new long[] {0}, Datatype.INT));
    assertRefused(ErrorClass.ARG, () -> subarray(4, 3, 2));
    assertRefused(ErrorClass.ARG, () -> subarray(4, 0, 2));
    assertRefused(ErrorClass.ARG, () -> subarray(4, 1, -1));
    assertRefused(
        ErrorClass.TYPE,
        () ->
            Datatype.createSubarray(
                new long[] {4},
                new long[] {1},
                new long[] {0},
                Order.ROW_MAJOR,
                Datatype.createResized(Datatype.INT, 0, -4)));
  }

  private static Datatype subarray(long size, long subsize, long start) {
    return Datatype.createSubarray(
        new long[] {size}, new long[] {subsize}, new long[] {start}, Order.ROW_MAJOR, Datatype.INT);
  }

  private static void assertRefused(ErrorClass errorClass, Runnable act) {
    assertThatThrownBy(act::run)
        .isInstanceOfSatisfying(
            MpiArgumentException.class,
            e -> assertThat(e.getErrorClass()).as(e.toString()).isEqualTo(errorClass));
  }
}
