package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.access.Order;

/** Distributed arrays against HPF's rule: index i of a dimension belongs to rank (i / k) mod p. */
final class DarrayTest {

  private static final long DFLT = Datatype.DISTRIBUTE_DFLT_DARG;

  /** One dimension: how it is dealt out, and by which block the formula reckons. */
  private record Dim(long n, int p, Distrib distrib, long darg, long block) {

    long owner(long index) {
      return index / block % p;
    }
  }

  /** All ways to deal out a dimension of n over p ranks. */
  private static List<Dim> dims(long n, int p) {
    List<Dim> all = new ArrayList<>();
    long even = Math.ceilDiv(n, (long) p);
    if (p == 1) {
      all.add(new Dim(n, p, Distrib.NONE, DFLT, n));
    }
    all.add(new Dim(n, p, Distrib.BLOCK, DFLT, even));
    all.add(new Dim(n, p, Distrib.BLOCK, even + 1, even + 1));
    all.add(new Dim(n, p, Distrib.CYCLIC, DFLT, 1));
    for (long k = 1; k <= 3; k++) {
      all.add(new Dim(n, p, Distrib.CYCLIC, k, k));
    }
    return all;
  }

  @Test
  void allSmallVectorsAreDealtOutByTheFormula() {
    for (long n = 1; n <= 9; n++) {
      for (int p = 1; p <= 4; p++) {
        for (Dim dim : dims(n, p)) {
          check(Order.ROW_MAJOR, Datatype.INT, TypeMap.basic(4), dim);
        }
      }
    }
  }

  @Test
  void allSmallMatricesAreDealtOutByTheFormulaInBothOrders() {
    for (Order order : Order.values()) {
      for (long n = 1; n <= 5; n += 2) {
        for (long m = 2; m <= 6; m += 2) {
          for (int p = 1; p <= 3; p++) {
            for (Dim rows : dims(n, p)) {
              for (Dim columns : dims(m, 2)) {
                check(order, Datatype.BYTE, TypeMap.basic(1), rows, columns);
              }
            }
          }
        }
      }
    }
  }

  @Test
  void cubesOfElementsWithHolesAreDealtOutByTheFormula() {
    Datatype holes = Datatype.createVector(2, 1, 2, Datatype.SHORT);
    TypeMap map = TypeMap.basic(2).hvector(2, 1, 4);
    for (Order order : Order.values()) {
      for (Dim a : dims(3, 2)) {
        for (Dim c : dims(4, 1)) {
          check(order, holes, map, a, new Dim(5, 2, Distrib.CYCLIC, 2, 2), c);
        }
      }
    }
  }

  private static void check(Order order, Datatype old, TypeMap map, Dim... dims) {
    int ranks = 1;
    long elements = 1;
    for (Dim dim : dims) {
      ranks *= dim.p;
      elements *= dim.n;
    }
    for (int rank = 0; rank < ranks; rank++) {
      List<Long> chosen = new ArrayList<>();
      for (long k = 0; k < elements; k++) {
        if (owner(order, k, dims) == rank) {
          chosen.add(k);
        }
      }
      TypeMap expected = map.array(elements, chosen);
      Datatype type = darray(order, old, rank, ranks, dims);
      List<Long> bytes = new ArrayList<>();
      for (long p = 0; p < type.getSize(); p++) {
        bytes.add(type.pattern().offsetOf(p));
      }
      assertThat(bytes).as("rank %s of %s", rank, List.of(dims)).isEqualTo(expected.bytes());
      assertThat(type.getLb()).isZero();
      assertThat(type.getExtent()).isEqualTo(expected.extent());
      assertThat(type.parts().ordered()).isTrue();
      assertThat(type.signature().elements()).isEqualTo(expected.elements().size());
    }
  }

  /** The rank of the grid, row-major, that has element number k of the storage. */
  private static long owner(Order order, long k, Dim... dims) {
    long[] index = new long[dims.length];
    long rest = k;
    for (int n = 0; n < dims.length; n++) {
      int d = order == Order.COLUMN_MAJOR ? n : dims.length - 1 - n;
      index[d] = rest % dims[d].n;
      rest /= dims[d].n;
    }
    long rank = 0;
    for (int d = 0; d < dims.length; d++) {
      rank = rank * dims[d].p + dims[d].owner(index[d]);
    }
    return rank;
  }

  private static Datatype darray(Order order, Datatype old, int rank, int ranks, Dim... dims) {
    long[] sizes = new long[dims.length];
    Distrib[] distribs = new Distrib[dims.length];
    long[] dargs = new long[dims.length];
    int[] grid = new int[dims.length];
    for (int d = 0; d < dims.length; d++) {
      sizes[d] = dims[d].n;
      distribs[d] = dims[d].distrib;
      dargs[d] = dims[d].darg;
      grid[d] = dims[d].p;
    }
    return Datatype.createDarray(ranks, rank, sizes, distribs, dargs, grid, order, old);
  }

  @Test
  void wrongArgumentsAreRefused() {
    Dim good = new Dim(4, 2, Distrib.BLOCK, DFLT, 2);
    assertRefused(1, 3, good); // the grid has two ranks
    assertRefused(2, 2, good); // there is no rank 2
    assertRefused(0, 2, new Dim(4, 2, Distrib.BLOCK, 1, 1)); // two blocks of 1 do not cover 4
    assertRefused(0, 2, new Dim(4, 2, Distrib.NONE, DFLT, 4)); // two ranks, not distributed
    assertRefused(0, 2, new Dim(4, 2, Distrib.CYCLIC, 0, 1)); // blocks of nothing
    assertRefused(0, 2, new Dim(0, 2, Distrib.CYCLIC, 1, 1)); // an empty array
  }

  private static void assertRefused(int rank, int ranks, Dim dim) {
    assertThatThrownBy(() -> darray(Order.ROW_MAJOR, Datatype.INT, rank, ranks, dim))
        .isInstanceOfSatisfying(
            MpiArgumentException.class,
            e -> assertThat(e.getErrorClass()).isEqualTo(ErrorClass.ARG));
  }
}
