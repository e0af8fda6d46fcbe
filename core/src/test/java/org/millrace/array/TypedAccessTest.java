package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;

/** Numbers of Java's primitive types, in files of either byte order. */
final class TypedAccessTest {

  /** An array type of Java: made, filled and wrapped. */
  private record Kind<A>(
      ElementType type,
      int perElement,
      A values,
      IntFunction<A> empty,
      BiFunction<A, Shape, Local> local) {}

  private static final List<Kind<?>> KINDS =
      List.of(
          new Kind<>(ElementType.INT8, 1, new byte[] {1, -2, 3, 4}, byte[]::new, Local::of),
          new Kind<>(ElementType.BOOL, 1, new byte[] {1, 0, 1, 1}, byte[]::new, Local::of),
          new Kind<>(ElementType.UINT16, 1, new short[] {1, -2, 300, 4}, short[]::new, Local::of),
          new Kind<>(ElementType.INT32, 1, new int[] {1, -2, 1 << 30, 4}, int[]::new, Local::of),
          new Kind<>(
              ElementType.UINT64, 1, new long[] {1, -2, 1L << 60, 4}, long[]::new, Local::of),
          new Kind<>(ElementType.FLOAT32, 1, new float[] {1, -2, 3.5f, 4}, float[]::new, Local::of),
          new Kind<>(
              ElementType.FLOAT64, 1, new double[] {1, -2, Math.PI, 4}, double[]::new, Local::of));

  @Test
  void numbersComeBackFromFilesOfEitherByteOrder() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2, 5)) {
      for (Kind<?> kind : KINDS) {
        for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
          cluster.run(2, rank -> roundTrip(rank, kind, order));
        }
      }
    }
  }

  private static <A> void roundTrip(Rank rank, Kind<A> kind, ByteOrder order) throws IOException {
    ElementType type = kind.type.withOrder(order);
    Shape shape = Shape.rowMajor(2, 2);
    Section whole = Section.whole(shape);
    try (GlobalArray array =
        GlobalArray.create(rank, "n.npy", shape, type, OpenOptions.create().withTruncate())) {
      Local from = kind.local.apply(kind.values, shape);
      array.writeSection(whole, from.transposed());
      A back = kind.empty.apply(4);
      array.readSection(whole, kind.local.apply(back, shape).transposed());
      assertThat(back).isEqualTo(kind.values);
      A ahead = kind.empty.apply(4);
      array.prefetch(whole);
      array.readSectionAsync(whole, kind.local.apply(ahead, shape).transposed()).join();
      array.readSection(whole, kind.local.apply(ahead, shape).transposed());
      assertThat(ahead).isEqualTo(kind.values);
      A swapped = kind.empty.apply(4); // as the bytes are
      MemorySegment raw = kind.local.apply(swapped, shape).segment();
      array.readSection(whole, Local.of(raw, shape).transposed());
      boolean same = order == ByteOrder.nativeOrder() || type.bytes() == 1;
      if (same) {
        assertThat(swapped).isEqualTo(kind.values);
      } else {
        assertThat(swapped).isNotEqualTo(kind.values);
      }
      rank.barrier();
    }
  }

  @Test
  void complexNumbersArePairsWithARimAround() throws Exception {
    try (RunningCluster cluster = ArrayFixture.cluster(2, 5)) {
      cluster.run(
          1,
          rank -> {
            Shape shape = Shape.rowMajor(2);
            ElementType type = ElementType.COMPLEX128.withOrder(ByteOrder.BIG_ENDIAN);
            try (GlobalArray array =
                GlobalArray.create(rank, "c.npy", shape, type, OpenOptions.create())) {
              double[] values = {9, 9, 1, 2, 3, 4, 9, 9};
              Local local = Local.of(values, Shape.rowMajor(4)).startingAt(1);
              array.writeSection(Section.whole(shape), local);
              assertThat(values).containsExactly(9, 9, 1, 2, 3, 4, 9, 9);
              double[] back = new double[8];
              array.readSection(
                  Section.whole(shape), Local.of(back, Shape.rowMajor(4)).startingAt(1));
              assertThat(back).containsExactly(0, 0, 1, 2, 3, 4, 0, 0);
            }
          });
    }
  }

  @Test
  void memoryOfAnotherTypeIsRefused() {
    Shape one = Shape.rowMajor(1);
    Local doubles = Local.of(new double[1], one);
    assertThatThrownBy(() -> doubles.pattern(one, ElementType.FLOAT32))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("DOUBLE")
        .hasMessageContaining("f4");
    assertThatThrownBy(() -> doubles.pattern(one, ElementType.INT64))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> doubles.pattern(one, ElementType.raw(8)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ElementType(ElementType.Kind.INT, 3, ByteOrder.BIG_ENDIAN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ElementType.raw(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
