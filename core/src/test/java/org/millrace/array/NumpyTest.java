package org.millrace.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.access.Order;
import org.millrace.access.Section;
import org.millrace.access.Shape;
import org.millrace.client.OpenOptions;

/** NumPy reads what we write, and we read what NumPy writes. Skipped where there is no NumPy. */
final class NumpyTest {

  @TempDir private Path folder;

  @BeforeAll
  static void needsNumpy() throws Exception {
    boolean there;
    try {
      there = python("import numpy").isEmpty();
    } catch (IOException e) {
      there = false;
    }
    if (!there) {
      System.err.println("NumpyTest is skipped: install python3-numpy to run it");
    }
    assumeTrue(there, "python3 with numpy is not installed");
  }

  private static String python(String program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("python3", "-c", program));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return printed;
  }

  @Test
  void numpyReadsWhatRanksWroteInEitherOrder() throws Exception {
    try (Cluster cluster = ArrayFixture.cluster(3)) {
      for (Order order : Order.values()) {
        Shape shape = Shape.of(order, 6, 5);
        cluster.run(
            2,
            rank -> {
              try (GlobalArray array =
                  GlobalArray.create(
                      rank, "x.npy", shape, ElementType.FLOAT64, OpenOptions.create().truncate())) {
                double[] mine = new double[15];
                Shape rows = Shape.rowMajor(3, 5);
                for (int i = 0; i < 15; i++) {
                  mine[i] = 10 * (i / 5 + 3 * rank.number()) + i % 5;
                }
                int first = 3 * rank.number();
                array.writeSection(
                    Section.parse(first + ":" + (first + 2) + ",0:4"), Local.of(mine, rows));
              }
            });
        Path plain = Files.write(folder.resolve("x.npy"), ArrayFixture.file(cluster, "x.npy"));
        String printed =
            python(
                """
                import numpy, sys
                a = numpy.load(sys.argv[1])
                i, j = numpy.indices((6, 5))
                assert a.dtype == numpy.dtype('<f8') and (a == 10 * i + j).all(), a
                m = numpy.load(sys.argv[1], mmap_mode='r')
                assert m.flags.f_contiguous == (sys.argv[2] == 'COLUMN_MAJOR')
                assert m.offset % 4096 == 0, m.offset
                print('fine')
                """,
                plain.toString(), order.name());
        assertThat(printed.strip()).isEqualTo("fine");
      }
    }
  }

  @Test
  void numpyAgreesOnEveryElementType() throws Exception {
    List<String> all =
        List.of(
            "|b1", "|i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "|u1", "<u2", ">u2", "<u4",
            "<u8", "<f2", "<f4", ">f4", "<f8", ">f8", "<c8", "<c16", ">c16", "|V3", "|V24");
    for (String descr : all) {
      NpyHeader header = NpyHeader.of(Shape.columnMajor(2, 0, 3), ElementType.parse(descr));
      Files.write(folder.resolve("t" + all.indexOf(descr) + ".npy"), header.encode());
    }
    String printed =
        python(
            """
            import numpy, sys
            for k, d in enumerate(sys.argv[2:]):
                a = numpy.load('%s/t%d.npy' % (sys.argv[1], k))
                assert a.dtype == numpy.dtype(d) and a.shape == (2, 0, 3), (d, a.dtype)
            print('fine')
            """,
            Stream.concat(Stream.of(folder.toString()), all.stream()).toArray(String[]::new));
    assertThat(printed.strip()).isEqualTo("fine");
  }

  @Test
  void arraysThatNumpySavedAreRead() throws Exception {
    String printed =
        python(
            """
            import numpy, sys
            a = numpy.arange(24).reshape(2, 3, 4)
            numpy.save(sys.argv[1] + '/c.npy', a.astype('<i4'))
            numpy.save(sys.argv[1] + '/f.npy', numpy.asfortranarray(a.astype('<i4')))
            numpy.save(sys.argv[1] + '/big.npy', a.astype('>i4'))
            numpy.save(sys.argv[1] + '/scalar.npy', numpy.array(7, '<i4'))
            numpy.save(sys.argv[1] + '/struct.npy', numpy.zeros(2, [('a', 'f8'), ('b', 'i4')]))
            for v in (1, 2, 3):
                with open('%s/v%d.npy' % (sys.argv[1], v), 'wb') as out:
                    numpy.lib.format.write_array(out, a.astype('<i4'), version=(v, 0))
            """,
            folder.toString());
    assertThat(printed).isEmpty();
    try (Cluster cluster = ArrayFixture.cluster(2)) {
      int[] wanted = new int[24];
      Arrays.setAll(wanted, i -> i);
      for (String name : List.of("c", "f", "big", "v1", "v2", "v3")) {
        ArrayFixture.store(cluster, name, Files.readAllBytes(folder.resolve(name + ".npy")));
        cluster.run(
            2,
            rank -> {
              try (GlobalArray array = GlobalArray.open(rank, name, OpenOptions.read())) {
                int[] found = new int[24];
                Shape memory = Shape.rowMajor(2, 3, 4);
                array.readSection(ArrayFixture.whole(array), Local.of(found, memory));
                assertThat(found).as(name).isEqualTo(wanted);
              }
            });
      }
      ArrayFixture.store(cluster, "scalar", Files.readAllBytes(folder.resolve("scalar.npy")));
      cluster.run(
          1,
          rank -> {
            try (GlobalArray array = GlobalArray.open(rank, "scalar", OpenOptions.read())) {
              int[] found = new int[1];
              array.readSection(ArrayFixture.whole(array), ArrayFixture.ints(found, 1));
              assertThat(found).containsExactly(7);
            }
          });
    }
    byte[] struct = Files.readAllBytes(folder.resolve("struct.npy"));
    assertThat(ByteBuffer.wrap(struct).order(ByteOrder.LITTLE_ENDIAN).getShort(8)).isPositive();
    assertThatThrownBy(() -> NpyHeader.decode(struct)).hasMessageContaining("structured");
  }
}
