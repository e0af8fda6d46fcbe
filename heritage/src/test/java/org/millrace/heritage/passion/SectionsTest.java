package org.millrace.heritage.passion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.access.Distribution;
import org.millrace.access.Grid;
import org.millrace.access.Order;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.access.Spread;
import org.millrace.array.ElementType;
import org.millrace.array.Local;
import org.millrace.client.Rank;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.heritage.testing.Programs;

/** Sections by all methods, against an array in memory and the index formula of the paper. */
final class SectionsTest {

  private static final int ROWS = 5;
  private static final int COLUMNS = 4;

  @TempDir private Path directory;

  @Test
  void sectionsAreWrittenFromOneOn() {
    assertThat(Sections.parse("(1:100:1, 2:9:3)")).isEqualTo(Section.parse("0:99,1:8:3"));
    assertThat(Sections.parse("3, 4:5")).isEqualTo(Section.parse("2:2,3:4"));
    assertThat(Sections.of(1, 100, 1, 2, 9, 3)).isEqualTo(Sections.parse("1:100:1,2:9:3"));
    assertThat(Sections.parse("1:0:1, 1:4:1").isEmpty()).isTrue();
    assertThat(Sections.nothing(3).isEmpty()).isTrue();
    assertThat(Sections.text(Sections.parse("1:100:1,2:9:3"))).isEqualTo("(1:100:1, 2:8:3)");
    for (String bad : new String[] {"", "a", "0:3", "1:2:0", "1:2:3:4", "1:2;3:4", "1:2,"}) {
      assertThatThrownBy(() -> Sections.parse(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> Sections.of(1, 2)).hasMessageContaining("2 numbers");
    assertThatThrownBy(Sections::of).hasMessageContaining("0 numbers");
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void everySectionOfASmallArrayIsReadByBothOrders(Method method) throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          for (Order order : Order.values()) {
            everySection(rank, method, Shape.of(order, ROWS, COLUMNS));
          }
        });
  }

  private static void everySection(Rank rank, Method method, Shape shape) throws IOException {
    try (GlobalArrayFile file =
        new Passion(rank).createGlobalArrayFile("small", shape, ElementType.INT32)) {
      file.use(method);
      file.dataSieving(shape.order() == Order.ROW_MAJOR);
      int[] all = new int[ROWS * COLUMNS];
      for (int i = 1; i <= ROWS; i++) {
        for (int j = 1; j <= COLUMNS; j++) {
          all[place(shape.order(), i, j)] = 100 * i + j;
        }
      }
      boolean first = rank.number() == 0;
      file.writeSection(first ? "1:5,1:4" : "1:0,1:0", Local.of(all, shape));
      for (int l = 1; l <= ROWS; l++) {
        for (int u = l; u <= ROWS; u++) {
          for (int s = 1; s <= 2; s++) {
            // the second processor asks for the mirrored section
            int lower = first ? l : ROWS + 1 - u;
            int upper = first ? u : ROWS + 1 - l;
            rowsOf(file, lower, upper, s);
          }
        }
      }
    }
  }

  /** Where element (i, j), from 1 on, lies: the formula that the file is held to. */
  private static int place(Order order, int i, int j) {
    return order == Order.COLUMN_MAJOR ? i - 1 + (j - 1) * ROWS : (i - 1) * COLUMNS + j - 1;
  }

  private static void rowsOf(GlobalArrayFile file, int lower, int upper, int stride)
      throws IOException {
    for (int l = 1; l <= COLUMNS; l++) {
      for (int u = l; u <= COLUMNS; u++) {
        int rows = (upper - lower) / stride + 1;
        int[] found = new int[rows * ((u - l) / 2 + 1)];
        Shape memory = Shape.rowMajor(rows, (u - l) / 2 + 1);
        long bytes = file.readSection(Local.of(found, memory), lower, upper, stride, l, u, 2);
        int[] wanted = new int[found.length];
        int at = 0;
        for (int i = lower; i <= upper; i += stride) {
          for (int j = l; j <= u; j += 2) {
            wanted[at++] = 100 * i + j;
          }
        }
        assertThat(found).isEqualTo(wanted);
        assertThat(bytes).isEqualTo(4L * wanted.length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void overlappingWritesEndWithTheHighestProcessor(Method method) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Shape shape = Shape.columnMajor(6, 6);
          try (GlobalArrayFile file =
              new Passion(rank).createGlobalArrayFile("over", shape, ElementType.FLOAT64)) {
            file.use(method);
            file.domainsInTurn(1);
            double[] mine = new double[16];
            Arrays.fill(mine, rank.number() + 1);
            // the paper's (1+p:4+p:1, 1+p:4+p:1)
            String section =
                "%1$d:%2$d:1, %1$d:%2$d:1".formatted(1 + rank.number(), 4 + rank.number());
            file.writeSection(section, Local.of(mine, Shape.columnMajor(4, 4)));
            double[] all = new double[36];
            file.readSection("1:6,1:6", Local.of(all, shape)); // common to all
            for (int j = 1; j <= 6; j++) {
              for (int i = 1; i <= 6; i++) {
                double wanted = 0;
                for (int p = 0; p < 3; p++) {
                  if (i > p && i <= 4 + p && j > p && j <= 4 + p) {
                    wanted = p + 1;
                  }
                }
                assertThat(all[i - 1 + (j - 1) * 6]).isEqualTo(wanted);
              }
            }
          }
        });
  }

  @Test
  void theCommonSectionsOfTableOneScaledDown() throws IOException {
    String[] sections = {
      "1:6, 1:6", "12:18, 12:18", "25:50, 25:50", "2:4, 8:64", "1:1, 1:256", "1:256, 1:1"
    };
    Programs.run(
        directory,
        4,
        3,
        rank -> {
          Shape shape = Shape.columnMajor(256, 256);
          try (GlobalArrayFile file =
              new Passion(rank).createGlobalArrayFile("common", shape, ElementType.INT32)) {
            int[] columns = new int[256 * 64];
            for (int k = 0; k < columns.length; k++) {
              columns[k] = rank.number() * columns.length + k;
            }
            String own = "1:256, %d:%d".formatted(1 + 64 * rank.number(), 64 + 64 * rank.number());
            file.writeSection(own, Local.of(columns, Shape.columnMajor(256, 64)));
            for (Method method : Method.values()) {
              file.use(method);
              for (String text : sections) {
                Section section = Sections.parse(text);
                Shape memory = section.shape(Order.COLUMN_MAJOR);
                int[] found = new int[(int) memory.elements()];
                file.readSection(text, Local.of(found, memory));
                for (int k = 0; k < found.length; k++) {
                  long i = section.range(0).lower() + k % memory.dimension(0);
                  long j = section.range(1).lower() + k / memory.dimension(0);
                  assertThat(found[k]).isEqualTo((int) (i + j * 256));
                }
              }
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void whatOneProcessorDoesWrongFailsOnAllAndMovesNothing(Method method) throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Shape shape = Shape.rowMajor(4, 4);
          try (GlobalArrayFile file =
              new Passion(rank).createGlobalArrayFile("bad", shape, ElementType.INT32)) {
            file.use(method);
            int[] ones = new int[16];
            Arrays.fill(ones, 1);
            for (String wrong : new String[] {"1:5,1:4", "1:4", "0:3,1:4", "1:4,1:4:0", "what"}) {
              String mine = rank.number() == 1 ? wrong : "1:4,1:4";
              assertInvalid(() -> file.writeSection(mine, Local.of(ones, shape)));
              assertInvalid(() -> file.readSection(mine, Local.of(new int[16], shape)));
            }
            long[] bounds = rank.number() == 1 ? new long[] {1, 4} : new long[] {1, 4, 1, 1, 4, 1};
            assertInvalid(() -> file.readSection(Local.of(new int[16], shape), bounds));
            Local small = Local.of(new int[rank.number() == 2 ? 15 : 16], shape);
            assertInvalid(() -> file.readSection("1:4,1:4", small));
            int[] found = new int[16];
            file.readSection("1:4,1:4", Local.of(found, shape)); // and the next one works
            assertThat(found).containsOnly(0);
          }
        });
  }

  @Test
  @SuppressWarnings("NullAway") // what is tried
  void whatIsMissingOnOneProcessorFailsOnAll() throws IOException {
    Programs.run(
        directory,
        3,
        2,
        rank -> {
          Shape shape = Shape.columnMajor(4, 3);
          try (GlobalArrayFile file =
              new Passion(rank).createGlobalArrayFile("missing", shape, ElementType.INT32)) {
            boolean odd = rank.number() == 1;
            Local memory = Local.of(new int[12], shape);
            Distribution columns =
                Distribution.of(shape, Grid.of(1, 3), Spread.none(), Spread.block());
            Local column = Local.of(new int[4], Shape.columnMajor(4, 1));
            String section = odd ? null : "1:4,1:3";
            assertFails(() -> file.readSection(section, memory));
            assertFails(() -> file.writeSection("1:4,1:3", odd ? null : memory));
            assertFails(() -> file.readArray(odd ? null : columns, column));
            assertFails(() -> file.writeArray(columns, odd ? null : column));
            assertThat(file.readArray(columns, column)).as("the next call works").isEqualTo(16);
          }
        });
  }

  private static void assertFails(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isIn(ErrorCode.INVALID, ErrorCode.MIXED_CALL));
  }

  @Test
  void sectionsMoveBetweenTheFileAndAnyKindOfBuffer() throws IOException {
    Programs.run(
        directory,
        2,
        2,
        rank -> {
          Shape shape = Shape.columnMajor(4, 2);
          Passion passion = new Passion(rank);
          String mine = "1:4,%1$d:%1$d".formatted(1 + rank.number());
          Shape column = Shape.columnMajor(4, 1);
          try (GlobalArrayFile file =
              passion.createGlobalArrayFile("doubles", shape, ElementType.FLOAT64)) {
            double[] values = {0.5, 1, 2, rank.number()};
            file.writeSection(mine, Local.of(values, column));
            ByteBuffer bytes = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
            file.readSection(mine, Local.of(MemorySegment.ofBuffer(bytes), column));
            assertThat(bytes.getDouble(0)).isEqualTo(0.5);
            assertThat(bytes.getDouble(24)).isEqualTo(rank.number());
          }
          try (GlobalArrayFile file =
              passion.createGlobalArrayFile("ints", shape, ElementType.INT32)) {
            int[] values = {1, -2, 3, rank.number()};
            file.writeSection(mine, Local.of(values, column));
            int[] found = new int[4];
            file.readSection(mine, Local.of(found, column));
            assertThat(found).isEqualTo(values);
          }
        });
  }

  private static void assertInvalid(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }
}
