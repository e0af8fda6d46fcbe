package org.millrace.heritage.nx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.MixedCallException;
import org.millrace.heritage.testing.Programs;

/** NX's calls. */
final class NxTest {

  @TempDir private Path directory;

  /** What one node does. */
  private interface Body {
    void run(Nx nx) throws IOException;
  }

  private void on(int nodes, Body body) throws IOException {
    Programs.run(directory, nodes, 1, rank -> body.run(new Nx(rank)));
  }

  private interface IntCall {
    void run(int[] x) throws IOException;
  }

  private interface DoubleCall {
    void run(double[] x) throws IOException;
  }

  private interface FloatCall {
    void run(float[] x) throws IOException;
  }

  private static int value(int node, int i) {
    return (node * 7 + i * 3) % 11 - 4;
  }

  /** The same by a plain loop over all nodes. */
  private static void checkInts(Nx nx, IntCall call, IntBinaryOperator one) throws IOException {
    int[] x = new int[13];
    int[] want = new int[x.length];
    for (int i = 0; i < x.length; i++) {
      x[i] = value(nx.mynode(), i);
      want[i] = value(0, i);
      for (int node = 1; node < nx.numnodes(); node++) {
        want[i] = one.applyAsInt(want[i], value(node, i));
      }
    }
    call.run(x);
    assertThat(x).isEqualTo(want);
  }

  private static void checkDoubles(Nx nx, DoubleCall call, DoubleBinaryOperator one)
      throws IOException {
    double[] x = new double[13];
    double[] want = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      x[i] = value(nx.mynode(), i) + 0.1;
      want[i] = value(0, i) + 0.1;
      for (int node = 1; node < nx.numnodes(); node++) {
        want[i] = one.applyAsDouble(want[i], value(node, i) + 0.1);
      }
    }
    call.run(x);
    assertThat(x).as("bit by bit, in order of node").isEqualTo(want);
  }

  private static void checkFloats(Nx nx, FloatCall call, DoubleBinaryOperator one)
      throws IOException {
    float[] x = new float[13];
    float[] want = new float[x.length];
    for (int i = 0; i < x.length; i++) {
      x[i] = value(nx.mynode(), i) + 0.1f;
      want[i] = value(0, i) + 0.1f;
      for (int node = 1; node < nx.numnodes(); node++) {
        want[i] = (float) one.applyAsDouble(want[i], value(node, i) + 0.1f);
      }
    }
    call.run(x);
    assertThat(x).isEqualTo(want);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void globalOperationsAreThePlainLoopsOverAllNodes(int nodes) throws IOException {
    on(
        nodes,
        nx -> {
          checkInts(nx, nx::gisum, Integer::sum);
          checkInts(nx, nx::giprod, (a, b) -> a * b);
          checkInts(nx, nx::gihigh, Math::max);
          checkInts(nx, nx::gilow, Math::min);
          checkInts(nx, nx::giand, (a, b) -> a & b);
          checkInts(nx, nx::gior, (a, b) -> a | b);
          checkInts(nx, nx::gixor, (a, b) -> a ^ b);
          checkDoubles(nx, nx::gdsum, Double::sum);
          checkDoubles(nx, nx::gdprod, (a, b) -> a * b);
          checkDoubles(nx, nx::gdhigh, Math::max);
          checkDoubles(nx, nx::gdlow, Math::min);
          checkFloats(nx, nx::gssum, Double::sum);
          checkFloats(nx, nx::gsprod, (a, b) -> a * b);
          checkFloats(nx, nx::gshigh, Math::max);
          checkFloats(nx, nx::gslow, Math::min);
        });
  }

  @Test
  void integersWrapAround() throws IOException {
    on(
        3,
        nx -> {
          int[] x = {Integer.MAX_VALUE};
          nx.giprod(x);
          assertThat(x[0]).as("(2^31-1)^2 is 1 modulo 2^32").isEqualTo(Integer.MAX_VALUE);
          x[0] = Integer.MAX_VALUE;
          nx.gisum(x);
          assertThat(x[0]).isEqualTo(Integer.MAX_VALUE - 2);
        });
  }

  @Test
  void logicalOperationsKnowOnlyZeroAndNot() throws IOException {
    on(
        3,
        nx -> {
          int me = nx.mynode();
          int[] x = {0, me, me + 4, me == 1 ? -8 : 0};
          nx.gland(x);
          assertThat(x).containsExactly(0, 0, 1, 0);
          x = new int[] {0, me, me + 4, me == 1 ? -8 : 0};
          nx.glor(x);
          assertThat(x).containsExactly(0, 1, 1, 1);
          x = new int[] {0, me, me + 4, me == 1 ? -8 : 0};
          nx.glxor(x);
          assertThat(x).containsExactly(0, 0, 1, 1);
        });
  }

  @Test
  void typedMessagesAreReceivedByTypeAndByAny() throws IOException {
    on(
        3,
        nx -> {
          assertThat(nx.infonode()).isEqualTo(-1);
          if (nx.mynode() == 0) {
            nx.csend(5, new byte[] {1, 2, 3}, 1, 0);
            nx.csend(4, new byte[] {4}, 1, 0);
            nx.csend(5, new byte[0], 1, 0);
            nx.csend(5, new byte[] {9}, 0, 0); // to itself
          }
          byte[] buf = new byte[8];
          if (nx.mynode() == 1) {
            nx.crecv(4, buf);
            assertThat(nx.infotype()).isEqualTo(4);
            assertThat(nx.infocount()).isEqualTo(1);
            assertThat(buf).startsWith(4, 0);
            nx.crecv(Nx.ANY, buf);
            assertThat(nx.infotype()).isEqualTo(5);
            assertThat(nx.infonode()).isZero();
            assertThat(nx.infoptype()).isZero();
            assertThat(nx.infocount()).isEqualTo(3);
            assertThat(buf).startsWith(1, 2, 3, 0);
            nx.crecvx(5, MemorySegment.ofArray(buf), 0, 0, Nx.ANY);
            assertThat(nx.infocount()).isZero();
          } else if (nx.mynode() == 0) {
            nx.crecv(5, buf);
            assertThat(nx.infonode()).isZero();
            assertThat(buf).startsWith(9);
          }
        });
  }

  @Test
  void aMessageToAllGoesToAllButTheSender() throws IOException {
    on(
        4,
        nx -> {
          byte[] buf = new byte[2];
          if (nx.mynode() == 2) {
            nx.csend(1, MemorySegment.ofArray(new byte[] {7, 8, 9}), 2, Nx.ALL_NODES, 0);
            nx.csend(1, new byte[] {5}, 2, 0);
            nx.crecv(1, buf);
            assertThat(buf).containsExactly(5, 0);
          } else {
            nx.crecv(1, buf);
            assertThat(nx.infonode()).isEqualTo(2);
            assertThat(buf).containsExactly(7, 8);
          }
          nx.gsync();
        });
  }

  @Test
  void tooLongAMessageIsAnErrorThatLeavesTheBuffer() throws IOException {
    on(
        2,
        nx -> {
          byte[] buf = new byte[2];
          if (nx.mynode() == 0) {
            nx.csend(1, new byte[] {1, 2, 3}, 1, 0);
            nx.csend(1, new byte[] {4}, 1, 0);
          } else {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> nx.crecv(1, buf))
                .withMessageContaining("3 bytes")
                .withMessageContaining("buffer of 2");
            assertThat(buf).containsExactly(0, 0);
            assertThat(nx.infocount()).isZero();
            nx.crecv(1, buf);
            assertThat(buf).containsExactly(4, 0);
          }
        });
  }

  @Test
  void gcolPutsPartsOfAnyLengthBehindEachOther() throws IOException {
    on(
        4,
        nx -> {
          byte[] x = new byte[nx.mynode()];
          Arrays.fill(x, (byte) nx.mynode());
          byte[] y = new byte[8];
          assertThat(nx.gcol(x, y)).isEqualTo(6);
          assertThat(y).containsExactly(1, 2, 2, 3, 3, 3, 0, 0);
          byte[] little = new byte[nx.mynode() == 2 ? 5 : 6];
          assertThatThrownBy(() -> nx.gcol(x, little))
              .as("no room on one node is an error on all")
              .isInstanceOfSatisfying(
                  MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
              .hasMessageContaining("6 bytes into a buffer of 5");
          assertThat(little).as("and leaves the others' buffers").containsOnly(0);
        });
  }

  @Test
  void differentOperationsAreAnErrorOnAllNodesAndLeaveTheArrays() throws IOException {
    on(
        3,
        nx -> {
          boolean odd = nx.mynode() == 1;
          int[] x = {5 + nx.mynode()};
          double[] d = {0.5};
          mixed(() -> sumOrHigh(nx, x, odd));
          assertThat(x).containsExactly(5 + nx.mynode());
          mixed(() -> doublesOrFloats(nx, d, odd));
          mixed(() -> orOrSum(nx, x, odd));
          mixed(() -> syncOrSum(nx, x, odd));
          mixed(() -> collectOrSum(nx, x, odd));
          assertThat(x).containsExactly(5 + nx.mynode());
          assertThat(d).containsExactly(0.5);
          nx.gisum(x);
          assertThat(x).as("the next call works").containsExactly(18);
        });
  }

  private static void mixed(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(MixedCallException.class);
  }

  private static void sumOrHigh(Nx nx, int[] x, boolean high) throws IOException {
    if (high) {
      nx.gihigh(x);
    } else {
      nx.gisum(x);
    }
  }

  private static void doublesOrFloats(Nx nx, double[] x, boolean floats) throws IOException {
    if (floats) {
      nx.gssum(new float[x.length]);
    } else {
      nx.gdsum(x);
    }
  }

  private static void orOrSum(Nx nx, int[] x, boolean or) throws IOException {
    if (or) {
      nx.glor(x);
    } else {
      nx.gisum(x);
    }
  }

  private static void syncOrSum(Nx nx, int[] x, boolean sync) throws IOException {
    if (sync) {
      nx.gsync();
    } else {
      nx.gisum(x);
    }
  }

  private static void collectOrSum(Nx nx, int[] x, boolean collect) throws IOException {
    if (collect) {
      nx.gcol(new byte[1], new byte[9]);
    } else {
      nx.gisum(x);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // what is tried
  void aMissingArrayIsAnErrorOnAllNodes() throws IOException {
    on(
        3,
        nx -> {
          int[] x = nx.mynode() == 1 ? null : new int[1];
          assertThatThrownBy(() -> nx.gisum(x)).isInstanceOf(MillraceException.class);
          byte[] y = nx.mynode() == 2 ? null : new byte[8];
          assertThatThrownBy(() -> nx.gcol(new byte[1], y)).isInstanceOf(MillraceException.class);
          nx.gsync();
        });
  }

  @Test
  void oneNodesLogicalOperationsGiveZeroAndOneToo() throws IOException {
    on(
        1,
        nx -> {
          int[] x = {7, 0, -1};
          nx.gland(x);
          assertThat(x).containsExactly(1, 0, 1);
        });
  }

  @Test
  void messagesAreOfAnyKindOfBuffer() throws IOException {
    on(
        2,
        nx -> {
          ByteBuffer buffer = ByteBuffer.allocateDirect(9).position(1);
          if (nx.mynode() == 0) {
            nx.csend(1, new int[] {1, -2}, 1, 0);
            nx.csend(2, new double[] {0.5}, 1, 0);
            nx.csend(3, buffer.putDouble(1, 2.5), 1, 0);
          } else {
            int[] ints = new int[2];
            double[] doubles = new double[1];
            nx.crecv(3, buffer);
            nx.crecv(2, doubles);
            nx.crecv(1, ints);
            assertThat(ints).containsExactly(1, -2);
            assertThat(doubles).containsExactly(0.5);
            assertThat(buffer.getDouble(1)).isEqualTo(2.5);
            assertThat(buffer.position()).isEqualTo(1);
          }
          assertThatIllegalArgumentException()
              .isThrownBy(() -> nx.crecv(1, buffer.asReadOnlyBuffer()));
        });
  }

  @Test
  void nobodyLeavesGsyncBeforeAllHaveCome() throws IOException {
    Programs.run(
        directory,
        3,
        1,
        rank -> {
          Nx nx = new Nx(rank);
          for (int round = 0; round < 3; round++) {
            if (nx.mynode() == round) {
              rank.names().makeDirectory("late" + round); // the others may be there long before
            }
            nx.gsync();
            assertThat(rank.names().list("")).contains("late" + round + "/");
          }
        });
  }

  @Test
  void everyNodeKnowsItsNumberAndTheirCountAndTimeGoesOn() throws IOException {
    Programs.run(
        directory,
        4,
        1,
        rank -> {
          Nx nx = new Nx(rank);
          assertThat(nx.mynode()).isEqualTo(rank.number());
          assertThat(nx.numnodes()).isEqualTo(4);
          double start = nx.dclock();
          nx.gsync();
          assertThat(nx.dclock()).isGreaterThanOrEqualTo(start);
        });
  }

  @Test
  void wrongArgumentsAreRefused() throws IOException {
    on(
        2,
        nx -> {
          byte[] b = new byte[1];
          MemorySegment m = MemorySegment.ofArray(b);
          assertThatIllegalArgumentException().isThrownBy(() -> nx.csend(-1, b, 0, 0));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.csend(Nx.MAX_TYPE + 1, b, 0, 0));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.csend(0, b, 2, 0));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.csend(0, b, -2, 0));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.csend(0, b, 0, 1));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.csend(0, m, 2, 0, 0));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.csend(0, m, -1, 0, 0));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.crecv(-2, b));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.crecvx(0, m, 1, 2, 0));
          assertThatIllegalArgumentException().isThrownBy(() -> nx.crecvx(0, m, 1, 0, 3));
          assertThatThrownBy(() -> nx.gisum(new int[1 + nx.mynode()]))
              .as("arrays of other lengths")
              .isInstanceOf(MixedCallException.class);
          nx.gsync();
          assertThat(nx.dclock()).isLessThanOrEqualTo(nx.dclock());
        });
  }
}
